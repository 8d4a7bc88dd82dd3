// Generated from the Rust types by `cargo xtask wire`. Do not edit.

/**
 * Identifies a request: one call of an agent with its questions (UUIDv7, so ids sort by age).
 */
export type RequestId = string;

/**
 * Identifies one session of one agent (UUIDv7).
 */
export type SessionId = string;

/**
 * Identifies an approval (UUIDv7).
 */
export type ApprovalId = string;

/**
 * Identifies a command of a caller, so that sending it twice carries it out once.
 */
export type CommandId = string;

/**
 * Identifies an answer that a program gave, so that it can find out whether that answer was stored.
 */
export type AnswerId = string;

/**
 * The agent's own id of a call; unique within its session.
 */
export type NativeRef = string;

/**
 * The agent's own id of a helper: a subagent, a shell, or a task that works in the background.
 */
export type HelperId = string;

/**
 * A question's position in its request, counted from 1; written `q1`.
 */
export type QuestionId = string;

/**
 * An option's position in its question, counted from 1; written `q1o2`, so it never matches another question.
 */
export type OptionId = string;

/**
 * A point in time, in milliseconds since the Unix epoch.
 */
export type Timestamp = number;

export type QuestionKind = "single" | "multi" | "text" | "confirm" | "secret";

export type QuestionOption = { 
/**
 * Derived from the option's position, so the same question gets the same ids again.
 */
id: OptionId, 
/**
 * The label verbatim, including a "(Recommended)" suffix: the agent gets it back like this.
 */
label: string, 
/**
 * A line that explains the label.
 */
description: string | null, 
/**
 * Text or code to show beside the option; never markup.
 */
preview: string | null, 
/**
 * Whether the label ends in "(Recommended)".
 */
recommended: boolean, };

/**
 * The least or the greatest number.
 */
export type NumberLimit = { value: number, 
/**
 * Whether the number itself is no longer allowed.
 */
exclusive: boolean, };

export type TextFormat = "email" | "uri" | "date" | "date_time";

/**
 * What the answer to a question must be.
 */
export type AnswerBounds = { "bounds": "number", whole: boolean, min: NumberLimit | null, max: NumberLimit | null, } | { "bounds": "text", 
/**
 * The fewest characters.
 */
min: number | null, 
/**
 * The most characters.
 */
max: number | null, format: TextFormat | null, } | { "bounds": "options", min: number | null, max: number | null, };

/**
 * What a form is filled in with before the user touches it. Only the card uses it: nothing sends it unseen.
 */
export type DefaultAnswer = { chosen: Array<OptionId>, other: string | null, };

export type Question = { 
/**
 * Derived from the question's position.
 */
id: QuestionId, 
/**
 * The question's text verbatim.
 */
text: string, 
/**
 * A short name of the question, stored whole and shortened on screen.
 */
header: string | null, kind: QuestionKind, 
/**
 * The options in the agent's order, without the agent's own "Other".
 */
options: Array<QuestionOption>, 
/**
 * Whether the user can type an answer besides the options.
 */
allowsOther: boolean, 
/**
 * The description of the agent's own "Other" option, if it sent one.
 */
otherDescription: string | null, 
/**
 * Whether the agent said that it can't continue without this answer.
 */
required: boolean, 
/**
 * The placeholder of the empty text field.
 */
placeholder: string | null, 
/**
 * What a form demands of the answer besides.
 */
bounds?: AnswerBounds, 
/**
 * What a form is filled in with.
 */
default?: DefaultAnswer, };

/**
 * The answer to one question as a caller sends it.
 */
export type AnswerInput = { question: QuestionId, 
/**
 * The chosen options in any order; empty if there is only text, or nothing.
 */
chosen: Array<OptionId>, 
/**
 * The user's own answer; blank counts as none.
 */
other: string | null, 
/**
 * A note on the choice; blank counts as none.
 */
note: string | null, };

/**
 * How the user wants to end a request.
 */
export type EndInput = { "end": "answered", answers: Array<AnswerInput>, } | { "end": "declined", 
/**
 * A message to the agent.
 */
words: string | null, } | { "end": "canceled" };

/**
 * An end that will be carried out when its undo window ends, unless it is undone.
 */
export type HeldEnd = { request: RequestId, end: EndInput, 
/**
 * When the user chose it.
 */
since: Timestamp, until: Timestamp, 
/**
 * Why it could not be carried out; the user can try again.
 */
error: DeliveryError | null, };

/**
 * The checked answer to one question; never empty.
 */
export type Answer = { question: QuestionId, 
/**
 * The chosen options, in the question's order.
 */
chosen: Array<OptionId>, 
/**
 * The user's own answer; the text of a secret is removed before an answer is stored.
 */
other: string | null, note: string | null, 
/**
 * Whether a secret was given; its text goes to the agent only.
 */
secretGiven: boolean, };

/**
 * The answers of one request, in the order of its questions; an unanswered question has none.
 */
export type Answers = Array<Answer>;

/**
 * A time limit, which only the asker can set.
 */
export type Limit = { at: Timestamp, 
/**
 * What happens then, in the asker's own words.
 */
then: string, };

/**
 * One call of an agent with its questions.
 */
export type Request = { id: RequestId, session: SessionId, 
/**
 * The agent's own id of the call.
 */
nativeRef: NativeRef, 
/**
 * The subagent or connected app that asks, if it is not the session itself.
 */
askedBy: string | null, 
/**
 * The helper of the agent that asks; none if the agent itself or a connected app asks.
 */
helper?: HelperId, 
/**
 * At least one question.
 */
questions: Array<Question>, askedAt: Timestamp, 
/**
 * A time limit, if one was set.
 */
limit: Limit | null, asker?: Asker, 
/**
 * Open, or how it ended.
 */
state: RequestState, };

/**
 * Whether a request is open or has ended.
 */
export type RequestState = { "state": "open" } | { "state": "ended" } & Ended;

export type Ended = { outcome: Outcome, at: Timestamp, 
/**
 * How far the outcome has traveled to the agent; none if it needs no delivery.
 */
delivery: Delivery | null, 
/**
 * The id of the answer, if the program that gave it sent one.
 */
answer?: AnswerId, };

/**
 * How a request ended.
 */
export type Outcome = { "outcome": "answered", answers: Answers, } | { "outcome": "declined", 
/**
 * The user's message.
 */
words: string | null, } | { "outcome": "replied_in_chat", text: string, } | { "outcome": "expired" } | { "outcome": "withdrawn", why: WithdrawnWhy, } | { "outcome": "orphaned", why: OrphanedWhy, };

export type EndedBy = "user" | "user_in_chat" | "agent" | "elsewhere" | "limit" | "session";

export type WithdrawnWhy = { "why": "by_agent" } | { "why": "turn_ended" } | { "why": "interrupted" } | { "why": "answered_elsewhere" } | { "why": "canceled", 
/**
 * The user's message.
 */
reason: string | null, };

/**
 * What an asker does until it has the answer.
 */
export type Asker = "waits" | "goes_on" | "in_background";

/**
 * Why the asker of an orphaned request is gone.
 */
export type OrphanedWhy = "agent_ended" | "session_stopped" | "app_quit" | "caller_gone";

/**
 * How far an outcome has traveled to the agent.
 */
export type Delivery = { "delivery": "pending" } | { "delivery": "delivered", at: Timestamp, 
/**
 * Whether it was sent as a message after the call was closed.
 */
late?: boolean, } | { "delivery": "failed", error: DeliveryError, } | { "delivery": "parked" };

/**
 * Identifies an agent: the key of its descriptor and of its settings.
 */
export type AgentId = string;

/**
 * Identifies a machine that agents run on.
 */
export type MachineId = string;

/**
 * Identifies a config option of an agent; the agent chooses it.
 */
export type ConfigId = string;

/**
 * Identifies a value of a config option; the agent chooses it.
 */
export type ValueId = string;

/**
 * The agent's own id of a session, by which it is resumed.
 */
export type NativeSession = string;

/**
 * One configurable aspect of how an agent runs.
 */
export type ConfigOption = { id: ConfigId, 
/**
 * Its name in the agent's words.
 */
name: string, category: ConfigCategory, values: Array<ConfigValue>, 
/**
 * Whether a value outside the list can be typed.
 */
freeText: boolean, 
/**
 * Whether it can be changed while the session runs.
 */
live: boolean, 
/**
 * The current value, if it is known.
 */
current: ValueId | null, 
/**
 * The value where neither the user chose one nor the agent's own settings name one; none if it isn't known.
 */
fallback?: ValueId, };

/**
 * What a config option is about.
 */
export type ConfigCategory = "mode" | "model" | "effort" | "other";

export type ConfigValue = { 
/**
 * The value's id, unique within its option.
 */
id: ValueId, 
/**
 * Its name in the agent's words.
 */
name: string, 
/**
 * What it does, in the agent's words.
 */
description: string | null, 
/**
 * Whether the user must confirm it first.
 */
risk: Risk, 
/**
 * Whether the agent only plans with it and changes nothing.
 */
planning: boolean, };

/**
 * How risky a value is.
 */
export type Risk = "usual" | "delegated" | "unattended";

/**
 * Describes an agent, whichever version of it is installed.
 */
export type AgentDescriptor = { 
/**
 * The key under which sessions and settings name it.
 */
id: AgentId, 
/**
 * Its display name, a brand that is not translated.
 */
name: string, 
/**
 * The command to search for; none for an agent that ships with the app.
 */
program: string | null, 
/**
 * A shell command that installs it.
 */
install: string | null, 
/**
 * A shell command that signs the user in.
 */
login: string | null, 
/**
 * The versions of its program that work; none for an agent that ships with the app.
 */
versions: SupportedVersions | null, capabilities: Capabilities, 
/**
 * What can be chosen when a session starts.
 */
config: Array<ConfigOption>, };

/**
 * The versions of one agent. Only the numbers of a version count: `2.0.0-beta.1` is compared as 2.0.0.
 */
export type SupportedVersions = { 
/**
 * The newest one that was tested, using the real program.
 */
tested: string, 
/**
 * The first one that has another protocol, which Askdesk speaks only from its public description; none if there is none.
 */
before: string | null, 
/**
 * Its package in npm's registry; none if it is installed in another way.
 */
package: string | null, };

/**
 * How an installed version fits.
 */
export type VersionFit = { "fit": "tested" } | { "fit": "newer", tested: string, } | { "fit": "not_verified", 
/**
 * A version that was tested.
 */
good: string, 
/**
 * A shell command that installs that version.
 */
install: string | null, };

export type Capabilities = { 
/**
 * What a message to it can carry.
 */
takes: Takes, 
/**
 * Whether it can compact its context when asked.
 */
compact: boolean, 
/**
 * Whether a message that begins with `!` runs in a shell.
 */
shell: boolean, 
/**
 * Whether it can stop one of its helpers alone.
 */
stopHelper: boolean, 
/**
 * Whether the cost is the agent's own estimate, such as one from list prices, and not what is billed.
 */
costIsEstimate: boolean, 
/**
 * Whether a session needs one of the user's folders to work in.
 */
folder: boolean, 
/**
 * Whether settings can add arguments and environment variables to its start.
 */
launchOverrides: boolean, 
/**
 * Whether the agent's own program can continue a session in a terminal.
 */
continueInTerminal: boolean, 
/**
 * Whether it can say which sessions it has, and continue one that was begun elsewhere.
 */
ownSessions: boolean, 
/**
 * Whether it can begin a session with a copy of another one's conversation.
 */
fork: boolean, 
/**
 * Whether a running session keeps the sign-in that it started with, so that another one takes a restart.
 */
keepsSignIn: boolean, };

/**
 * Where a session comes from.
 */
export type Origin = { 
/**
 * The machine the agent runs on.
 */
machine: MachineId, } & ({ "kind": "started", agent: AgentId, } | { "kind": "attached", agent: AgentId, } | { "kind": "inbound", channel: Channel, 
/**
 * The app's own name.
 */
client: string, });

/**
 * Who started a session's agent, and how it connects to Askdesk.
 */
export type OriginKind = { "kind": "started", agent: AgentId, } | { "kind": "attached", agent: AgentId, } | { "kind": "inbound", channel: Channel, 
/**
 * The app's own name.
 */
client: string, };

/**
 * How a connected app reaches Askdesk.
 */
export type Channel = "mcp" | "terminal_hook" | "command_line";

/**
 * When an agent's questions are shown to the user.
 */
export type QuestionPolicy = "always" | "plan_only" | "never";

/**
 * The additions to the start of an agent.
 */
export type LaunchOverrides = { 
/**
 * Arguments after the ones that Askdesk sets.
 */
arguments: Arguments, environment: Environment, };

/**
 * Program arguments, in order.
 */
export type Arguments = string[];

/**
 * Environment variables by name. Their values are for the agent alone and never logged.
 */
export type Environment = Record<string, string>;

export type SessionOptions = { 
/**
 * The chosen values of the agent's config options; the agent's default applies to a missing one.
 */
config: { [key in ConfigId]: ValueId }, 
/**
 * When its questions are shown to the user.
 */
questions: QuestionPolicy, 
/**
 * The program to run instead of the one found on PATH.
 */
program: string | null, 
/**
 * What the user's settings add to the start.
 */
extras: LaunchOverrides, };

/**
 * Identifies a queued message (UUIDv7).
 */
export type MessageId = string;

/**
 * A queued message; its text is bounded by [`MESSAGE_BYTES`](crate::attachment::MESSAGE_BYTES).
 */
export type QueuedMessage = { id: MessageId, 
/**
 * Its text; empty if there are only attachments.
 */
text: string, attachments: Array<Attachment>, };

export type SessionNotifications = { 
/**
 * Only the counts in the window show it.
 */
muted: boolean, 
/**
 * Notifications don't show its texts.
 */
private: boolean, };

export type Helper = { id: HelperId, kind: HelperKind, 
/**
 * What it does, in the agent's words.
 */
title: string, state: HelperState, beganAt: Timestamp, };

export type HelperKind = "subagent" | "shell" | "task";

/**
 * The state of a helper that has not ended; whether it needs the user follows from its open requests and approvals.
 */
export type HelperState = "working" | "stopping";

export type HelperEnd = "finished" | "failed" | "stopped" | "by_user" | "with_turn" | "with_agent";

/**
 * One agent in one folder.
 */
export type Session = { id: SessionId, origin: Origin, name: string, namedBy?: NamedBy, 
/**
 * The folder the agent works in.
 */
folder: string, startedAt: Timestamp, 
/**
 * What the agent is doing; whether it needs the user follows from its open requests and approvals.
 */
state: SessionState, 
/**
 * The version that the agent reports.
 */
version: string | null, 
/**
 * The model that the agent reports.
 */
model: string | null, 
/**
 * How many lines of its output could not be used; the session log has them.
 */
unusableLines: number, options: SessionOptions, 
/**
 * Its position in the order of sessions; lower comes first.
 */
place: number, 
/**
 * Whether it has ended and its agent can resume it.
 */
resumable: boolean, 
/**
 * The config options with their current values.
 */
config: Array<ConfigOption>, 
/**
 * The agent's own id of the session; none until it reports one.
 */
nativeSession: NativeSession | null, 
/**
 * The queued messages, oldest first.
 */
queue: Array<QueuedMessage>, 
/**
 * The helpers that work for its agent, oldest first.
 */
helpers: Array<Helper>, attention: SessionNotifications, 
/**
 * The git worktree that was made for it.
 */
worktree?: Worktree, };

/**
 * Where the name of a session is from. What comes later replaces what comes before, and nothing replaces the user's choice.
 */
export type NamedBy = "folder" | "message" | "agent" | "user";

export type SessionState = { "state": "starting" } | { "state": "working" } | { "state": "idle" } | { "state": "ended", end: SessionEnd, at: Timestamp, };

export type SessionEnd = { "end": "finished" } | { "end": "stopped" } | { "end": "app_quit" } | { "end": "failed", why: AgentFailure, };

/**
 * Why an agent could not be started, or failed.
 */
export type AgentFailure = { "failure": "agent_missing", agent: AgentId, program: string, tried: Array<SearchedLocation>, 
/**
 * A shell command that installs it.
 */
install: string | null, } | { "failure": "folder_unusable", path: string, problem: FolderError, } | { "failure": "not_started", program: string, problem: ProgramError, error: string, } | { "failure": "exited", code: number | null, signal: number | null, 
/**
 * The last lines of its error output, at most [`SAID_LINES`]; empty if it wrote none.
 */
said: string, next: NextStep, } | { "failure": "interrupt_ignored", 
/**
 * How long Askdesk waited, in seconds.
 */
seconds: number, next: NextStep, } | { "failure": "output_lost", next: NextStep, } | { "failure": "session_unknown" } | { "failure": "start_refused", why: StartRefusal, 
/**
 * In the agent's words.
 */
said: string, } | { "failure": "worktree_not_made", 
/**
 * In the words of git or the system.
 */
error: string, } | { "failure": "setup_failed", code: number | null, 
/**
 * The last lines that it wrote.
 */
said: string, } | { "failure": "desk_failed" };

/**
 * Why an agent refused to start.
 */
export type StartRefusal = "in_background" | "bypass_as_root" | "settings_unreadable" | "proxy_invalid" | "version_too_old" | "organization" | "other";

/**
 * A place that was searched for a program.
 */
export type SearchedLocation = { "place": "path_variable", 
/**
 * Its value; it may be empty.
 */
value: string, } | { "place": "file", path: string, };

export type FolderError = { "problem": "missing" } | { "problem": "not_a_folder" } | { "problem": "forbidden" } | { "problem": "not_absolute" } | { "problem": "timed_out", seconds: number, } | { "problem": "other", error: string, };

/**
 * Why the system did not run a program; its text says what to check.
 */
export type ProgramError = "missing" | "forbidden" | "unfit" | "broken_link" | "timed_out";

/**
 * What the user can do about an agent that failed.
 */
export type NextStep = "resume" | "start_anew";

/**
 * Why something did not reach the agent.
 */
export type DeliveryError = { "undelivered": "input_closed" } | { "undelivered": "write_failed", error: string, } | { "undelivered": "not_reading", 
/**
 * How many lines are queued for it.
 */
lines: number, } | { "undelivered": "not_awaited" } | { "undelivered": "may_have_arrived" } | { "undelivered": "not_running" } | { "undelivered": "busy" } | { "undelivered": "closing" } | { "undelivered": "refused", rule: ValidationError, } | { "undelivered": "not_kept", } & ({ "trouble": "busy", path: string, } | { "trouble": "full", 
/**
 * The file that can't grow.
 */
path: string, } | { "trouble": "damaged", path: string, error: string, } | { "trouble": "stuck", path: string, error: string, } | { "trouble": "too_new", path: string, found: number, 
/**
 * The newest format this version knows.
 */
known: number, } | { "trouble": "other", path: string, error: string, }) | { "undelivered": "image_gone", name: string, } | { "undelivered": "file_unreadable", path: string, error: string, } | { "undelivered": "text", text: string, };

/**
 * Why the storage can't be used.
 */
export type StorageError = { "trouble": "busy", path: string, } | { "trouble": "full", 
/**
 * The file that can't grow.
 */
path: string, } | { "trouble": "damaged", path: string, error: string, } | { "trouble": "stuck", path: string, error: string, } | { "trouble": "too_new", path: string, found: number, 
/**
 * The newest format this version knows.
 */
known: number, } | { "trouble": "other", path: string, error: string, };

/**
 * How a field breaks a rule.
 */
export type ValidationError = { "validation": "empty" } | { "validation": "too_long", 
/**
 * The upper bound, in bytes.
 */
most: number, bytes: number, } | { "validation": "queue_full", most: number, } | { "validation": "too_many_attached", most: number, count: number, } | { "validation": "attached", why: DeliveryError, } | { "validation": "path_untold" } | { "validation": "question_open" } | { "validation": "still_open" } | { "validation": "still_awaited" } | { "validation": "nothing_answered" } | { "validation": "note_alone" } | { "validation": "one_only" } | { "validation": "no_own_words" } | { "validation": "out_of_bounds", bounds: AnswerBounds, } | { "validation": "no_option" } | { "validation": "no_plan" } | { "validation": "still_running" } | { "validation": "no_model" } | { "validation": "no_folder" } | { "validation": "late_secret" } | { "validation": "plan_cut_off" } | { "validation": "no_address", 
/**
 * The parser's error.
 */
error: string, } | { "validation": "address_not_opened", scheme: string, } | { "validation": "no_program", error: string, } | { "validation": "path_not_text" } | { "validation": "unfit", flaw: SettingError, } | { "validation": "other", 
/**
 * The rule, and the value that breaks it.
 */
rule: string, };

/**
 * Why a value of a setting is invalid.
 */
export type SettingError = { "unfit": "none_of", 
/**
 * The valid choices, as they are written.
 */
choices: Array<string>, } | { "unfit": "not_between", least: number, most: number, } | { "unfit": "no_list" } | { "unfit": "no_table" } | { "unfit": "too_many", most: number, count: number, } | { "unfit": "argument", 
/**
 * Its position, from 1.
 */
n: number, flaw: LaunchOverrideError, } | { "unfit": "variable", name: string, flaw: LaunchOverrideError, } | { "unfit": "no_hours" } | { "unfit": "no_shortcut" } | { "unfit": "no_name", 
/**
 * The beginning of the rejected name.
 */
name: string, } | { "unfit": "command", flaw: CommandError, } | { "unfit": "no_rules" } | { "unfit": "rule", 
/**
 * Its position, from 1.
 */
n: number, flaw: PermissionRuleError, } | { "unfit": "text", text: string, };

/**
 * Why a command can't be run as written.
 */
export type CommandError = { "command": "too_long", 
/**
 * The upper bound, in bytes.
 */
most: number, bytes: number, } | { "command": "zero" } | { "command": "unclosed" } | { "command": "no_program" } | { "command": "unknown_placeholder", name: string, 
/**
 * The names of the placeholders there are.
 */
known: Array<string>, } | { "command": "not_alone", name: string, };

/**
 * Why a folder or a file was not opened in another program.
 */
export type OpenError = { "unopened": "no_folder" } | { "unopened": "gone", path: string, } | { "unopened": "unusable", path: string, error: string, } | { "unopened": "not_installed", program: Program, } | { "unopened": "no_command", program: Program, } | { "unopened": "command_missing", command: string, } | { "unopened": "no_terminal" } | { "unopened": "terminal_only_opens", terminal: Program, } | { "unopened": "unsafe", program: Program, character: string, } | { "unopened": "not_started", program: string, error: string, } | { "unopened": "exited", program: string, 
/**
 * None if a signal ended it.
 */
code: number | null, } | { "unopened": "file_manager", error: string, } | { "unopened": "nothing_to_continue" };

/**
 * Why an argument or variable that a user adds to an agent's start is invalid.
 */
export type LaunchOverrideError = { "extra": "too_long", 
/**
 * The upper bound, in bytes.
 */
most: number, bytes: number, } | { "extra": "zero" } | { "extra": "own_flag", flag: string, } | { "extra": "chosen_flag", flag: string, };

/**
 * Why the agent did not make a change.
 */
export type ChangeRefused = { "refused": "in_words", words: string, } | { "refused": "unanswered", 
/**
 * How long Askdesk waited for it.
 */
seconds: number, } | { "refused": "others_wait" } | { "refused": "working" } | { "refused": "unreached", why: DeliveryError, } | { "refused": "no_place" } | { "refused": "nothing_said" };

/**
 * A feature that some agents don't support.
 */
export type UnsupportedFeature = "attaching" | "continuing_in_terminal" | "compacting" | "stopping_helper" | "forking" | "signing_in";

export type ToolDetail = { "detail": "command", 
/**
 * The command as it would run.
 */
command: string, 
/**
 * The agent's own description, and every parameter of the call, one per line.
 */
description: string | null, } | { "detail": "read", path: string, 
/**
 * The first line that it reads, from 1; none for all of the file.
 */
line: number | null, 
/**
 * Its input as readable text.
 */
input: string, } | { "detail": "edit", path: string, 
/**
 * A unified diff without file headers; its line numbers count within the changed text.
 */
diff: string, } | { "detail": "write", path: string, content: string, } | { "detail": "todos", items: Array<TodoItem>, } | { "detail": "plan", 
/**
 * The plan, in Markdown.
 */
plan: string, 
/**
 * The file that the agent stores it in.
 */
path: string | null, } | { "detail": "network", 
/**
 * The address or host.
 */
target: string, } | { "detail": "other", 
/**
 * Its input as readable text.
 */
input: string, };

export type TodoItem = { text: string, status: TodoStatus, };

/**
 * The state of a todo item.
 */
export type TodoStatus = "pending" | "in_progress" | "done";

/**
 * Identifies an option of an approval; the agent chooses it, and it is returned unchanged.
 */
export type ApprovalOptionId = string;

export type ApprovalOption = { 
/**
 * The agent's id of the option, returned unchanged.
 */
id: ApprovalOptionId, kind: ApprovalOptionKind, label: OptionLabel, 
/**
 * The scope; none if the kind already says it.
 */
scope: OptionScope | null, 
/**
 * Whether it can be chosen together with other options of this kind that allow it.
 */
combines: boolean, };

/**
 * What an option does. The names come from the Agent Client Protocol.
 */
export type ApprovalOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type OptionLabel = { "label": "plain" } | { "label": "text", text: string, } | { "label": "tool", tool: string, 
/**
 * Which of its calls, in the agent's own pattern; none means all.
 */
content: string | null, behavior: ToolRule, } | { "label": "folder", paths: Array<string>, } | { "label": "config", option: ConfigId, value: ValueId, };

/**
 * How calls of a tool are treated.
 */
export type ToolRule = "allow" | "ask" | "deny";

export type OptionScope = "session" | "server" | "local" | "project" | "user";

/**
 * What an agent itself says about a permission request, as opposed to its model.
 */
export type AgentRemark = { 
/**
 * None if the agent marked the request and gave no words.
 */
words: string | null, stance: RemarkStance, };

/**
 * What a remark means for the decision.
 */
export type RemarkStance = "reason" | "no_by_default";

/**
 * One permission that an agent requests.
 */
export type Approval = { id: ApprovalId, session: SessionId, 
/**
 * The agent's own id of the call.
 */
nativeRef: NativeRef, 
/**
 * The helper of the agent that asks; none if the agent itself asks.
 */
helper?: HelperId, 
/**
 * The name of that helper.
 */
askedBy?: string, 
/**
 * The agent's title for it, usually the name of a tool.
 */
title: string, 
/**
 * What the agent's model says it wants to do.
 */
description: string | null, 
/**
 * What the agent itself says about it.
 */
remark?: AgentRemark, 
/**
 * What exactly would run or change.
 */
subject: ToolDetail, 
/**
 * The options, in the agent's order.
 */
options: Array<ApprovalOption>, 
/**
 * Whether a denial can carry a message to the agent.
 */
takesMessage: boolean, askedAt: Timestamp, 
/**
 * The user's rule that denied it, or that had the user asked.
 */
rule: PermissionRule | null, 
/**
 * Open, or how it ended.
 */
state: ApprovalState, };

/**
 * Whether an approval is open or has ended.
 */
export type ApprovalState = { "state": "open" } | { "state": "decided", decision: ApprovalDecision, at: Timestamp, 
/**
 * Set if the decision could not be delivered to the agent.
 */
error: DeliveryError | null, } | { "state": "withdrawn", at: Timestamp, } | { "state": "refused", at: Timestamp, };

export type ApprovalDecision = { 
/**
 * The chosen options: one, or several that can be combined.
 */
options: Array<ApprovalOptionId>, 
/**
 * The message to the agent that goes with a denial.
 */
message: string | null, 
/**
 * The plan as the user edited it; none if it is unchanged.
 */
plan: string | null, };

/**
 * An amount in US dollars, stored in nano-dollars so that equal amounts compare equal; a plain number on the wire.
 */
export type Usd = number;

/**
 * How full an agent's context is.
 */
export type ContextUse = { used: number, 
/**
 * The capacity in tokens.
 */
size: number, };

/**
 * What several turns used, in any order.
 */
export type UsageSum = { turns: number, 
/**
 * Tokens read, including those from a cache.
 */
inputTokens: number, outputTokens: number, cachedTokens: number, 
/**
 * The cost of the turns whose agents report one; none if none of them does.
 */
cost: Usd | null, };

/**
 * What a session used, and how full its context is.
 */
export type SessionUsage = { sum: UsageSum, 
/**
 * How full the context was after the last turn; none if the agent didn't report it.
 */
context: ContextUse | null, };

/**
 * One entry of a session's transcript.
 */
export type Entry = { 
/**
 * Its position in the session, counted from 1; a later entry with the same position replaces it.
 */
n: number, 
/**
 * When it was first written.
 */
at: Timestamp, body: EntryBody, };

export type EntryBody = { "kind": "user", 
/**
 * Its text; empty if there are only attachments.
 */
text: string, attachments: Array<Attachment>, } | { "kind": "agent", text: string, } | { "kind": "thinking", text: string, } | { "kind": "tool", 
/**
 * The agent's id of the call.
 */
toolUse: string, name: string, toolKind: ToolKind, 
/**
 * One line that says what it does.
 */
summary: string, detail: ToolDetail, status: ToolStatus, output: string | null, 
/**
 * The images in what came out, at most [`RESULT_IMAGES`].
 */
images?: Array<StoredImage>, 
/**
 * What the subagent does that makes the call, in the agent's words; none if the agent itself makes it.
 */
subagent?: string, } | { "kind": "request", request: RequestId, } | { "kind": "copied_question", questions: Array<Question>, 
/**
 * How it ended; none if that isn't known.
 */
outcome: Outcome | null, } | { "kind": "approval", approval: ApprovalId, } | { "kind": "plan", items: Array<TodoItem>, } | { "kind": "notice", notice: Notice, } | { "kind": "turn_ended", 
/**
 * Its length in milliseconds.
 */
millis: number, inputTokens: number, outputTokens: number, cachedTokens: number, 
/**
 * The agent's own error message, if the turn failed.
 */
error: string | null, 
/**
 * The cost that the agent reports.
 */
costUsd: Usd | null, 
/**
 * How full the agent's context was afterwards.
 */
context: ContextUse | null, };

/**
 * The kind of a tool. The names come from the Agent Client Protocol.
 */
export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "think" | "other";

/**
 * The state of a tool call.
 */
export type ToolStatus = "pending" | "awaiting_permission" | "running" | "done" | "failed" | "denied" | "refused" | "no_result";

/**
 * An image of the session that is stored like those of messages.
 */
export type StoredImage = { image: ImageId, format: ImageFormat, bytes: number, };

/**
 * Which messages from before a session began here are in its transcript.
 */
export type EarlierMessages = "all" | "newest" | "unread";

/**
 * What an agent couldn't store.
 */
export type Unsaved = "conversation" | "settings";

/**
 * A notice about a session; the page chooses the words.
 */
export type Notice = { "notice": "question_refused", 
/**
 * The field and the rule that the agent was told.
 */
reason: string, } | { "notice": "permission_refused", 
/**
 * What could not be shown, as the agent was told.
 */
reason: string, } | { "notice": "question_turned_off", policy: QuestionPolicy, 
/**
 * The questions, one per line.
 */
text: string, } | { "notice": "answers_brought" } | { "notice": "same_text_joined", text: string, } | { "notice": "cut_in_half" } | { "notice": "interrupted" } | { "notice": "compacted" } | { "notice": "conversation_reset" } | { "notice": "login_rejected", 
/**
 * In the agent's words.
 */
error: string, } | { "notice": "helper_ended", helper: HelperKind, title: string, end: HelperEnd, } | { "notice": "helper_not_stopped", title: string, 
/**
 * In the agent's words.
 */
error: string, } | { "notice": "sign_in_changed", 
/**
 * In the agent's words.
 */
error: string, } | { "notice": "program_replaced" } | { "notice": "hook_failed", 
/**
 * Its last lines.
 */
output: string, } | { "notice": "begun_elsewhere", earlier: EarlierMessages, } | { "notice": "forked", from: SessionId, earlier: EarlierMessages, } | { "notice": "files_put_back", files: number, 
/**
 * The paths of files that were left as they are.
 */
left: Array<string>, 
/**
 * How many more were left.
 */
more: number, } | { "notice": "files_not_put_back", error: string, } | { "notice": "agent_told", text: string, } | { "notice": "agent_warned", text: string, } | { "notice": "agent_unsaved", what: Unsaved, } | { "notice": "model_refused", refused: string, 
/**
 * The one that answered.
 */
model: string, 
/**
 * Whether the session goes on with it.
 */
lasting: boolean, 
/**
 * In the words of the model's provider.
 */
why?: string, } | { "notice": "not_understood", 
/**
 * The kind as the agent calls it.
 */
kind: string, 
/**
 * What it says to the user; of a request, all of it.
 */
text: string, 
/**
 * Whether the agent waited for a response, and got a refusal.
 */
refused: boolean, } | { "notice": "entries_lost", count: number, } | { "notice": "unreadable" } | { "notice": "message_not_sent", error: DeliveryError, };

/**
 * One message to a subscriber.
 */
export type Frame = { "frame": "snapshot" } & Snapshot | { "frame": "delta" } & Delta;

/**
 * The complete state at one moment.
 */
export type Snapshot = { 
/**
 * Random for each start of the app; sequence numbers of different epochs can't be compared.
 */
epoch: string, 
/**
 * The number of the last delta that this snapshot includes.
 */
seq: number, 
/**
 * All sessions that are not closed, oldest first.
 */
sessions: Array<Session>, 
/**
 * The requests in memory that belong to them, oldest first.
 */
requests: Array<Request>, 
/**
 * The approvals in memory that belong to them, oldest first.
 */
approvals: Array<Approval>, 
/**
 * The texts that agents are writing.
 */
live: Array<LiveText>, 
/**
 * The attempts that agents wait for after a call of the model failed.
 */
retries: Array<SessionRetry>, 
/**
 * How full contexts are, as reported in this run of the app.
 */
contexts: Array<SessionContext>, 
/**
 * The ends of requests that can still be undone.
 */
held: Array<HeldEnd>, 
/**
 * The sessions whose folders have been compared with the state that they began with.
 */
changedFiles: Array<SessionChanges>, 
/**
 * The sessions whose folders have a repository.
 */
heads: Array<SessionHead>, 
/**
 * Storage problems that the user should know about.
 */
storage: Array<StorageNotice>, 
/**
 * The disk accepts nothing at the moment.
 */
outage: StorageOutage | null, 
/**
 * Every agent the app knows, installed or not.
 */
agents: Array<AgentDescriptor>, };

/**
 * A step from one state to the next.
 */
export type Delta = { 
/**
 * The epoch of both numbers.
 */
epoch: string, 
/**
 * The number of the delta before this one; a receiver at any other number subscribes again.
 */
prev: number, seq: number, changes: Array<Change>, };

/**
 * A single change. It carries the whole new value, which replaces the old one.
 */
export type Change = { "change": "session", session: Session, } | { "change": "request", request: Request, } | { "change": "approval", approval: Approval, } | { "change": "end_held", held: HeldEnd, } | { "change": "hold_released", request: RequestId, } | { "change": "entry", session: SessionId, entry: Entry, } | { "change": "session_closed", session: SessionId, } | { "change": "live_text", added: LiveText, } | { "change": "live_cleared", session: SessionId, } | { "change": "files_changed", session: SessionId, totals: ChangeTotals, } | { "change": "checked_out", session: SessionId, head: Head | null, } | { "change": "retry", session: SessionId, retry: Retry | null, } | { "change": "context", changed: SessionContext, } | { "change": "session_deleted", session: SessionId, } | { "change": "storage", notices: Array<StorageNotice>, } | { "change": "outage", outage: StorageOutage | null, };

/**
 * Text that an agent is writing right now. It is never journaled; the finished entry is.
 */
export type LiveText = { session: SessionId, kind: LiveKind, text: string, };

/**
 * The kind of text that an agent is writing.
 */
export type LiveKind = "text" | "thinking";

/**
 * The sums over the files that have changed since a session began.
 */
export type SessionChanges = { session: SessionId, totals: ChangeTotals, };

/**
 * How full the context of a session's agent is. It is never journaled; the end of each turn is.
 */
export type SessionContext = { session: SessionId, 
/**
 * None if the agent no longer knows it, as after it made its context smaller.
 */
context: ContextUse | null, };

/**
 * A storage problem that the user should know about.
 */
export type StorageNotice = { "storage": "set_aside", 
/**
 * The path of the damaged one.
 */
kept: string, } | { "storage": "damaged", file: string, } | { "storage": "unreadable", count: number, } | { "storage": "newer", kept: string, used: string, };

export type AnswerQuestion = { requestId: CommandId, id: RequestId, 
/**
 * A question without an entry is left unanswered.
 */
answers: Array<AnswerInput>, };

/**
 * Ends a request after the undo window. An answer is held only for a request of one question with one choice.
 */
export type HoldEnd = { requestId: CommandId, id: RequestId, end: EndInput, };

/**
 * Takes back an end that is still in its undo window.
 */
export type UndoEnd = { requestId: CommandId, id: RequestId, };

export type DeclineQuestion = { requestId: CommandId, id: RequestId, 
/**
 * A message to the agent.
 */
words: string | null, };

/**
 * Closes a request without an answer.
 */
export type CancelQuestion = { requestId: CommandId, id: RequestId, 
/**
 * A message to the agent.
 */
reason: string | null, };

/**
 * Tries a failed delivery again.
 */
export type RetryDelivery = { requestId: CommandId, id: RequestId, };

/**
 * Dismisses a missed request, or gives up a delivery that failed.
 */
export type DismissRequest = { requestId: CommandId, id: RequestId, };

/**
 * Decides a permission request.
 */
export type DecideApproval = { requestId: CommandId, id: ApprovalId, decision: ApprovalDecision, };

/**
 * Starts an agent in a folder.
 */
export type StartSession = { requestId: CommandId, agent: AgentId, 
/**
 * The folder the agent works in; an agent that needs none has its own.
 */
folder: string | null, 
/**
 * The first message; without one, the agent waits.
 */
prompt: string | null, 
/**
 * The session's name; defaults to the beginning of its first message, or else to the name of the folder.
 */
name: string | null, 
/**
 * Options that are left out keep the agent's defaults.
 */
options: SessionOptions, 
/**
 * Starts in a new git worktree of the folder's repository.
 */
worktree: StartWorktree | null, 
/**
 * Continues a session that was begun elsewhere, one of those that `list_own_sessions` returned.
 */
continues: NativeSession | null, };

/**
 * Starts a session with a copy of another one's conversation.
 */
export type ForkSession = { requestId: CommandId, session: SessionId, 
/**
 * The position of the user's message that the copy ends before; none copies all.
 */
before: number | null, 
/**
 * Puts the files back to how they were before the message, if they are still in this state, which `list_files_since`
 * returned.
 */
putBack: number | null, };

/**
 * Lists the files that have changed since a message of the user.
 */
export type ListFilesSince = { session: SessionId, 
/**
 * The position of the message.
 */
message: number, };

export type FilesSinceRead = { 
/**
 * None if the files weren't recorded before the message.
 */
since: FilesSince | null, };

/**
 * The files that have changed since a moment, whoever changed them.
 */
export type FilesSince = { 
/**
 * Ordered by path, at most 500.
 */
files: Array<FileSince>, 
/**
 * How many more there are.
 */
unlisted: number, 
/**
 * Differs once any file changes again.
 */
state: number, };

export type FileSince = { 
/**
 * The path below the session's folder, for people to read.
 */
path: string, kind: ChangeKind, 
/**
 * Whether what it held then is recorded, so that it can be put back.
 */
recorded: boolean, };

/**
 * Sends a message to an agent. An ended session that can be resumed is resumed first.
 */
export type SendMessage = { requestId: CommandId, session: SessionId, text: string, attachments: Array<Attachment>, 
/**
 * The open requests that the user was told it closes: they end as replied in chat. Any other stays open.
 */
closes: Array<RequestId>, };

export type Attachment = { "attachment": "image", 
/**
 * Identifies its bytes among the session's stored images.
 */
image: ImageId, 
/**
 * The format, detected from its first bytes.
 */
format: ImageFormat, name: string, bytes: number, } | { "attachment": "file", path: string, 
/**
 * Its size when it was attached.
 */
bytes: number, };

export type ImageFormat = "png" | "jpeg" | "gif" | "webp";

/**
 * Identifies an image by its content: the SHA-256 of its bytes.
 */
export type ImageId = string;

/**
 * Which attachments an agent accepts.
 */
export type Takes = { "takes": "words" } | { "takes": "images_and_files", count: number, 
/**
 * The largest accepted image, in bytes.
 */
imageBytes: number, 
/**
 * The longest text of a message, in bytes; a longer one can be attached as a file.
 */
textBytes: number, };

/**
 * Stores an image for a message. The same image again is the same attachment.
 */
export type AttachImage = { requestId: CommandId, session: SessionId, name: string, 
/**
 * The image in base64.
 */
data: string, };

/**
 * Stores a text that is too long for a message as a file of the session.
 */
export type AttachText = { requestId: CommandId, session: SessionId, text: string, };

export type AttachedFiles = { attached: Array<Attachment>, refused: Array<RefusedFile>, };

export type RefusedFile = { name: string, why: RefusedWhy, };

/**
 * Why a file was not attached. The page chooses the words.
 */
export type RefusedWhy = { "why": "too_large" } | { "why": "too_many" } | { "why": "unknown_kind" } | { "why": "folder" } | { "why": "no_file" } | { "why": "gone" } | { "why": "path" } | { "why": "unreadable", 
/**
 * The system's error message.
 */
error: string, };

/**
 * Deletes images that were attached and removed again. Images of sent and queued messages are not deleted.
 */
export type DiscardAttachments = { requestId: CommandId, session: SessionId, attachments: Array<Attachment>, };

/**
 * Queues a message until the agent's turn ends. Unlike a message that the user sends, it leaves open questions alone.
 */
export type QueueMessage = { requestId: CommandId, session: SessionId, text: string, attachments: Array<Attachment>, };

export type EditQueued = { requestId: CommandId, session: SessionId, id: MessageId, text: string, };

export type RemoveQueued = { requestId: CommandId, session: SessionId, id: MessageId, };

/**
 * Sends a queued message now, even during a turn; refused while a question is open.
 */
export type SendQueued = { requestId: CommandId, session: SessionId, id: MessageId, };

/**
 * Interrupts the agent's turn.
 */
export type InterruptSession = { requestId: CommandId, session: SessionId, };

/**
 * Asks the agent to stop one of its helpers, and nothing else.
 */
export type StopHelper = { requestId: CommandId, session: SessionId, helper: HelperId, };

/**
 * Reads the end of what a helper has put out so far.
 */
export type ReadHelperOutput = { session: SessionId, helper: HelperId, };

/**
 * The output of a helper.
 */
export type HelperOutput = { "output": "gone" } | { "output": "written", 
/**
 * The end of it, at most [`OUTPUT_BYTES`].
 */
text: string, 
/**
 * Whether its beginning is left out.
 */
isCut: boolean, } | { "output": "unreadable", path: string, 
/**
 * In the words of the system.
 */
error: string, };

/**
 * Ends the agent's process and every process it started.
 */
export type StopSession = { requestId: CommandId, session: SessionId, };

export type RenameSession = { requestId: CommandId, session: SessionId, name: string, };

/**
 * Sets where the folder of an ended session is now.
 */
export type ChangeFolder = { requestId: CommandId, session: SessionId, folder: string, };

/**
 * Mutes a session, or hides its text in notifications.
 */
export type SetSessionNotifications = { requestId: CommandId, session: SessionId, attention: SessionNotifications, };

export type MoveSession = { requestId: CommandId, session: SessionId, 
/**
 * The session that comes after it; none moves it to the end.
 */
before: SessionId | null, };

/**
 * Ends a session if it runs, and removes it from the list. It stays in the history.
 */
export type CloseSession = { requestId: CommandId, session: SessionId, };

export type ResumeSession = { requestId: CommandId, session: SessionId, 
/**
 * Whether the agent's own process that holds the session in the background is ended first.
 */
endInBackground: boolean, };

/**
 * Changes a config option of a running agent.
 */
export type SetConfig = { requestId: CommandId, session: SessionId, option: ConfigId, 
/**
 * A listed value, or any text if the option takes free text.
 */
value: string, };

export type AgentCommand = { 
/**
 * Its name without the slash.
 */
name: string, 
/**
 * What it does, in the agent's words.
 */
description: string | null, 
/**
 * What may follow the name, in the agent's words, such as `[branch]`.
 */
argumentHint: string | null, };

/**
 * Lists the commands of a session's agent, as it last told them.
 */
export type ListCommands = { session: SessionId, };

export type CommandsListed = { commands: Array<AgentCommand>, };

/**
 * Finds files and folders below a session's folder. Ignore rules leave some out.
 */
export type FindFiles = { session: SessionId, 
/**
 * Letters of a path, in order; an empty query means what is at the top.
 */
query: string, 
/**
 * The most paths to return.
 */
limit: number, };

export type FilesFound = { 
/**
 * Relative to the session's folder, with `/` between names, the best match first. The path of a folder ends in `/`.
 */
paths: Array<string>, 
/**
 * Whether the folder has more files than were looked at.
 */
isCut: boolean, };

/**
 * Looks for agents on this machine.
 */
export type ListAgents = { 
/**
 * Whether to wait for the shell that is being asked, even if an earlier run has asked it.
 */
latest: boolean, };

/**
 * How an environment was got, the best way first.
 */
export type EnvironmentWay = "terminal" | "interactive_login" | "login" | "known_folders" | "process";

/**
 * Why a shell didn't say what its environment is.
 */
export type EnvironmentFailure = { "why": "no_shell" } | { "why": "no_command_line" } | { "why": "not_started", error: string, } | { "why": "timed_out", seconds: number, } | { "why": "ended", code: number | null, } | { "why": "too_much" };

/**
 * A way that was tried in vain.
 */
export type FailedEnvironmentWay = { way: EnvironmentWay, failure: EnvironmentFailure, };

/**
 * Looks for sessions that were begun outside Askdesk. A server may be started for it, which can take seconds.
 */
export type ListOwnSessions = { agent: AgentId, folder: string, 
/**
 * Another program of the agent; none for the one that is found.
 */
program: string | null, };

export type OwnSessionsFound = { 
/**
 * Newest first, without those that are in Askdesk.
 */
sessions: Array<OwnSession>, 
/**
 * Why they could not be listed.
 */
problem: OwnSessionsProblem | null, };

/**
 * A session that an agent keeps for a folder.
 */
export type OwnSession = { nativeSession: NativeSession, 
/**
 * Its title or first message, in one line; empty if it has neither.
 */
title: string, updatedAt: Timestamp, };

/**
 * Why an agent's sessions could not be listed.
 */
export type OwnSessionsProblem = { "problem": "agent", why: AgentFailure, } | { "problem": "refused", 
/**
 * In the words of the agent or the system.
 */
error: string, } | { "problem": "timed_out", seconds: number, };

/**
 * Says where the environment comes from that agents get. Waits for the shell if it hasn't answered yet.
 */
export type ReadEnvironment = { 
/**
 * Whether the shell is asked again first.
 */
again: boolean, };

/**
 * Where the environment comes from that agents get.
 */
export type EnvironmentRead = { way: EnvironmentWay, 
/**
 * None if no shell was asked.
 */
shell: string | null, 
/**
 * What was tried in vain when it was last asked.
 */
failed: Array<FailedEnvironmentWay>, 
/**
 * When the environment was read; none if it was never read from a shell.
 */
readAt: Timestamp | null, 
/**
 * Whether the shell is being asked again.
 */
reading: boolean, };

/**
 * Every agent that the app knows, found or not.
 */
export type AgentsFound = { agents: Array<AgentFound>, 
/**
 * Whether the shell is being asked, so that a later search may find others.
 */
reading: boolean, };

/**
 * An agent that the app knows.
 */
export type AgentFound = { agent: AgentId, 
/**
 * The path of its program, if it was found.
 */
program: string | null, 
/**
 * Why it can't be started, and what to do about it.
 */
problem: AgentFailure | null, 
/**
 * What the settings add to its start. A start must name the same.
 */
extras: LaunchOverrides, };

/**
 * Asks an agent's program for its version, which can take seconds.
 */
export type ReadAgentVersion = { agent: AgentId, };

export type AgentVersion = { 
/**
 * None if the program wasn't found, or reported none in time.
 */
version: string | null, 
/**
 * None if it can't be compared.
 */
fit: VersionFit | null, };

/**
 * Asks an agent's program whether the user is signed in. It opens nothing, and can take seconds.
 */
export type ReadSignIn = { agent: AgentId, 
/**
 * Another program of the agent; none for the one that is found.
 */
program: string | null, };

export type SignInRead = { 
/**
 * None where the program doesn't say, or a session may do without.
 */
signedIn: boolean | null, };

/**
 * Opens an agent's own sign-in in the user's terminal.
 */
export type SignIn = { requestId: CommandId, agent: AgentId, 
/**
 * Another program of the agent; none for the one that is found.
 */
program: string | null, };

export type ReadTranscript = { session: SessionId, 
/**
 * Reads entries before this position; none reads the newest.
 */
before: number | null, 
/**
 * The most entries to return.
 */
limit: number, };

/**
 * A page of a transcript, oldest entry first.
 */
export type TranscriptPage = { entries: Array<Entry>, 
/**
 * Whether there are older entries.
 */
more: boolean, 
/**
 * The requests that the entries refer to.
 */
requests: Array<Request>, 
/**
 * The permission requests that the entries refer to.
 */
approvals: Array<Approval>, };

/**
 * Reads the newest lines of a session's log.
 */
export type ReadLog = { session: SessionId, };

/**
 * The newest lines of a session's log, oldest first.
 */
export type SessionLog = { lines: Array<LogLine>, };

/**
 * One line of a session's log.
 */
export type LogLine = { 
/**
 * When the line was added.
 */
at: Timestamp, kind: LogKind, 
/**
 * The text, cut to at most [`LOG_LINE_BYTES`].
 */
text: string, };

/**
 * The source of a log line.
 */
export type LogKind = "unusable" | "stderr" | "refused" | "note" | "setup";

export type Settings = { language: LanguageChoice, theme: Theme, textSize: TextSize, density: Density, 
/**
 * Notifications of questions and permission requests of sessions that are not in view.
 */
notifyQuestions: NotifyQuestions, notifySubagents: OnOff, 
/**
 * Notifications of finished turns.
 */
notifyFinished: OptIn, 
/**
 * The cost of a day above which the user is notified, in US dollars; 0 is no budget.
 */
dailyBudget: DailyBudget, pausedUntil: PausedUntil, quietHours: DoNotDisturbHours, remindMinutes: ReminderMinutes, notifySound: OptIn, 
/**
 * Whether one digit answers a single question with one choice.
 */
quickAnswer: OnOff, undoSeconds: UndoSeconds, 
/**
 * Whether a choice moves on to the next question.
 */
autoAdvance: OnOff, onClose: OnClose, startAtLogin: OptIn, 
/**
 * Opens the oldest question from any app.
 */
globalShortcut: GlobalShortcut, editor: PreferredEditor, 
/**
 * Opens files if the editor is `editor_command`.
 */
editorCommand: EditorCommand, terminal: PreferredTerminal, 
/**
 * Opens terminals if the terminal is `terminal_command`.
 */
terminalCommand: TerminalCommand, permissionRules: PermissionRules, keepDays: RetentionDays, 
/**
 * Whether a newer version is looked for once a day.
 */
checkUpdates: OnOff, 
/**
 * The additions to every start of an agent.
 */
launchOverrides: { [key in AgentId]: LaunchOverrides }, 
/**
 * The commands that prepare new worktrees, by the folder of their repository.
 */
setupCommands: { [key in string]: SetupCommand }, };

export type Setting = { "setting": "language", "value": LanguageChoice } | { "setting": "theme", "value": Theme } | { "setting": "text_size", "value": TextSize } | { "setting": "density", "value": Density } | { "setting": "notify_questions", "value": NotifyQuestions } | { "setting": "notify_subagents", "value": OnOff } | { "setting": "notify_finished", "value": OptIn } | { "setting": "daily_budget", "value": DailyBudget } | { "setting": "paused_until", "value": PausedUntil } | { "setting": "quiet_hours", "value": DoNotDisturbHours } | { "setting": "remind_minutes", "value": ReminderMinutes } | { "setting": "notify_sound", "value": OptIn } | { "setting": "quick_answer", "value": OnOff } | { "setting": "undo_seconds", "value": UndoSeconds } | { "setting": "auto_advance", "value": OnOff } | { "setting": "on_close", "value": OnClose } | { "setting": "start_at_login", "value": OptIn } | { "setting": "global_shortcut", "value": GlobalShortcut } | { "setting": "editor", "value": PreferredEditor } | { "setting": "editor_command", "value": EditorCommand } | { "setting": "terminal", "value": PreferredTerminal } | { "setting": "terminal_command", "value": TerminalCommand } | { "setting": "permission_rules", "value": PermissionRules } | { "setting": "keep_days", "value": RetentionDays } | { "setting": "check_updates", "value": OnOff } | { "setting": "agent_arguments", "value": { agent: AgentId, arguments: Arguments, } } | { "setting": "agent_environment", "value": { agent: AgentId, environment: Environment, } } | { "setting": "setup_command", "value": { repository: string, command: SetupCommand, } };

/**
 * A language that the user interface supports.
 */
export type Language = "en" | "zh" | "de";

export type LanguageChoice = "system" | "en" | "zh" | "de";

/**
 * The color scheme: light or dark.
 */
export type Theme = "system" | "light" | "dark";

/**
 * The scale of the whole window, in percent. Beyond the upper bound, parts become unreachable (WCAG 2.2,
 * 1.4.4).
 */
export type TextSize = number;

/**
 * The spacing between elements.
 */
export type Density = "comfortable" | "compact";

/**
 * Which questions and permission requests cause notifications.
 */
export type NotifyQuestions = "unseen" | "never";

/**
 * Whether something happens automatically; on by default.
 */
export type OnOff = "on" | "off";

/**
 * Whether something happens automatically; off by default.
 */
export type OptIn = "off" | "on";

/**
 * The undo window of a quick answer, a skip, and a reply in chat, in seconds. The agent waits during it.
 */
export type UndoSeconds = number;

export type OnClose = "keep_running" | "quit";

/**
 * For how many days a session is kept after it has ended; 0 keeps it until the user deletes it. Only a few
 * values are allowed, because a mistyped number would delete sessions.
 */
export type RetentionDays = number;

/**
 * What all agents together may cost on one day before the user is notified, in US dollars; 0 is no budget.
 */
export type DailyBudget = number;

/**
 * The end of a notification pause, in seconds since 1970; 0 is no pause. The window still shows counts.
 */
export type PausedUntil = number;

/**
 * Daily hours without notifications, from one minute of the day to another, or none; the window still shows counts.
 */
export type DoNotDisturbHours = string;

/**
 * The shortcut that is set, or none.
 */
export type GlobalShortcut = string;

/**
 * After how many minutes a reminder of an open question is shown; 0 is never.
 */
export type ReminderMinutes = number;

/**
 * The editor for files and folders, one of the known ones.
 */
export type PreferredEditor = "auto" | Program;

/**
 * Opens a file or a folder: `{file}` is its path. Without `{file}`, the path is the last argument.
 */
export type EditorCommand = string;

/**
 * The terminal for programs that need one.
 */
export type PreferredTerminal = "auto" | Program;

/**
 * Opens a terminal in `{folder}` that runs `{command}`. Without `{command}`, the command follows as the last arguments.
 */
export type TerminalCommand = string;

/**
 * An entry of the file that is left unchanged and has no effect.
 */
export type IgnoredSetting = { 
/**
 * Its position: `table.key`, or the file's name if the whole file can't be read.
 */
key: string, why: IgnoredWhy, };

/**
 * Why an entry of the file has no effect; the page chooses the words.
 */
export type IgnoredWhy = { "why": "unknown" } | { "why": "no_value" } | { "why": "unfit", 
/**
 * The value; none if part of it may be secret.
 */
value: string | null, flaw: SettingError, } | { "why": "too_large", 
/**
 * Its size in bytes.
 */
bytes: number, most: number, } | { "why": "no_text" } | { "why": "unparsed", 
/**
 * The line, from 1.
 */
line: number, 
/**
 * The character in that line, from 1.
 */
column: number, error: string, } | { "why": "unreadable", error: string, };

/**
 * What is known about updates.
 */
export type UpdateRead = { 
/**
 * The version that is running.
 */
running: string, phase: UpdatePhase, 
/**
 * What went wrong last; none once something newer has begun.
 */
problem: UpdateProblem | null, 
/**
 * What keeps an update from being installed now.
 */
inTheWay: Array<UpdateObstacle>, 
/**
 * When the newest version was last learned; none if never.
 */
checkedAt: Timestamp | null, 
/**
 * Whether the window mentions the update on its own.
 */
isOffered: boolean, 
/**
 * Whether the system asks for the administrator's password.
 */
needsPassword: boolean, };

/**
 * A newer version.
 */
export type Release = { version: string, 
/**
 * What is new in it, as Markdown; empty if nothing is said.
 */
notes: string, 
/**
 * The size of its package in bytes, if the list of versions says.
 */
size: number | null, };

/**
 * How far an update is.
 */
export type UpdatePhase = { "phase": "unavailable" } | { "phase": "idle" } | { "phase": "checking", 
/**
 * The newer version that was known before.
 */
known: Release | null, } | { "phase": "available", release: Release, } | { "phase": "downloading", release: Release, 
/**
 * In bytes.
 */
received: number, 
/**
 * In bytes; none if the server doesn't say.
 */
total: number | null, } | { "phase": "downloaded", release: Release, } | { "phase": "installing", release: Release, } | { "phase": "installed", release: Release, };

/**
 * What keeps an update from being installed.
 */
export type UpdateObstacle = "question_open" | "permission_open" | "answer_undoable" | "answer_undelivered" | "agent_works" | "not_stored";

/**
 * Why a step of an update failed. The page chooses the words.
 */
export type UpdateProblem = { "problem": "offline", error: string, } | { "problem": "server", error: string, } | { "problem": "no_package" } | { "problem": "interrupted", error: string, } | { "problem": "signature" } | { "problem": "unusable" } | { "problem": "not_allowed" } | { "problem": "no_password_prompt" } | { "problem": "refused", 
/**
 * The end of what it printed.
 */
output: string, } | { "problem": "not_saved" } | { "problem": "system", error: string, };

export type SetAsideUntil = "next_start" | "next_version";

export type ReadUpdate = Record<symbol, never>;

export type CheckForUpdate = Record<symbol, never>;

/**
 * Takes the next step: downloads the update, installs it, or restarts the app. The steps behind it follow as long as nothing
 * is in the way.
 */
export type InstallUpdate = { 
/**
 * The version that the user has seen.
 */
version: string, };

/**
 * Ends a download.
 */
export type CancelUpdate = Record<symbol, never>;

/**
 * Stops mentioning an update.
 */
export type SetUpdateAside = { version: string, until: SetAsideUntil, };

/**
 * Reads the settings from their file, which may have been edited by hand.
 */
export type ReadSettings = Record<symbol, never>;

export type ChangeSetting = { change: Setting, };

export type SettingsRead = { settings: Settings, 
/**
 * Entries of the file that have no effect.
 */
ignored: Array<IgnoredSetting>, 
/**
 * Settings that the system did not apply.
 */
unmet: Array<UnappliedSetting>, file: string, 
/**
 * The user's home folder, which paths show as `~`.
 */
home: string | null, };

/**
 * A setting that the system did not apply.
 */
export type UnappliedSetting = { "setting": "start_at_login", why: UnappliedReason, } | { "setting": "global_shortcut", why: UnappliedReason, };

/**
 * Why the system did not apply a setting. The page chooses the words.
 */
export type UnappliedReason = { "why": "own_folder" } | { "why": "taken" } | { "why": "wayland" } | { "why": "system", 
/**
 * Its error message.
 */
error: string, };

/**
 * An item that needs the user: a question or a permission request, never both.
 */
export type PendingItem = { "what": "question", "id": RequestId } | { "what": "permission", "id": ApprovalId };

/**
 * The reason to notify the user now.
 */
export type Occasion = "asked" | "reminder" | "finished" | "budget";

/**
 * The result of the policy.
 */
export type NotificationDecision = { "decision": "notify", "why": NotificationContent } | { "decision": "badge_only", "why": SuppressedWhy } | { "decision": "suppressed", "why": SuppressedWhy } | { "decision": "nothing", "why": NotNeededWhy };

export type NotificationContent = "whole" | "private" | "summary";

export type SuppressedWhy = "never" | "paused" | "muted" | "subagent" | "quiet_hours" | "summary" | "burst";

export type NotNeededWhy = "before" | "ended" | "in_view" | "waits" | "unwanted";

export type ReadNotificationLog = Record<symbol, never>;

/**
 * The last decisions of this run, newest first.
 */
export type NotificationLogRead = { entries: Array<NotificationLogEntry>, };

/**
 * Whether the user was notified about something, and why.
 */
export type NotificationLogEntry = { at: Timestamp, 
/**
 * The session's name; empty for the daily budget.
 */
session: string, 
/**
 * The question or permission request; none for a finished turn and the daily budget.
 */
waiting: PendingItem | null, occasion: Occasion, decision: NotificationDecision, };

/**
 * An app whose agents can ask over the gateway.
 */
export type Client = "claude-code" | "codex" | "gemini-cli" | "opencode" | "cursor" | "vscode" | "copilot-cli" | "windsurf" | "antigravity" | "zed";

/**
 * What limits a connection whose entry is fine.
 */
export type Obstacle = "hooks_off" | "denied" | "differs" | "by_hand" | "background";

/**
 * Checks the programs whose agents can ask here. Only the user's own config files are read, no project files.
 */
export type ReadClients = Record<symbol, never>;

/**
 * Every program that is known, installed ones first.
 */
export type ClientsRead = { 
/**
 * The gateway's port; none while other programs can't ask.
 */
port: number | null, clients: Array<ClientRead>, };

/**
 * The status of one program.
 */
export type ClientRead = { client: Client, found: boolean, 
/**
 * Its config files that need an entry.
 */
files: Array<string>, 
/**
 * Whether one of the files has an entry of ours.
 */
connected: boolean, 
/**
 * Whether its agents' questions arrive while the gateway runs.
 */
way: ClientWay, 
/**
 * The program's own limit on how long a question may wait; none if it is unknown.
 */
limitSeconds: number | null, 
/**
 * When it last asked, as far as is known.
 */
lastQuestion: Timestamp | null, };

/**
 * Whether a program's questions arrive.
 */
export type ClientWay = { "way": "works", 
/**
 * Obstacles that don't stop them.
 */
but: Array<Obstacle>, } | { "way": "broken", why: ClientBreak, } | { "way": "not_connected" };

/**
 * Why a program's questions don't arrive. The page chooses the words.
 */
export type ClientBreak = { "why": "stale", file: string, } | { "why": "off", file: string, } | { "why": "foreign", file: string, } | { "why": "unusable", file: string, trouble: FileTrouble, } | { "why": "half", file: string, } | { "why": "forbidden", by: Obstacle, };

/**
 * Why a file of another program is not changed. The page chooses the words.
 */
export type FileTrouble = { "trouble": "unparsed", 
/**
 * The expected format.
 */
kind: string, 
/**
 * The parser's message.
 */
error: string, } | { "trouble": "no_object" } | { "trouble": "no_place", 
/**
 * The path, joined by dots.
 */
path: string, } | { "trouble": "twice", 
/**
 * The path, joined by dots.
 */
path: string, } | { "trouble": "no_text" } | { "trouble": "too_large" } | { "trouble": "read_only" } | { "trouble": "no_file" } | { "trouble": "outside", 
/**
 * The link's target.
 */
to: string, within: string, } | { "trouble": "dead_link" } | { "trouble": "unsafe" } | { "trouble": "changed" } | { "trouble": "system", 
/**
 * Its error message.
 */
error: string, };

/**
 * Asks the installed programs for their versions, which takes seconds.
 */
export type ReadClientVersions = Record<symbol, never>;

/**
 * The versions of the programs that answered in time.
 */
export type ClientVersions = { versions: Array<ClientVersion>, };

/**
 * The version of one program, as it reports it.
 */
export type ClientVersion = { client: Client, version: string, };

/**
 * Asks a program itself whether it uses our entry, which takes seconds.
 */
export type ConfirmClient = { client: Client, };

/**
 * What a program says about our entry.
 */
export type Confirmation = { "confirmation": "confirmed" } | { "confirmation": "unlisted" } | { "confirmation": "refused", 
/**
 * The program's own words.
 */
said: string, } | { "confirmation": "unasked" };

/**
 * Plans connecting or disconnecting a program. Nothing is written. The `requestId` names the plan.
 */
export type PlanClient = { requestId: CommandId, client: Client, goal: ClientGoal, };

export type ClientGoal = "connected" | "disconnected";

/**
 * The changes that connecting or disconnecting a program makes. Tokens are hidden.
 */
export type ClientPlan = { 
/**
 * Empty if everything is already as it should be.
 */
changes: Array<ClientChange>, notes: Array<ClientNote>, };

export type ClientChange = { file: string, becomes: FileBecomes, 
/**
 * A unified diff without file names; empty if only a token differs.
 */
diff: string, 
/**
 * Whether the diff was cut off because of its length.
 */
cut: boolean, 
/**
 * The path of the backup; none if none is made.
 */
copy: string | null, };

/**
 * What a change does to a file.
 */
export type FileBecomes = "made" | "changed" | "removed";

/**
 * What the user should know about a change. The page chooses the words.
 */
export type ClientNote = { "note": "open_to_others", file: string, } | { "note": "changed_since", file: string, copy: string, } | { "note": "by_hand", file: string, } | { "note": "old_copy", copy: string, } | { "note": "other_port", port: number, } | { "note": "no_command" } | { "note": "no_background", client: Client, };

/**
 * Carries out the plan that was shown last, and no other.
 */
export type ChangeClient = { requestId: CommandId, 
/**
 * The `requestId` of the command that made the plan.
 */
plan: CommandId, };

/**
 * Asks a test question the way other programs do.
 */
export type TestGateway = { requestId: CommandId, };

/**
 * A rule of the user's own.
 */
export type PermissionRule = { action: RuleAction, 
/**
 * The tool by the agent's name for it; `*` stands for any text.
 */
tool: string, 
/**
 * Which calls of the tool, in the agent's own notation; none means all.
 */
argument: string | null, 
/**
 * The folder whose sessions it reaches, subfolders included; none means every folder.
 */
folder: string | null, };

/**
 * What a rule does with a permission request that it matches.
 */
export type RuleAction = "deny" | "ask";

/**
 * The user's rules, in the order in which they were added.
 */
export type PermissionRules = PermissionRule[];

/**
 * Why a permission rule can't be used as written.
 */
export type PermissionRuleError = { "rule": "no_action" } | { "rule": "no_tool" } | { "rule": "empty" } | { "rule": "too_long", 
/**
 * The upper bound, in bytes.
 */
most: number, bytes: number, } | { "rule": "control_character" } | { "rule": "relative_folder" } | { "rule": "unknown_key", key: string, };

/**
 * Lists what was always allowed and is in force, in the agents' own files and in running sessions.
 */
export type ReadPermissions = Record<symbol, never>;

export type PermissionsRead = { standing: Array<StandingPermission>, unreadable: Array<UnreadablePermissions>, };

/**
 * Something that an agent does without asking.
 */
export type StandingPermission = { agent: AgentId, label: OptionLabel, scope: OptionScope, 
/**
 * The folder that it reaches; none if it reaches all.
 */
folder: string | null, 
/**
 * A session in which its file can be opened, or to which it is limited.
 */
session: SessionId, 
/**
 * Where it is written; none if the agent keeps it in memory until the session ends.
 */
written: WrittenPermission | null, 
/**
 * The newest decision by which it was allowed; none if it wasn't allowed here.
 */
allowed: AllowedPermission | null, };

/**
 * The place of a permission in an agent's file.
 */
export type WrittenPermission = { file: string, text: string, };

/**
 * The decision that allowed something for good.
 */
export type AllowedPermission = { approval: ApprovalId, session: SessionId, name: string, at: Timestamp, };

/**
 * A file whose permissions are not known.
 */
export type UnreadablePermissions = { agent: AgentId, session: SessionId, file: string, trouble: FileTrouble, };

/**
 * Plans the removal of a listed permission. Nothing is written. The `requestId` names the plan.
 */
export type PlanPermissionRemoval = { requestId: CommandId, written: WrittenPermission, };

/**
 * The change that removes a permission from its file.
 */
export type PermissionRemoval = { 
/**
 * None if it is gone already.
 */
change: ClientChange | null, };

/**
 * Carries out the removal that was shown last, and no other.
 */
export type RemovePermission = { requestId: CommandId, 
/**
 * The `requestId` of the command that made the plan.
 */
plan: CommandId, };

/**
 * A program that a folder or a file can be opened in. Within its kind, an earlier one is preferred.
 */
export type Program = "editor_command" | "vscode" | "cursor" | "zed" | "idea" | "webstorm" | "pycharm" | "goland" | "rustrover" | "clion" | "phpstorm" | "rubymine" | "rider" | "neovim" | "vim" | "terminal_command" | "gnome_terminal" | "konsole" | "kitty" | "wezterm" | "alacritty" | "iterm" | "mac_terminal" | "windows_terminal" | "xterm" | "file_manager";

/**
 * Finds the programs that folders and files can be opened in.
 */
export type ListPrograms = Record<symbol, never>;

export type ProgramsFound = { 
/**
 * The installed ones; within a kind, the first one is preferred.
 */
programs: Array<Program>, };

/**
 * Opens a session's folder, or a path in it, in another program.
 */
export type OpenIn = { requestId: CommandId, session: SessionId, program: Program, 
/**
 * Relative to the session's folder, or absolute; without one, the folder itself.
 */
path: string | null, 
/**
 * The line of a file, from 1.
 */
line: number | null, };

/**
 * Continues a session with the agent's own program in a terminal.
 */
export type ContinueInTerminal = { requestId: CommandId, session: SessionId, 
/**
 * Whether the session is ended here if it runs. Two programs must not write one conversation.
 */
endRunning: boolean, };

/**
 * Reports what the window shows, so that nobody is notified about what they are looking at.
 */
export type NoteView = { 
/**
 * The session in view; none on the start screen.
 */
session: SessionId | null, focused: boolean, };

/**
 * Reports that something was painted, for measurements.
 */
export type NotePainted = { 
/**
 * The request; none is the window's first paint.
 */
request: RequestId | null, 
/**
 * The time on the page's clock, because the report itself takes time.
 */
at: Timestamp, };

/**
 * Everything that the page shows first, in one message.
 */
export type PageStart = { 
/**
 * What the page's subscription begins with; later frames follow it.
 */
snapshot: Frame, 
/**
 * Without the settings that the system did not apply, which takes longer to find out.
 */
settings: SettingsRead, 
/**
 * None if the search takes longer than the first picture may wait.
 */
agents: AgentsFound | null, drafts: DraftsRead, 
/**
 * The newest entries of the session that is shown first; none without a session.
 */
transcript: FirstTranscript | null, };

/**
 * The newest entries of the session that is shown first.
 */
export type FirstTranscript = { session: SessionId, page: TranscriptPage, };

/**
 * The command was carried out.
 */
export type Done = Record<symbol, never>;

/**
 * The kind of an entry, without its content.
 */
export type EntryKind = "user" | "agent" | "thinking" | "tool" | "request" | "copied_question" | "approval" | "plan" | "notice" | "turn_ended";

/**
 * Searches the entries of all sessions.
 */
export type SearchHistory = { 
/**
 * Words or beginnings of words that an entry must contain; quotes make a phrase.
 */
query: string, 
/**
 * The most hits to return.
 */
limit: number, 
/**
 * How many of the best hits to skip.
 */
offset: number, };

/**
 * Search hits, newest first.
 */
export type HistoryFound = { hits: Array<SearchHit>, more: boolean, };

/**
 * An entry that matches a search, with the text around the match. All of it is plain text, never markup.
 */
export type SearchHit = { session: SessionId, name: string, folder: string, 
/**
 * The entry's position in the transcript.
 */
n: number, 
/**
 * When the entry was first written.
 */
at: Timestamp, kind: EntryKind, 
/**
 * The text before the match.
 */
before: string, match: string, 
/**
 * The text after the match.
 */
after: string, };

export type ReadPastSessions = Record<symbol, never>;

/**
 * The past sessions, oldest first.
 */
export type PastSessions = { sessions: Array<Session>, };

export type ExportFormat = "markdown" | "json";

/**
 * Writes a session to a file that the user chooses.
 */
export type SaveExport = { session: SessionId, format: ExportFormat, };

export type SavedExport = { 
/**
 * The file; none if the user chose none.
 */
path: string | null, };

/**
 * Deletes an ended session permanently: its transcript, questions and answers.
 */
export type DeleteSession = { requestId: CommandId, session: SessionId, };

/**
 * The kind of an outcome, without its content.
 */
export type OutcomeKind = "answered" | "declined" | "replied_in_chat" | "expired" | "withdrawn" | "orphaned";

/**
 * Selects ended requests.
 */
export type QuestionsWanted = { 
/**
 * Words that the request must contain, as in a search; blank matches all.
 */
query: string, 
/**
 * None matches every session.
 */
session: SessionId | null, 
/**
 * Empty matches every outcome.
 */
outcomes: Array<OutcomeKind>, };

/**
 * Searches ended requests.
 */
export type SearchQuestions = { wanted: QuestionsWanted, 
/**
 * The most requests to return.
 */
limit: number, 
/**
 * How many of the newest to skip.
 */
offset: number, };

/**
 * Ended requests, newest first.
 */
export type QuestionsFound = { questions: Array<PastQuestion>, more: boolean, 
/**
 * The number of all matches.
 */
count: number, 
/**
 * How many of this page can't be read.
 */
unreadable: number, 
/**
 * How many of all matches were answered.
 */
answered: number, 
/**
 * The median time from asked to answered over all answered matches, in milliseconds; none if there are none.
 */
medianMillis: number | null, };

/**
 * An ended request and the session it belongs to.
 */
export type PastQuestion = { name: string, folder: string, origin: Origin, request: Request, 
/**
 * What the agent said next, if it didn't wait for the answer.
 */
wentOn?: string, };

/**
 * The start of each day, followed by the end of the last one. The caller knows the time zone; a day can have 23 or 25 hours.
 */
export type DayBounds = Array<number>;

export type AnswerTimeCount = { 
/**
 * The longest time of the group, in milliseconds; none for the group of all longer times.
 */
upTo: number | null, count: number, };

/**
 * Counts the ended requests of some days.
 */
export type CountQuestions = { wanted: QuestionsWanted, days: DayBounds, };

/**
 * The numbers of ended requests that were asked on some days.
 */
export type QuestionTotals = { 
/**
 * The answered ones by their time to answer, shortest first; every group has an entry.
 */
answerTimes: Array<AnswerTimeCount>, 
/**
 * The median time to answer, in milliseconds; none if none was answered.
 */
medianMillis: number | null, };

export type QuestionsFormat = "csv" | "json";

/**
 * Writes the selected requests to a file that the user chooses.
 */
export type SaveQuestions = { wanted: QuestionsWanted, format: QuestionsFormat, };

/**
 * The sums over all changed files.
 */
export type ChangeTotals = { files: number, added: number, removed: number, 
/**
 * Differs once any of the files changes again, even if the sums stay the same.
 */
state: number, };

/**
 * How a file has changed since the session began.
 */
export type ChangeKind = "added" | "modified" | "deleted" | "renamed" | "permissions";

/**
 * What a changed file holds, as far as it can be shown.
 */
export type Content = "text" | "binary" | "link" | "repository" | "too_large" | "over_budget" | "lfs" | "in_repository" | "uncounted";

export type ChangedFile = { 
/**
 * The path below the session's folder, with bytes that are not UTF-8 as percent codes.
 */
id: string, 
/**
 * The same path for people to read.
 */
path: string, 
/**
 * The path it had before, if it was renamed.
 */
oldPath: string | null, kind: ChangeKind, content: Content, 
/**
 * Lines; none where they can't be counted.
 */
added: number | null, removed: number | null, 
/**
 * Names both sides; it differs once the file changes again.
 */
version: string, };

/**
 * The files that have changed since the session began.
 */
export type ChangedFiles = { 
/**
 * Ordered by path.
 */
files: Array<ChangedFile>, totals: ChangeTotals, 
/**
 * How many more files have changed than are listed.
 */
unlisted: number, 
/**
 * How many files can't be read, so that their changes are unknown.
 */
unreadable: number, 
/**
 * The files whose contents are not recorded, by the reason.
 */
unrecorded: Array<Unrecorded>, 
/**
 * The folder's repository, if git refused it when the session began because it belongs to another user. The folder was
 * recorded without it.
 */
repositoryOfOther: string | null, };

/**
 * Why a file's content is not recorded. It is then compared by its size and time.
 */
export type WhyUnrecorded = "too_large" | "over_budget" | "lfs" | "in_repository";

/**
 * Files whose contents are not recorded.
 */
export type Unrecorded = { why: WhyUnrecorded, files: number, 
/**
 * The first ones of them, for people to read.
 */
paths: Array<string>, };

/**
 * A run of lines that are the same on both sides, or differ.
 */
export type DiffPart = { "part": "same", lines: Array<string>, } | { "part": "changed", removed: Array<string>, added: Array<string>, };

/**
 * What is known about one side of a file that is not shown as text.
 */
export type Side = { bytes: number | null, 
/**
 * The commit of a repository inside the folder.
 */
commit: string | null, };

/**
 * Both sides of a changed file.
 */
export type FileChange = { file: ChangedFile, 
/**
 * The whole file; empty if it is not text.
 */
parts: Array<DiffPart>, 
/**
 * Whether some bytes are not UTF-8 and are shown as replacement characters.
 */
lossy: boolean, 
/**
 * Whether some lines are so long that only their beginning is shown.
 */
cut: boolean, 
/**
 * Whether the last line has no line break, before and now.
 */
unfinishedBefore: boolean, unfinishedNow: boolean, before: Side | null, now: Side | null, };

/**
 * A run of lines that differ, as it was shown.
 */
export type ShownPart = { 
/**
 * Its place among the file's parts.
 */
part: number, 
/**
 * How many lines it removes and adds.
 */
removed: number, added: number, };

/**
 * Why the changes of a session can't be shown.
 */
export type Unavailable = { "unavailable": "no_git" } | { "unavailable": "no_baseline" } | { "unavailable": "folder_gone" } | { "unavailable": "too_many_files", most: number, } | { "unavailable": "timed_out", seconds: number, } | { "unavailable": "baseline_lost" } | { "unavailable": "outdated" } | { "unavailable": "failed", error: string, };

export type RevertRefused = { "refused": "unavailable", why: Unavailable, } | { "refused": "changed_since" } | { "refused": "exists", path: string, } | { "refused": "not_recorded" } | { "refused": "not_a_folder", path: string, } | { "refused": "failed", error: string, };

/**
 * What is checked out in a folder.
 */
export type Head = { "head": "branch", name: string, } | { "head": "detached", 
/**
 * The beginning of its id.
 */
commit: string, };

/**
 * What is checked out in a session's folder. It is never journaled.
 */
export type SessionHead = { session: SessionId, head: Head, };

/**
 * An attempt that a session's agent waits for. It is never journaled.
 */
export type SessionRetry = { session: SessionId, retry: Retry, };

/**
 * The disk refuses what is to be stored. It is tried again until it accepts everything.
 */
export type StorageOutage = { error: StorageError, 
/**
 * How many entries of transcripts wait. They are shown once they are stored.
 */
entries: number, 
/**
 * How many entries were lost because too much waits.
 */
lost: number, };

/**
 * The next attempt at a call of the model.
 */
export type Retry = { 
/**
 * Its number, where the agent counts; the first retry is 1.
 */
attempt: number | null, of: number | null, 
/**
 * Why the attempt before failed, in the agent's words.
 */
reason: string, 
/**
 * When it begins, if that is known.
 */
at: Timestamp | null, };

/**
 * A worktree of a repository, with the branch that was made for it.
 */
export type Worktree = { 
/**
 * The folder that stands for the repository: its main worktree, or the bare repository.
 */
repository: string, 
/**
 * The top of the worktree; the session's folder is this one, or below it.
 */
path: string, branch: string, 
/**
 * The branch that it began at, and is merged into.
 */
base: string, };

/**
 * A line for a shell. The empty text is no command.
 */
export type SetupCommand = string;

/**
 * A new worktree as it would be made, and what is wrong with it.
 */
export type WorktreePlan = { 
/**
 * The folder that stands for the repository: its main worktree, or the bare repository.
 */
repository: string, 
/**
 * What is checked out in the folder.
 */
head: Head, 
/**
 * The branch that the new one begins at.
 */
base: string, branch: string, path: string, 
/**
 * The local branches, the one with the newest commit first.
 */
branches: Array<string>, 
/**
 * How many more branches there are.
 */
unlisted: number, 
/**
 * Whether the repository has submodules, which are empty in a new worktree.
 */
submodules: boolean, 
/**
 * What is wrong, at most one thing a field.
 */
flaws: Array<PlanFlaw>, };

/**
 * What is wrong with a planned worktree.
 */
export type PlanFlaw = { "flaw": "base_gone", base: string, } | { "flaw": "branch_invalid" } | { "flaw": "branch_too_long", most: number, } | { "flaw": "branch_taken", with: string, } | { "flaw": "path_relative" } | { "flaw": "path_invalid" } | { "flaw": "path_too_long", most: number, } | { "flaw": "path_taken" } | { "flaw": "path_in_git_dir" };

/**
 * Why a folder can have no new worktree.
 */
export type WorktreeUnavailable = { "unavailable": "no_git" } | { "unavailable": "folder_gone" } | { "unavailable": "no_repository" } | { "unavailable": "of_other_user", path: string, } | { "unavailable": "no_commit" } | { "unavailable": "timed_out", seconds: number, } | { "unavailable": "failed", error: string, };

/**
 * Why a worktree was left as it was, or what was done of it and what was not.
 */
export type WorktreeRefused = { "refused": "unavailable", why: WorktreeUnavailable, } | { "refused": "flawed", flaw: PlanFlaw, } | { "refused": "blocked", why: Blocked, } | { "refused": "changed" } | { "refused": "would_lose", losses: Array<Loss>, } | { "refused": "uncommitted" } | { "refused": "nested_repositories", folders: Array<string>, } | { "refused": "conflict", files: Array<string>, } | { "refused": "in_the_way", folder: string, files: Array<string>, } | { "refused": "base_busy", folder: string, } | { "refused": "git_too_old", needed: string, } | { "refused": "failed", error: string, } | { "refused": "branch_left", branch: string, } | { "refused": "after_commit", why: WorktreeRefused, };

/**
 * The worktree of a session, as it is shown before something is done with it.
 */
export type WorktreeState = { 
/**
 * Stands for all of this. Whoever wants to change something returns it, and is refused if it has changed.
 */
seen: string, path: string, 
/**
 * What is checked out; none if the folder is gone.
 */
head: Head | null, base: string, 
/**
 * The folder in which the base is checked out.
 */
baseFolder: string | null, 
/**
 * Changes of files that git knows.
 */
uncommitted: Listed, untracked: Listed, 
/**
 * Ignored files and folders.
 */
ignored: Listed, 
/**
 * Submodules that have been cloned into the worktree.
 */
submodules: Listed, 
/**
 * Commits that are not in the base; of a detached head, those that are in no branch.
 */
commits: Listed, 
/**
 * How many commits of the base are not in the branch.
 */
behind: number, 
/**
 * What stops each action; none if it is possible.
 */
merge: Blocked | null, rebase: Blocked | null, remove: Blocked | null, 
/**
 * What is lost with the folder.
 */
losses: Array<Loss>, };

/**
 * How many things there are, and the first of them.
 */
export type Listed = { count: number, first: Array<string>, };

/**
 * What would be lost with the folder of a worktree.
 */
export type Loss = "uncommitted" | "untracked" | "submodules" | "detached_commits" | "in_progress" | "unmerged_commits";

/**
 * Why an action is not possible now.
 */
export type Blocked = { "blocked": "folder_gone" } | { "blocked": "not_a_worktree" } | { "blocked": "detached" } | { "blocked": "base_gone", base: string, } | { "blocked": "is_base" } | { "blocked": "nothing_to_merge" } | { "blocked": "up_to_date" } | { "blocked": "merge_commits" } | { "blocked": "in_progress" } | { "blocked": "locked", 
/**
 * Why, in the words of whoever locked it; may be empty.
 */
reason: string, } | { "blocked": "working" } | { "blocked": "agent_runs" } | { "blocked": "in_use", sessions: Array<string>, };

/**
 * What happens to the branch of a worktree that is removed.
 */
export type BranchFate = "stays" | "deleted_if_merged" | "deleted";

/**
 * Plans a new worktree for a session in a folder. What is left out is suggested.
 */
export type PlanWorktree = { folder: string, 
/**
 * The first message of the session, from which the branch is suggested.
 */
message: string, base: string | null, branch: string | null, path: string | null, };

export type PlannedWorktree = { plan: WorktreePlan, 
/**
 * As it was used last; empty if there is none.
 */
setup: SetupCommand, };

/**
 * The worktree that a session starts in.
 */
export type StartWorktree = { base: string, branch: string, path: string, 
/**
 * Runs in the new worktree before the agent starts, and is kept for the next one.
 */
setup: SetupCommand, 
/**
 * Whether an earlier start may have made it; then it is used as it is.
 */
made: boolean, };

/**
 * Reads what the worktree of a session holds.
 */
export type ReadWorktree = { session: SessionId, };

/**
 * Merges the branch of a session's worktree into its base.
 */
export type MergeWorktree = { requestId: CommandId, session: SessionId, 
/**
 * The state that was shown.
 */
seen: string, 
/**
 * Commits everything first, with this message.
 */
message: string | null, };

/**
 * Rebases the branch of a session's worktree onto its base.
 */
export type RebaseWorktree = { requestId: CommandId, session: SessionId, 
/**
 * The state that was shown.
 */
seen: string, 
/**
 * Commits everything first, with this message.
 */
message: string | null, };

/**
 * Removes the worktree of a session. The session stays.
 */
export type RemoveWorktree = { requestId: CommandId, session: SessionId, 
/**
 * The state that was shown.
 */
seen: string, 
/**
 * What the user agreed to lose.
 */
losses: Array<Loss>, branch: BranchFate, };

/**
 * Lists the files that have changed in a session's folder since the session began.
 */
export type ListChanges = { session: SessionId, };

/**
 * Reads both sides of a file as it was listed last.
 */
export type ReadChange = { session: SessionId, id: string, version: string, };

/**
 * Puts back what a file held when the session began, if the file still holds what was shown.
 */
export type RevertChange = { requestId: CommandId, session: SessionId, id: string, version: string, 
/**
 * Only this run of its lines; none reverts the whole file.
 */
part: ShownPart | null, };

/**
 * Adds up what a session used. The answer is all zeros for a session without a finished turn.
 */
export type ReadSessionUsage = { session: SessionId, };

/**
 * Adds up what was used on some days, in deleted sessions too.
 */
export type CountUsage = { 
/**
 * Counts only this session; none counts all.
 */
session: SessionId | null, days: DayBounds, };

export type UsageOfDays = { days: Array<UsageSum>, };

/**
 * Asks an idle agent to make its context smaller.
 */
export type CompactSession = { requestId: CommandId, session: SessionId, };

/**
 * Takes over what can be read of a database that was set aside as damaged.
 */
export type RecoverDatabase = { 
/**
 * Its path, as in the notice.
 */
kept: string, };

export type DatabaseRecovered = { 
/**
 * How many sessions were taken over.
 */
sessions: number, 
/**
 * Whether all of the file could be read.
 */
complete: boolean, };

/**
 * Notes that the user has dealt with a storage problem, so that it is not shown again.
 */
export type SettleStorage = { notice: StorageNotice, };

/**
 * A draft for a request: choices, texts, and the question that was shown.
 */
export type Draft = { 
/**
 * The index of the visible question; the number of questions means the summary.
 */
active: number, 
/**
 * The drafts of its questions; an untouched question has none.
 */
answers: Array<DraftAnswer>, 
/**
 * Whether the decline form is open.
 */
declining: boolean, 
/**
 * The message to the agent in that form.
 */
words: string, };

/**
 * The draft of one question; stored as it is, even if it would not be a valid answer.
 */
export type DraftAnswer = { question: QuestionId, chosen: Array<OptionId>, otherChosen: boolean, 
/**
 * The user's own answer, kept even while something else is chosen.
 */
other: string, note: string, };

export type ApprovalDraft = { form: ApprovalForm, 
/**
 * The message to the agent that goes with a denial.
 */
message: string, 
/**
 * The chosen options; none while the user has not touched them.
 */
options: Array<ApprovalOptionId> | null, 
/**
 * The plan as the user edited it; none while it is unchanged.
 */
plan: string | null, };

/**
 * The form of an approval that is open.
 */
export type ApprovalForm = "none" | "options" | "message" | "plan";

export type DraftTarget = { "of": "request", id: RequestId, draft: Draft, } | { "of": "approval", id: ApprovalId, draft: ApprovalDraft, };

/**
 * Saves a draft in place of the one before; a blank draft deletes it. A save that arrives after a later one of the same
 * page changes nothing.
 */
export type SaveDraft = { 
/**
 * The page's own id, which it keeps from load to unload.
 */
page: CommandId, 
/**
 * Counts the page's saves.
 */
n: number, 
/**
 * Answers to secret questions in it are not saved.
 */
draft: DraftTarget, };

export type ReadDrafts = Record<symbol, never>;

/**
 * All drafts, the one saved last first.
 */
export type DraftsRead = { drafts: Array<DraftTarget>, };

/**
 * Why a command failed; a consumer branches on the code, and the screen chooses the words.
 */
export type ErrorCode = "not_found" | "already_ended" | "invalid" | "session_gone" | "unsupported" | "agent_refused" | "agent_missing" | "folder_missing" | "not_started" | "storage_busy" | "storage_full" | "storage" | "storage_unread" | "settings_not_written" | "extras_changed" | "closing" | "file_not_written" | "attachment_gone" | "gateway_closed" | "test_failed" | "client_file_left" | "plan_gone" | "not_opened" | "changes_unavailable" | "not_reverted" | "worktree_unavailable" | "worktree_refused";

/**
 * Why a command failed.
 */
export type Error = { 
/**
 * What a consumer branches on.
 */
code: ErrorCode, 
/**
 * What happened, in plain words.
 */
message: string, 
/**
 * Whether the same command may work later.
 */
retryable: boolean, 
/**
 * Stands beside the same failure in the app's log.
 */
traceId: string, 
/**
 * The field that breaks a rule.
 */
field: string | null, ended: EndedElsewhere | null, 
/**
 * What belongs to the code, where the screen can say more than the code alone; the message says it in English.
 */
detail?: Detail, };

/**
 * Who or what had ended a request before the command came.
 */
export type EndedElsewhere = { by: EndedBy, at: Timestamp, };

/**
 * What belongs to the code of an error; the words are chosen by the screen.
 */
export type Detail = { "detail": "validation", error: ValidationError, } | { "detail": "folder", path: string, problem: FolderError, } | { "detail": "file", 
/**
 * Which; none where it has no path here.
 */
path: string | null, error: string, } | { "detail": "client_file", file: string, trouble: FileTrouble, } | { "detail": "storage", trouble: StorageError, } | { "detail": "unopened", why: OpenError, } | { "detail": "agent", why: AgentFailure, } | { "detail": "refused", why: ChangeRefused, } | { "detail": "changes", why: Unavailable, } | { "detail": "not_reverted", why: RevertRefused, } | { "detail": "no_worktree", why: WorktreeUnavailable, } | { "detail": "worktree", why: WorktreeRefused, } | { "detail": "unable", what: UnsupportedFeature, };

/** Every command of the bridge: what it takes and what it gives. */
export interface CommandMap {
  answer_question: { input: AnswerQuestion; output: Request };
  hold_end: { input: HoldEnd; output: Done };
  undo_end: { input: UndoEnd; output: Done };
  decline_question: { input: DeclineQuestion; output: Request };
  cancel_question: { input: CancelQuestion; output: Request };
  retry_delivery: { input: RetryDelivery; output: Request };
  dismiss_request: { input: DismissRequest; output: Request };
  decide_approval: { input: DecideApproval; output: Approval };
  start_session: { input: StartSession; output: Session };
  fork_session: { input: ForkSession; output: Session };
  send_message: { input: SendMessage; output: Done };
  attach_image: { input: AttachImage; output: AttachedFiles };
  attach_text: { input: AttachText; output: AttachedFiles };
  discard_attachments: { input: DiscardAttachments; output: Done };
  queue_message: { input: QueueMessage; output: Session };
  edit_queued: { input: EditQueued; output: Session };
  remove_queued: { input: RemoveQueued; output: Session };
  send_queued: { input: SendQueued; output: Done };
  interrupt_session: { input: InterruptSession; output: Done };
  stop_helper: { input: StopHelper; output: Done };
  read_helper_output: { input: ReadHelperOutput; output: HelperOutput };
  stop_session: { input: StopSession; output: Done };
  compact_session: { input: CompactSession; output: Done };
  rename_session: { input: RenameSession; output: Session };
  change_folder: { input: ChangeFolder; output: Session };
  set_session_notifications: { input: SetSessionNotifications; output: Session };
  move_session: { input: MoveSession; output: Done };
  close_session: { input: CloseSession; output: Done };
  resume_session: { input: ResumeSession; output: Session };
  set_config: { input: SetConfig; output: Done };
  list_commands: { input: ListCommands; output: CommandsListed };
  find_files: { input: FindFiles; output: FilesFound };
  list_agents: { input: ListAgents; output: AgentsFound };
  read_agent_version: { input: ReadAgentVersion; output: AgentVersion };
  list_files_since: { input: ListFilesSince; output: FilesSinceRead };
  read_sign_in: { input: ReadSignIn; output: SignInRead };
  sign_in: { input: SignIn; output: Done };
  list_own_sessions: { input: ListOwnSessions; output: OwnSessionsFound };
  read_environment: { input: ReadEnvironment; output: EnvironmentRead };
  read_transcript: { input: ReadTranscript; output: TranscriptPage };
  read_log: { input: ReadLog; output: SessionLog };
  read_settings: { input: ReadSettings; output: SettingsRead };
  change_setting: { input: ChangeSetting; output: SettingsRead };
  recover_database: { input: RecoverDatabase; output: DatabaseRecovered };
  settle_storage: { input: SettleStorage; output: Done };
  read_update: { input: ReadUpdate; output: UpdateRead };
  check_for_update: { input: CheckForUpdate; output: UpdateRead };
  install_update: { input: InstallUpdate; output: UpdateRead };
  cancel_update: { input: CancelUpdate; output: UpdateRead };
  set_update_aside: { input: SetUpdateAside; output: UpdateRead };
  read_notification_log: { input: ReadNotificationLog; output: NotificationLogRead };
  read_clients: { input: ReadClients; output: ClientsRead };
  read_client_versions: { input: ReadClientVersions; output: ClientVersions };
  confirm_client: { input: ConfirmClient; output: Confirmation };
  plan_client: { input: PlanClient; output: ClientPlan };
  change_client: { input: ChangeClient; output: Done };
  test_gateway: { input: TestGateway; output: Done };
  read_permissions: { input: ReadPermissions; output: PermissionsRead };
  plan_permission_removal: { input: PlanPermissionRemoval; output: PermissionRemoval };
  remove_permission: { input: RemovePermission; output: Done };
  list_programs: { input: ListPrograms; output: ProgramsFound };
  open_in: { input: OpenIn; output: Done };
  continue_in_terminal: { input: ContinueInTerminal; output: Done };
  note_view: { input: NoteView; output: Done };
  note_painted: { input: NotePainted; output: Done };
  search_history: { input: SearchHistory; output: HistoryFound };
  read_past_sessions: { input: ReadPastSessions; output: PastSessions };
  save_export: { input: SaveExport; output: SavedExport };
  search_questions: { input: SearchQuestions; output: QuestionsFound };
  count_questions: { input: CountQuestions; output: QuestionTotals };
  save_questions: { input: SaveQuestions; output: SavedExport };
  read_session_usage: { input: ReadSessionUsage; output: SessionUsage };
  count_usage: { input: CountUsage; output: UsageOfDays };
  delete_session: { input: DeleteSession; output: Done };
  list_changes: { input: ListChanges; output: ChangedFiles };
  read_change: { input: ReadChange; output: FileChange };
  revert_change: { input: RevertChange; output: Done };
  plan_worktree: { input: PlanWorktree; output: PlannedWorktree };
  read_worktree: { input: ReadWorktree; output: WorktreeState };
  merge_worktree: { input: MergeWorktree; output: Done };
  rebase_worktree: { input: RebaseWorktree; output: Done };
  remove_worktree: { input: RemoveWorktree; output: Done };
  save_draft: { input: SaveDraft; output: Done };
  read_drafts: { input: ReadDrafts; output: DraftsRead };
}

/** Every setting but those of an agent, in the order of the settings window. */
export const settingDescriptors = [
  {"id":"language","category":"appearance","kind":"choice","choices":["system","en","zh","de"]},
  {"id":"theme","category":"appearance","kind":"choice","choices":["system","light","dark"]},
  {"id":"text_size","category":"appearance","kind":"number","least":80,"most":200},
  {"id":"density","category":"appearance","kind":"choice","choices":["comfortable","compact"]},
  {"id":"notify_questions","category":"notifications","kind":"choice","choices":["unseen","never"]},
  {"id":"notify_subagents","category":"notifications","kind":"choice","choices":["on","off"]},
  {"id":"notify_finished","category":"notifications","kind":"choice","choices":["off","on"]},
  {"id":"daily_budget","category":"notifications","kind":"number","least":0,"most":10000},
  {"id":"paused_until","category":"notifications","kind":"pause"},
  {"id":"quiet_hours","category":"notifications","kind":"hours"},
  {"id":"remind_minutes","category":"notifications","kind":"number_choice","choices":[0,5,15,60]},
  {"id":"notify_sound","category":"notifications","kind":"choice","choices":["off","on"]},
  {"id":"quick_answer","category":"questions","kind":"choice","choices":["on","off"]},
  {"id":"undo_seconds","category":"questions","kind":"number","least":1,"most":30},
  {"id":"auto_advance","category":"questions","kind":"choice","choices":["on","off"]},
  {"id":"on_close","category":"window","kind":"choice","choices":["keep_running","quit"]},
  {"id":"start_at_login","category":"window","kind":"choice","choices":["off","on"]},
  {"id":"global_shortcut","category":"window","kind":"shortcut"},
  {"id":"editor","category":"open_in","kind":"choice","choices":["auto","editor_command","vscode","cursor","zed","idea","webstorm","pycharm","goland","rustrover","clion","phpstorm","rubymine","rider","neovim","vim"]},
  {"id":"editor_command","category":"open_in","kind":"command","placeholders":["file","line","column"]},
  {"id":"terminal","category":"open_in","kind":"choice","choices":["auto","terminal_command","gnome_terminal","konsole","kitty","wezterm","alacritty","iterm","mac_terminal","windows_terminal","xterm"]},
  {"id":"terminal_command","category":"open_in","kind":"command","placeholders":["folder","command"]},
  {"id":"permission_rules","category":"permissions","kind":"rules"},
  {"id":"keep_days","category":"data","kind":"number_choice","choices":[0,30,90,365]},
  {"id":"check_updates","category":"updates","kind":"choice","choices":["on","off"]},
] as const;
