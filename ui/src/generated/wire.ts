// Generated from the Rust types by `cargo xtask wire`. Do not edit.

/**
 * Names one request: one call of an agent with its questions (UUIDv7, so that ids sort by age).
 */
export type RequestId = string;

/**
 * Names one session of one agent (UUIDv7).
 */
export type SessionId = string;

/**
 * Names one approval an agent waits for (UUIDv7).
 */
export type ApprovalId = string;

/**
 * Names one command of a caller, so that sending it twice does it once.
 */
export type CommandId = string;

/**
 * The agent's own id of a call; unique within its session.
 */
export type NativeRef = string;

/**
 * A question's place in its request, counted from 1; written `q1`.
 */
export type QuestionId = string;

/**
 * An option's place in its question, counted from 1; written `q1o2`, so an id of another question never fits.
 */
export type OptionId = string;

/**
 * A moment, in milliseconds since the Unix epoch.
 */
export type Timestamp = number;

/**
 * How a question is answered.
 */
export type QuestionKind = "single" | "multi" | "text" | "confirm" | "secret";

/**
 * One option of a question.
 */
export type QuestionOption = { 
/**
 * Minted from the option's place, so the same question gets the same ids again.
 */
id: OptionId, 
/**
 * The label verbatim, a "(Recommended)" suffix included: it is what the agent gets back.
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
 * One question of a request.
 */
export type Question = { 
/**
 * Minted from the question's place.
 */
id: QuestionId, 
/**
 * The question's text verbatim.
 */
text: string, 
/**
 * A short name of the question; whole here, shortened on screen.
 */
header: string | null, 
/**
 * How it is answered.
 */
kind: QuestionKind, 
/**
 * The options in the agent's order, without the agent's own "Other".
 */
options: Array<QuestionOption>, 
/**
 * Whether own words are a possible answer beside the options.
 */
allowsOther: boolean, 
/**
 * The description of the agent's own "Other" option, where it sent one.
 */
otherDescription: string | null, 
/**
 * Whether the agent said that it cannot go on without this one.
 */
required: boolean, 
/**
 * What stands in the empty text field.
 */
placeholder: string | null, };

/**
 * The answer to one question as a caller sends it.
 */
export type AnswerInput = { 
/**
 * The question that is answered.
 */
question: QuestionId, 
/**
 * The chosen options in any order; none where only words were given, or nothing at all.
 */
chosen: Array<OptionId>, 
/**
 * The person's own words; blank counts as none.
 */
other: string | null, 
/**
 * A note on the choice; blank counts as none.
 */
note: string | null, };

/**
 * An answer that goes to the agent in a moment, unless it is taken back.
 */
export type HeldAnswer = { 
/**
 * The request it answers.
 */
request: RequestId, 
/**
 * What was answered.
 */
answers: Array<AnswerInput>, 
/**
 * When the person gave it.
 */
since: Timestamp, 
/**
 * When it goes.
 */
until: Timestamp, 
/**
 * Why it could not go then; it goes when the person sends it again.
 */
error: Undelivered | null, };

/**
 * The answer to one question, checked: it says something.
 */
export type Answer = { 
/**
 * The question that is answered.
 */
question: QuestionId, 
/**
 * The chosen options, in the question's order.
 */
chosen: Array<OptionId>, 
/**
 * The person's own words; a secret's are left out wherever an answer is kept.
 */
other: string | null, 
/**
 * A note on the choice.
 */
note: string | null, 
/**
 * Whether a secret was given; its words travel to the agent alone.
 */
secretGiven: boolean, };

/**
 * The answers of one request, in the order of its questions; a question that is missing was not answered.
 */
export type Answers = Array<Answer>;

/**
 * A deadline somebody set on a request, and nothing sets by itself.
 */
export type Limit = { 
/**
 * When it passes.
 */
at: Timestamp, 
/**
 * What happens then, in the words of whoever set it.
 */
then: string, };

/**
 * One call of an agent with its questions.
 */
export type Request = { 
/**
 * Our id of the request.
 */
id: RequestId, 
/**
 * The session that asked.
 */
session: SessionId, 
/**
 * The agent's own id of the call.
 */
nativeRef: NativeRef, 
/**
 * The subagent or client that asks, where it is not the session itself.
 */
askedBy: string | null, 
/**
 * At least one question.
 */
questions: Array<Question>, 
/**
 * When it was asked.
 */
askedAt: Timestamp, 
/**
 * A deadline, if one was set.
 */
limit: Limit | null, 
/**
 * Open, or how it ended.
 */
state: RequestState, };

/**
 * Whether a request waits or has ended.
 */
export type RequestState = { "state": "open" } | { "state": "ended" } & Ended;

/**
 * The one end of a request.
 */
export type Ended = { 
/**
 * How it ended.
 */
outcome: Outcome, 
/**
 * When it ended.
 */
at: Timestamp, 
/**
 * How far the end has travelled to the agent; none where there is nobody to tell.
 */
delivery: Delivery | null, };

/**
 * How a request ended.
 */
export type Outcome = { "outcome": "answered", 
/**
 * What was answered.
 */
answers: Answers, } | { "outcome": "declined", 
/**
 * What the person said about it.
 */
words: string | null, } | { "outcome": "replied_in_chat", 
/**
 * The message.
 */
text: string, } | { "outcome": "expired" } | { "outcome": "withdrawn", 
/**
 * By whom or what.
 */
why: WithdrawnWhy, } | { "outcome": "orphaned", 
/**
 * What became of it.
 */
why: OrphanedWhy, };

/**
 * Who or what ended a request.
 */
export type EndedBy = "person" | "person_in_chat" | "agent" | "elsewhere" | "limit" | "session";

/**
 * Why a request was taken back.
 */
export type WithdrawnWhy = { "why": "by_agent" } | { "why": "turn_ended" } | { "why": "interrupted" } | { "why": "answered_elsewhere" } | { "why": "cancelled", 
/**
 * What the person said about it.
 */
reason: string | null, };

/**
 * What became of whoever asked an orphaned request.
 */
export type OrphanedWhy = "agent_ended" | "session_stopped" | "app_quit" | "caller_gone";

/**
 * How far an end has travelled to the agent.
 */
export type Delivery = { "delivery": "pending" } | { "delivery": "delivered", 
/**
 * When it showed that.
 */
at: Timestamp, 
/**
 * Whether it came as a message after the call was closed.
 */
late?: boolean, } | { "delivery": "failed", 
/**
 * What went wrong; earlier versions kept it as a sentence.
 */
error: Undelivered, } | { "delivery": "parked" };

/**
 * Names an agent: the key of its descriptor, and of its settings.
 */
export type AgentId = string;

/**
 * Names a machine that agents run on.
 */
export type MachineId = string;

/**
 * Names a config option of an agent, in the agent's words.
 */
export type ConfigId = string;

/**
 * Names a value of a config option, in the agent's words.
 */
export type ValueId = string;

/**
 * The agent's own id of a session, by which it resumes it.
 */
export type NativeSession = string;

/**
 * One thing that can be chosen about how an agent runs.
 */
export type ConfigOption = { 
/**
 * The agent's id of the option.
 */
id: ConfigId, 
/**
 * Its name in the agent's words.
 */
name: string, 
/**
 * What it is about.
 */
category: ConfigCategory, 
/**
 * What can be chosen.
 */
values: Array<ConfigValue>, 
/**
 * Whether a value that is not listed may be typed.
 */
freeText: boolean, 
/**
 * Whether it can be changed while the session runs.
 */
live: boolean, 
/**
 * The present value; none while it is not known.
 */
current: ValueId | null, };

/**
 * What a config option is about.
 */
export type ConfigCategory = "mode" | "model" | "effort" | "other";

/**
 * One value of a config option.
 */
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
 * Whether the person must agree to it first.
 */
risk: Risk, 
/**
 * Whether the agent only plans with it and changes nothing.
 */
planning: boolean, };

/**
 * How risky a value is.
 */
export type Risk = "usual" | "unattended";

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
 * The command that is searched for; none for an agent that comes with the app.
 */
program: string | null, 
/**
 * A shell command that installs it.
 */
install: string | null, 
/**
 * A shell command that signs the person in.
 */
login: string | null, 
/**
 * The version it was verified with, run here with the real program.
 */
verified: string | null, 
/**
 * What it can do.
 */
capabilities: Capabilities, 
/**
 * What can be chosen when a session starts.
 */
config: Array<ConfigOption>, };

/**
 * What an agent can do.
 */
export type Capabilities = { 
/**
 * How its questions arrive.
 */
questions: QuestionPath, 
/**
 * Whether it asks for permissions.
 */
approvals: boolean, 
/**
 * Whether it shows a plan.
 */
plan: boolean, 
/**
 * Whether it can resume an ended session.
 */
resume: boolean, 
/**
 * What goes along with a message.
 */
takes: Takes, 
/**
 * What a message does that arrives during a turn.
 */
duringTurn: DuringTurn, 
/**
 * Whether it can compact its context when asked.
 */
compact: boolean, 
/**
 * Whether it reports what a turn costs.
 */
cost: boolean, 
/**
 * Whether it reports how full its context is.
 */
contextSize: boolean, 
/**
 * Whether a session needs a folder of the person's to work in.
 */
folder: boolean, 
/**
 * Whether settings may add arguments and variables to its start.
 */
launchOverrides: boolean, };

/**
 * How an agent's questions arrive.
 */
export type QuestionPath = "native" | "mcp_tool" | "none";

/**
 * What a message does that arrives during a turn.
 */
export type DuringTurn = "queue" | "steer";

/**
 * Where a session comes from.
 */
export type Origin = { 
/**
 * The machine the agent runs on.
 */
machine: MachineId, } & ({ "kind": "started", 
/**
 * Which agent.
 */
agent: AgentId, } | { "kind": "attached", 
/**
 * Which agent.
 */
agent: AgentId, } | { "kind": "inbound", 
/**
 * How it connects.
 */
channel: Channel, 
/**
 * The client's own name.
 */
client: string, });

/**
 * Who started a session's agent, and how it reaches the desk.
 */
export type OriginKind = { "kind": "started", 
/**
 * Which agent.
 */
agent: AgentId, } | { "kind": "attached", 
/**
 * Which agent.
 */
agent: AgentId, } | { "kind": "inbound", 
/**
 * How it connects.
 */
channel: Channel, 
/**
 * The client's own name.
 */
client: string, };

/**
 * How an inbound client connects.
 */
export type Channel = "mcp" | "terminal_hook" | "command_line";

/**
 * When an agent's questions come to the person.
 */
export type QuestionPolicy = "always" | "plan_only" | "never";

/**
 * What is added to the start of an agent.
 */
export type Extras = { 
/**
 * Arguments that follow the desk's own.
 */
arguments: Arguments, 
/**
 * Variables of its environment.
 */
environment: Environment, };

/**
 * Arguments of a program, in order.
 */
export type Arguments = string[];

/**
 * Variables by their names. What they are set to is for the agent alone: it stands in no log.
 */
export type Environment = Record<string, string>;

/**
 * What a session is started with.
 */
export type SessionOptions = { 
/**
 * The chosen values of the agent's config options; an option that is missing stays the agent's own.
 */
config: { [key in ConfigId]: ValueId }, 
/**
 * When its questions come to the person.
 */
questions: QuestionPolicy, 
/**
 * The program to run instead of the one found on PATH.
 */
program: string | null, 
/**
 * What the person's settings add to the start.
 */
extras: Extras, };

/**
 * Names one message that waits to be sent (UUIDv7).
 */
export type MessageId = string;

/**
 * One message that waits; its text is bounded by [`PERSON_TEXT_BYTES`](crate::text::PERSON_TEXT_BYTES).
 */
export type QueuedMessage = { 
/**
 * Our id of the message.
 */
id: MessageId, 
/**
 * Its words; none where something is attached and nothing was written.
 */
text: string, 
/**
 * What goes along with it.
 */
attachments: Array<Attachment>, };

/**
 * How the person is told of one session.
 */
export type SessionAttention = { 
/**
 * It only counts in the window.
 */
muted: boolean, 
/**
 * Outside the window, nothing of what it asks is shown.
 */
private: boolean, };

/**
 * One agent in one folder.
 */
export type Session = { 
/**
 * Our id of the session.
 */
id: SessionId, 
/**
 * Where it comes from.
 */
origin: Origin, 
/**
 * The name on its tab.
 */
name: string, 
/**
 * The folder the agent works in.
 */
folder: string, 
/**
 * When it was started.
 */
startedAt: Timestamp, 
/**
 * What the agent does now; whether it needs the person follows from its open requests and approvals.
 */
state: SessionState, 
/**
 * The agent's version as it says itself.
 */
version: string | null, 
/**
 * The model as the agent says itself.
 */
model: string | null, 
/**
 * How many lines of its output could not be used; they stand in the session's log.
 */
unusableLines: number, 
/**
 * What it was started with.
 */
options: SessionOptions, 
/**
 * Its place in the order of sessions; a smaller one comes first.
 */
place: number, 
/**
 * Whether it has ended and its agent can take it up again.
 */
resumable: boolean, 
/**
 * The config options with their present values.
 */
config: Array<ConfigOption>, 
/**
 * The agent's own id of the session; none while it has not said one.
 */
nativeSession: NativeSession | null, 
/**
 * What the person wrote while the agent worked and is still to be sent, oldest first.
 */
queue: Array<QueuedMessage>, 
/**
 * How the person is told of it.
 */
attention: SessionAttention, };

/**
 * What a session's agent does.
 */
export type SessionState = { "state": "starting" } | { "state": "working" } | { "state": "idle" } | { "state": "ended", 
/**
 * How it ended.
 */
end: SessionEnd, 
/**
 * When.
 */
at: Timestamp, };

/**
 * How a session ended.
 */
export type SessionEnd = { "end": "finished" } | { "end": "stopped" } | { "end": "app_quit" } | { "end": "failed", 
/**
 * What happened; earlier versions kept it as a sentence.
 */
why: Failure, };

/**
 * Why an agent could not be started, or ended badly.
 */
export type Failure = { "failure": "agent_missing", 
/**
 * Which agent.
 */
agent: AgentId, 
/**
 * The program's name.
 */
program: string, 
/**
 * Every place that was looked at.
 */
tried: Array<LookedAt>, 
/**
 * A shell command that installs it.
 */
install: string | null, } | { "failure": "folder_unusable", 
/**
 * The folder.
 */
path: string, 
/**
 * What is wrong with it.
 */
problem: FolderProblem, } | { "failure": "not_started", 
/**
 * The program.
 */
program: string, 
/**
 * What kind of refusal it was.
 */
problem: ProgramProblem, 
/**
 * What the system said.
 */
error: string, } | { "failure": "exited", 
/**
 * Its exit code.
 */
code: number | null, 
/**
 * The signal that killed it.
 */
signal: number | null, 
/**
 * The last lines of its error output, at most [`SAID_LINES`]; empty where it wrote none.
 */
said: string, 
/**
 * What the person can do.
 */
next: NextStep, } | { "failure": "interrupt_ignored", 
/**
 * How long it was waited for, in seconds.
 */
seconds: number, 
/**
 * What the person can do.
 */
next: NextStep, } | { "failure": "output_lost", 
/**
 * What the person can do.
 */
next: NextStep, } | { "failure": "session_unknown" } | { "failure": "desk_failed" } | { "failure": "text", 
/**
 * The text.
 */
text: string, };

/**
 * A place in which a program was looked for.
 */
export type LookedAt = { "place": "path_variable", 
/**
 * Its value; it may be empty.
 */
value: string, } | { "place": "file", 
/**
 * Its path.
 */
path: string, };

/**
 * What is wrong with a folder.
 */
export type FolderProblem = { "problem": "missing" } | { "problem": "not_a_folder" } | { "problem": "forbidden" } | { "problem": "not_absolute" } | { "problem": "other", 
/**
 * What the system said.
 */
error: string, };

/**
 * Why the system did not run a program.
 */
export type ProgramProblem = "missing" | "forbidden" | "unfit";

/**
 * What a person can do about an agent that ended badly.
 */
export type NextStep = "resume" | "start_anew";

/**
 * Why something did not reach the agent.
 */
export type Undelivered = { "undelivered": "input_closed" } | { "undelivered": "write_failed", 
/**
 * What the system said.
 */
error: string, } | { "undelivered": "not_reading", 
/**
 * How many lines wait for it.
 */
lines: number, } | { "undelivered": "not_awaited" } | { "undelivered": "may_have_arrived" } | { "undelivered": "not_running" } | { "undelivered": "busy" } | { "undelivered": "closing" } | { "undelivered": "refused", 
/**
 * Which.
 */
rule: Breach, } | { "undelivered": "not_kept", } & ({ "trouble": "busy", 
/**
 * What is held.
 */
path: string, } | { "trouble": "full", 
/**
 * What cannot grow.
 */
path: string, } | { "trouble": "damaged", 
/**
 * Which.
 */
path: string, 
/**
 * What its reader says.
 */
error: string, } | { "trouble": "stuck", 
/**
 * Which.
 */
path: string, 
/**
 * What the system says.
 */
error: string, } | { "trouble": "too_new", 
/**
 * Which.
 */
path: string, 
/**
 * Its format.
 */
found: number, 
/**
 * The newest format this version knows.
 */
known: number, } | { "trouble": "other", 
/**
 * Where it was met.
 */
path: string, 
/**
 * What the system says.
 */
error: string, }) | { "undelivered": "image_gone", 
/**
 * What it is called.
 */
name: string, } | { "undelivered": "file_unreadable", 
/**
 * Which file.
 */
path: string, 
/**
 * What the system said.
 */
error: string, } | { "undelivered": "text", 
/**
 * The text.
 */
text: string, };

/**
 * What is wrong with the storage.
 *
 * An earlier version kept no path, and a whole sentence as the error.
 */
export type StorageTrouble = { "trouble": "busy", 
/**
 * What is held.
 */
path: string, } | { "trouble": "full", 
/**
 * What cannot grow.
 */
path: string, } | { "trouble": "damaged", 
/**
 * Which.
 */
path: string, 
/**
 * What its reader says.
 */
error: string, } | { "trouble": "stuck", 
/**
 * Which.
 */
path: string, 
/**
 * What the system says.
 */
error: string, } | { "trouble": "too_new", 
/**
 * Which.
 */
path: string, 
/**
 * Its format.
 */
found: number, 
/**
 * The newest format this version knows.
 */
known: number, } | { "trouble": "other", 
/**
 * Where it was met.
 */
path: string, 
/**
 * What the system says.
 */
error: string, };

/**
 * How a field breaks a rule.
 */
export type Breach = { "breach": "empty" } | { "breach": "too_long", 
/**
 * How many bytes it may have.
 */
most: number, 
/**
 * How many it has.
 */
bytes: number, } | { "breach": "queue_full", 
/**
 * How many may wait.
 */
most: number, } | { "breach": "too_many_attached", 
/**
 * How many may be.
 */
most: number, 
/**
 * How many are.
 */
count: number, } | { "breach": "attached", 
/**
 * Why not.
 */
why: Undelivered, } | { "breach": "path_untold" } | { "breach": "question_open" } | { "breach": "still_open" } | { "breach": "still_awaited" } | { "breach": "nothing_answered" } | { "breach": "note_alone" } | { "breach": "one_only" } | { "breach": "no_own_words" } | { "breach": "no_option" } | { "breach": "no_plan" } | { "breach": "still_running" } | { "breach": "no_model" } | { "breach": "no_folder" } | { "breach": "late_secret" } | { "breach": "plan_cut_off" } | { "breach": "no_address", 
/**
 * What is wrong with it, as its reader says.
 */
error: string, } | { "breach": "address_not_opened", 
/**
 * The beginning of it.
 */
scheme: string, } | { "breach": "no_program", 
/**
 * What the system said.
 */
error: string, } | { "breach": "path_not_text" } | { "breach": "unfit", 
/**
 * What is wrong with it.
 */
flaw: Unfit, } | { "breach": "other", 
/**
 * The rule, and what came instead.
 */
rule: string, };

/**
 * What is wrong with a value that was to be set.
 */
export type Unfit = { "unfit": "none_of", 
/**
 * Which can be, as they are written.
 */
choices: Array<string>, } | { "unfit": "not_between", 
/**
 * The least it may be.
 */
least: number, 
/**
 * The most it may be.
 */
most: number, } | { "unfit": "no_list" } | { "unfit": "no_table" } | { "unfit": "too_many", 
/**
 * How many are taken.
 */
most: number, 
/**
 * How many there are.
 */
count: number, } | { "unfit": "argument", 
/**
 * Its place, from 1.
 */
n: number, 
/**
 * What is wrong with it.
 */
flaw: ExtraFlaw, } | { "unfit": "variable", 
/**
 * Its name.
 */
name: string, 
/**
 * What is wrong with what it is set to.
 */
flaw: ExtraFlaw, } | { "unfit": "no_hours" } | { "unfit": "no_shortcut" } | { "unfit": "no_name", 
/**
 * The beginning of what it was to be called.
 */
name: string, } | { "unfit": "text", 
/**
 * What it says.
 */
text: string, };

/**
 * What is wrong with one thing that a person adds to the start of an agent.
 */
export type ExtraFlaw = { "extra": "too_long", 
/**
 * How many bytes it may have.
 */
most: number, 
/**
 * How many it has.
 */
bytes: number, } | { "extra": "zero" } | { "extra": "own_flag", 
/**
 * Which.
 */
flag: string, } | { "extra": "chosen_flag", 
/**
 * Which.
 */
flag: string, };

/**
 * What came of a change that the agent was asked for and did not make.
 */
export type ChangeRefused = { "refused": "in_words", 
/**
 * What it said.
 */
words: string, } | { "refused": "unanswered", 
/**
 * How long it was waited for.
 */
seconds: number, } | { "refused": "others_wait" } | { "refused": "unreached", 
/**
 * Why not.
 */
why: Undelivered, };

/**
 * What cannot be done everywhere.
 */
export type Unable = "attaching" | "saving";

/**
 * What a tool call does.
 */
export type ToolDetail = { "detail": "command", 
/**
 * The command as it would run.
 */
command: string, 
/**
 * The agent's own line about it, and every setting of the call, a line each.
 */
description: string | null, } | { "detail": "edit", 
/**
 * The file.
 */
path: string, 
/**
 * A unified diff without file headers; its line numbers count within the changed text.
 */
diff: string, } | { "detail": "write", 
/**
 * The file.
 */
path: string, 
/**
 * What it will hold.
 */
content: string, } | { "detail": "todos", 
/**
 * The list.
 */
items: Array<TodoItem>, } | { "detail": "plan", 
/**
 * The plan, in Markdown.
 */
plan: string, 
/**
 * The file in which the agent keeps it.
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

/**
 * One thing to do.
 */
export type TodoItem = { 
/**
 * What.
 */
text: string, 
/**
 * How far it is.
 */
status: TodoStatus, };

/**
 * How far a thing to do is.
 */
export type TodoStatus = "pending" | "in_progress" | "done";

/**
 * Names one option of an approval, in the agent's words; it goes back as it came.
 */
export type ApprovalOptionId = string;

/**
 * One thing that can be decided on an approval.
 */
export type ApprovalOption = { 
/**
 * The agent's id of the option, which goes back as it came.
 */
id: ApprovalOptionId, 
/**
 * What it does.
 */
kind: ApprovalOptionKind, 
/**
 * What it says.
 */
label: OptionLabel, 
/**
 * How far it reaches; none where the kind says it all.
 */
scope: OptionScope | null, 
/**
 * Whether it may be chosen together with others of this kind that may.
 */
combines: boolean, };

/**
 * What an option does. The words are those of the Agent Client Protocol.
 */
export type ApprovalOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/**
 * What an option says.
 */
export type OptionLabel = { "label": "plain" } | { "label": "text", 
/**
 * The words.
 */
text: string, } | { "label": "tool", 
/**
 * The tool.
 */
tool: string, 
/**
 * Which of its calls, in the agent's own pattern; none means all.
 */
content: string | null, 
/**
 * How they are treated.
 */
behaviour: ToolRule, } | { "label": "folder", 
/**
 * The folders.
 */
paths: Array<string>, } | { "label": "config", 
/**
 * Which option.
 */
option: ConfigId, 
/**
 * Its new value.
 */
value: ValueId, };

/**
 * How calls of a tool are treated.
 */
export type ToolRule = "allow" | "ask" | "deny";

/**
 * How far an option reaches.
 */
export type OptionScope = "session" | "local" | "project" | "user";

/**
 * One permission an agent waits for.
 */
export type Approval = { 
/**
 * Our id of the approval.
 */
id: ApprovalId, 
/**
 * The session that asks.
 */
session: SessionId, 
/**
 * The agent's own id of the call.
 */
nativeRef: NativeRef, 
/**
 * What the agent calls it; mostly the name of a tool.
 */
title: string, 
/**
 * The agent's own line about what it wants to do.
 */
description: string | null, 
/**
 * What exactly would run or change.
 */
subject: ToolDetail, 
/**
 * What can be decided, in the agent's order.
 */
options: Array<ApprovalOption>, 
/**
 * Whether a refusal may carry words for the agent.
 */
takesMessage: boolean, 
/**
 * When it was asked.
 */
askedAt: Timestamp, 
/**
 * Open, or how it ended.
 */
state: ApprovalState, };

/**
 * Whether an approval waits or has ended.
 */
export type ApprovalState = { "state": "open" } | { "state": "decided", 
/**
 * What was decided.
 */
decision: ApprovalDecision, 
/**
 * When.
 */
at: Timestamp, 
/**
 * Set when the decision could not be handed to the agent.
 */
error: Undelivered | null, } | { "state": "withdrawn", 
/**
 * When.
 */
at: Timestamp, };

/**
 * What the person decided on an approval.
 */
export type ApprovalDecision = { 
/**
 * The chosen options: one, or several that combine.
 */
options: Array<ApprovalOptionId>, 
/**
 * What the agent is told with a refusal.
 */
message: string | null, 
/**
 * The plan as the person edited it; none where it stays as it is.
 */
plan: string | null, };

/**
 * An amount in US dollars, kept in nano-dollars so that equal amounts are equal; a plain number on the wire.
 */
export type Usd = number;

/**
 * How full an agent's context is.
 */
export type ContextUse = { 
/**
 * Tokens in it.
 */
used: number, 
/**
 * Tokens it can hold.
 */
size: number, };

/**
 * One entry of a session's transcript.
 */
export type Entry = { 
/**
 * Its place in the session, counted from 1; a later entry of the same place replaces it.
 */
n: number, 
/**
 * When it was first written.
 */
at: Timestamp, 
/**
 * What it says.
 */
body: EntryBody, };

/**
 * What an entry says.
 */
export type EntryBody = { "kind": "person", 
/**
 * Its words; none where something is attached and nothing was written.
 */
text: string, 
/**
 * What went along with it.
 */
attachments: Array<Attachment>, } | { "kind": "agent", 
/**
 * Its words.
 */
text: string, } | { "kind": "thinking", 
/**
 * Its words.
 */
text: string, } | { "kind": "tool", 
/**
 * The agent's id of the call.
 */
toolUse: string, 
/**
 * The tool's name.
 */
name: string, 
/**
 * What kind of tool it is.
 */
toolKind: ToolKind, 
/**
 * One line that says what it does.
 */
summary: string, 
/**
 * What exactly it does; earlier versions kept it as text under `input`.
 */
detail: ToolDetail, 
/**
 * How far it is.
 */
status: ToolStatus, 
/**
 * What came out.
 */
output: string | null, } | { "kind": "request", 
/**
 * Which.
 */
request: RequestId, } | { "kind": "approval", 
/**
 * Which.
 */
approval: ApprovalId, } | { "kind": "plan", 
/**
 * Its items.
 */
items: Array<TodoItem>, } | { "kind": "notice", 
/**
 * What.
 */
notice: Notice, } | { "kind": "turn_ended", 
/**
 * Its length in milliseconds.
 */
millis: number, 
/**
 * Tokens read.
 */
inputTokens: number, 
/**
 * Tokens written.
 */
outputTokens: number, 
/**
 * Tokens read from a cache.
 */
cachedTokens: number, 
/**
 * The agent's error in its own words, where the turn failed.
 */
error: string | null, 
/**
 * What it cost, as the agent reckons it.
 */
costUsd: Usd | null, 
/**
 * How full the agent's context was after it.
 */
context: ContextUse | null, };

/**
 * What kind of tool was called. The words are those of the Agent Client Protocol.
 */
export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "think" | "other";

/**
 * How far a tool call is.
 */
export type ToolStatus = "pending" | "awaiting_permission" | "running" | "done" | "failed";

/**
 * Something the person should know about a session; the words are chosen by the screen.
 */
export type Notice = { "notice": "question_refused", 
/**
 * The field and the rule, as the agent was told.
 */
reason: string, } | { "notice": "question_turned_off", 
/**
 * When questions come to the person in this session.
 */
policy: QuestionPolicy, 
/**
 * What was asked, a line for each question.
 */
text: string, } | { "notice": "answers_brought" } | { "notice": "same_text_joined", 
/**
 * The text.
 */
text: string, } | { "notice": "cut_in_half" } | { "notice": "interrupted" } | { "notice": "message_not_sent", 
/**
 * What went wrong; earlier versions kept it as a sentence.
 */
error: Undelivered, };

/**
 * One message to a subscriber.
 */
export type Frame = { "frame": "snapshot" } & Snapshot | { "frame": "delta" } & Delta;

/**
 * Everything that is true at one moment.
 */
export type Snapshot = { 
/**
 * Drawn anew at each start of the app; numbers of another epoch say nothing.
 */
epoch: string, 
/**
 * The number of the last delta this snapshot holds.
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
 * What is being written at this moment.
 */
live: Array<LiveText>, 
/**
 * The answers that can still be taken back.
 */
held: Array<HeldAnswer>, 
/**
 * What the person should know about the storage.
 */
storage: StorageNotice | null, 
/**
 * Every agent the app knows, installed or not.
 */
agents: Array<AgentDescriptor>, };

/**
 * One step from a state to the next.
 */
export type Delta = { 
/**
 * The epoch of both numbers.
 */
epoch: string, 
/**
 * The number this delta follows on; a receiver that is elsewhere subscribes again.
 */
prev: number, 
/**
 * The number of this delta.
 */
seq: number, 
/**
 * What has changed, in order.
 */
changes: Array<Change>, };

/**
 * One thing that has changed; each carries the whole new value, so it can be applied by putting it in place.
 */
export type Change = { "change": "session", 
/**
 * As it is now.
 */
session: Session, } | { "change": "request", 
/**
 * As it is now.
 */
request: Request, } | { "change": "approval", 
/**
 * As it is now.
 */
approval: Approval, } | { "change": "answer_held", 
/**
 * As it is now.
 */
held: HeldAnswer, } | { "change": "answer_let_go", 
/**
 * Which request.
 */
request: RequestId, } | { "change": "entry", 
/**
 * Whose transcript.
 */
session: SessionId, 
/**
 * As it is now.
 */
entry: Entry, } | { "change": "session_closed", 
/**
 * Which.
 */
session: SessionId, } | { "change": "live_text", 
/**
 * The text that was added.
 */
added: LiveText, } | { "change": "live_cleared", 
/**
 * Whose.
 */
session: SessionId, } | { "change": "session_deleted", 
/**
 * Which.
 */
session: SessionId, };

/**
 * Text that an agent is writing at this moment. Never journaled; the finished entry is.
 */
export type LiveText = { 
/**
 * Whose agent.
 */
session: SessionId, 
/**
 * What kind of text.
 */
kind: LiveKind, 
/**
 * The text.
 */
text: string, };

/**
 * What an agent is writing.
 */
export type LiveKind = "text" | "thinking";

/**
 * Something about the storage that the person should know.
 */
export type StorageNotice = { "storage": "corrupt", 
/**
 * Where the damaged one is kept.
 */
kept: string, } | { "storage": "newer", 
/**
 * The newer one.
 */
kept: string, 
/**
 * The one in use.
 */
used: string, };

/**
 * Answers a request.
 */
export type AnswerQuestion = { 
/**
 * The caller's id of this command; sent again, it does nothing more.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, 
/**
 * The answers; a question that is missing is left unanswered.
 */
answers: Array<AnswerInput>, };

/**
 * Answers a lone question with one choice, after a moment in which that can be taken back.
 */
export type HoldAnswer = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, 
/**
 * The answer.
 */
answers: Array<AnswerInput>, };

/**
 * Takes back an answer that has not gone yet.
 */
export type TakeBackAnswer = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, };

/**
 * Declines a request, with words or without.
 */
export type DeclineQuestion = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, 
/**
 * What to tell the agent.
 */
words: string | null, };

/**
 * Closes a request without an answer.
 */
export type CancelQuestion = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, 
/**
 * What to tell the agent.
 */
reason: string | null, };

/**
 * Hands an end over once more that could not be handed over.
 */
export type RetryDelivery = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, };

/**
 * Gives up a request that was missed, or whose end could not be delivered.
 */
export type DismissRequest = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The request.
 */
id: RequestId, };

/**
 * Decides an approval.
 */
export type DecideApproval = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The approval.
 */
id: ApprovalId, 
/**
 * What is decided.
 */
decision: ApprovalDecision, };

/**
 * Starts an agent in a folder.
 */
export type StartSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * Which agent.
 */
agent: AgentId, 
/**
 * The folder it works in; an agent that needs none has one of its own.
 */
folder: string | null, 
/**
 * The first message; none leaves the agent waiting for one.
 */
prompt: string | null, 
/**
 * The name on the tab; none takes the folder's.
 */
name: string | null, 
/**
 * What was chosen for it; what is left out is as the agent has it.
 */
options: SessionOptions, };

/**
 * Sends a message to an agent; requests that are open in its session end as replied in chat. An ended session that
 * can be taken up again is taken up first.
 */
export type SendMessage = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The message.
 */
text: string, 
/**
 * What goes along with it.
 */
attachments: Array<Attachment>, };

/**
 * One thing that goes along with a message.
 */
export type Attachment = { "attachment": "image", 
/**
 * Names its bytes among those that are kept for the session.
 */
image: ImageId, 
/**
 * What it is, by its own first bytes.
 */
format: ImageFormat, 
/**
 * What it is called.
 */
name: string, 
/**
 * Its size.
 */
bytes: number, } | { "attachment": "file", 
/**
 * Where it is.
 */
path: string, 
/**
 * Its size when it was attached.
 */
bytes: number, };

/**
 * What an image is.
 */
export type ImageFormat = "png" | "jpeg" | "gif" | "webp";

/**
 * Names an image by its content: the SHA-256 of its bytes.
 */
export type ImageId = string;

/**
 * What an agent takes along with a message.
 */
export type Takes = { "takes": "words" } | { "takes": "images_and_files", 
/**
 * How many go with one message.
 */
count: number, 
/**
 * How large an image may be, in bytes.
 */
imageBytes: number, };

/**
 * Keeps an image that the person has brought, to go along with a message.
 */
export type AttachImage = { 
/**
 * The caller's id of this command; the same image again is the same attachment.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * What it is called.
 */
name: string, 
/**
 * Its bytes in base64.
 */
data: string, };

/**
 * What came of attaching.
 */
export type AttachedFiles = { 
/**
 * What can go along with a message now.
 */
attached: Array<Attachment>, 
/**
 * What cannot.
 */
refused: Array<RefusedFile>, };

/**
 * A file that cannot go along with a message.
 */
export type RefusedFile = { 
/**
 * What it is called.
 */
name: string, 
/**
 * Why not.
 */
why: RefusedWhy, };

/**
 * Why a file cannot go along with a message; the words are chosen by the screen.
 */
export type RefusedWhy = { "why": "too_large" } | { "why": "too_many" } | { "why": "unknown_kind" } | { "why": "folder" } | { "why": "no_file" } | { "why": "gone" } | { "why": "path" } | { "why": "unreadable", 
/**
 * What the system says.
 */
error: string, };

/**
 * Forgets images that were attached to a message and taken back; what went out or waits stays.
 */
export type DiscardAttachments = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * What was taken back.
 */
attachments: Array<Attachment>, };

/**
 * Keeps a message until the agent's turn ends; sent by itself, it leaves open questions alone.
 */
export type QueueMessage = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The message.
 */
text: string, 
/**
 * What goes along with it.
 */
attachments: Array<Attachment>, };

/**
 * Changes the words of a message that waits.
 */
export type EditQueued = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The message.
 */
id: MessageId, 
/**
 * Its new words.
 */
text: string, };

/**
 * Takes back a message that waits.
 */
export type RemoveQueued = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The message.
 */
id: MessageId, };

/**
 * Sends a message that waits now, into a running turn too; refused while a question is open.
 */
export type SendQueued = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The message.
 */
id: MessageId, };

/**
 * Asks an agent to stop what it does and wait.
 */
export type InterruptSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, };

/**
 * Ends an agent's process and all that it started.
 */
export type StopSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, };

/**
 * Gives a session another name.
 */
export type RenameSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The name.
 */
name: string, };

/**
 * Says how the person is told of a session.
 */
export type SetAttention = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * How.
 */
attention: SessionAttention, };

/**
 * Puts a session in another place among the sessions.
 */
export type MoveSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The session it goes before; none means the end.
 */
before: SessionId | null, };

/**
 * Ends a session if it runs, and takes it out of the list; it stays in the history.
 */
export type CloseSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, };

/**
 * Has the agent take up an ended session again.
 */
export type ResumeSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, };

/**
 * Asks an agent for another value of a config option.
 */
export type SetConfig = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, 
/**
 * The option.
 */
option: ConfigId, 
/**
 * Its new value; one that is not listed where the option takes free text.
 */
value: string, };

/**
 * Looks for agents on this machine.
 */
export type ListAgents = Record<symbol, never>;

/**
 * What was found.
 */
export type AgentsFound = { 
/**
 * One entry for each agent the app knows, found or not.
 */
agents: Array<AgentFound>, 
/**
 * A folder to suggest for the first session.
 */
home: string | null, };

/**
 * One agent the app knows.
 */
export type AgentFound = { 
/**
 * Which.
 */
agent: AgentId, 
/**
 * Where it is.
 */
program: string | null, 
/**
 * Why it cannot be started and what to do about it.
 */
problem: Failure | null, 
/**
 * Its version as it says itself; none where it did not say.
 */
version: string | null, 
/**
 * What the settings add to its start; a start has to name the same.
 */
extras: Extras, };

/**
 * Reads a stretch of a transcript.
 */
export type ReadTranscript = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * Read entries before this place; none reads the newest.
 */
before: number | null, 
/**
 * How many entries at most.
 */
limit: number, };

/**
 * A stretch of a transcript, oldest entry first.
 */
export type TranscriptPage = { 
/**
 * The entries.
 */
entries: Array<Entry>, 
/**
 * Whether there are older ones.
 */
more: boolean, 
/**
 * The requests these entries speak of.
 */
requests: Array<Request>, 
/**
 * The approvals these entries speak of.
 */
approvals: Array<Approval>, };

/**
 * Reads the newest lines of a session's log.
 */
export type ReadLog = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * The newest lines of a session's log, oldest first.
 */
export type SessionLog = { 
/**
 * The lines.
 */
lines: Array<LogLine>, };

/**
 * One line of a session's log.
 */
export type LogLine = { 
/**
 * When it came.
 */
at: Timestamp, 
/**
 * What it is.
 */
kind: LogKind, 
/**
 * Its text, shortened.
 */
text: string, };

/**
 * What a line of a session's log is.
 */
export type LogKind = "unusable" | "stderr" | "refused" | "note";

/**
 * Everything a person can set.
 */
export type Settings = { 
/**
 * The language everything is written in.
 */
language: LanguageChoice, 
/**
 * Light or dark.
 */
theme: Theme, 
/**
 * How large everything is.
 */
textSize: TextSize, 
/**
 * How much room there is between things.
 */
density: Density, 
/**
 * Whether the system tells of questions and permissions that are not looked at.
 */
notifyQuestions: NotifyQuestions, 
/**
 * Whether what a subagent asks is told of too.
 */
notifySubagents: OnOff, 
/**
 * Whether the system tells that a session has finished its turn.
 */
notifyFinished: OptIn, 
/**
 * Until when only the counts in the window tell.
 */
pausedUntil: PausedUntil, 
/**
 * The hours in which only the counts in the window tell.
 */
quietHours: QuietHours, 
/**
 * After how many minutes an open question is told of once more.
 */
remindMinutes: RemindMinutes, 
/**
 * Whether a notification is heard too.
 */
notifySound: OptIn, 
/**
 * Whether one key answers a lone question with one choice.
 */
quickAnswer: OnOff, 
/**
 * How long such an answer can be taken back.
 */
undoSeconds: UndoSeconds, 
/**
 * Whether a fresh choice shows the next question.
 */
autoAdvance: OnOff, 
/**
 * What closing the window does.
 */
onClose: OnClose, 
/**
 * Whether the system starts the app when the person logs in.
 */
startAtLogin: OptIn, 
/**
 * Which keys bring up what waits, from anywhere.
 */
globalShortcut: GlobalShortcut, 
/**
 * What every start of an agent gets in addition, by agent.
 */
launchOverrides: { [key in AgentId]: Extras }, 
/**
 * How long sessions that are over are kept.
 */
keepDays: KeepDays, };

/**
 * One thing that is set to a value.
 */
export type Setting = { "setting": "language", "value": LanguageChoice } | { "setting": "theme", "value": Theme } | { "setting": "text_size", "value": TextSize } | { "setting": "density", "value": Density } | { "setting": "notify_questions", "value": NotifyQuestions } | { "setting": "notify_subagents", "value": OnOff } | { "setting": "notify_finished", "value": OptIn } | { "setting": "paused_until", "value": PausedUntil } | { "setting": "quiet_hours", "value": QuietHours } | { "setting": "remind_minutes", "value": RemindMinutes } | { "setting": "notify_sound", "value": OptIn } | { "setting": "quick_answer", "value": OnOff } | { "setting": "undo_seconds", "value": UndoSeconds } | { "setting": "auto_advance", "value": OnOff } | { "setting": "on_close", "value": OnClose } | { "setting": "start_at_login", "value": OptIn } | { "setting": "global_shortcut", "value": GlobalShortcut } | { "setting": "agent_arguments", "value": { 
/**
 * Which agent.
 */
agent: AgentId, 
/**
 * The arguments.
 */
arguments: Arguments, } } | { "setting": "agent_environment", "value": { 
/**
 * Which agent.
 */
agent: AgentId, 
/**
 * The variables.
 */
environment: Environment, } } | { "setting": "keep_days", "value": KeepDays };

/**
 * A language that everything is written in.
 */
export type Language = "en" | "zh" | "de";

/**
 * The language a person wants.
 */
export type LanguageChoice = "system" | "en" | "zh" | "de";

/**
 * Light or dark.
 */
export type Theme = "system" | "light" | "dark";

/**
 * How large everything is, in per cent of the usual size.
 */
export type TextSize = number;

/**
 * How much room there is between things.
 */
export type Density = "comfortable" | "compact";

/**
 * Which questions and permissions the system tells of.
 */
export type NotifyQuestions = "unseen" | "never";

/**
 * Whether something happens by itself.
 */
export type OnOff = "on" | "off";

/**
 * Whether something happens that nobody wants unless they said so.
 */
export type OptIn = "off" | "on";

/**
 * How long an answer that one key gave can be taken back, in seconds.
 */
export type UndoSeconds = number;

/**
 * What closing the window does.
 */
export type OnClose = "keep_running" | "quit";

/**
 * For how many days a session is kept after it has ended; 0 keeps it until the person deletes it.
 */
export type KeepDays = number;

/**
 * Until when nothing is told but by the counts in the window, in seconds since 1970; 0 where nothing is paused.
 */
export type PausedUntil = number;

/**
 * The hours in which nothing is told but by the counts in the window: none, or from one minute of the day to another.
 */
export type QuietHours = string;

/**
 * The combination that is set, or none.
 */
export type GlobalShortcut = string;

/**
 * After how many minutes an open question is told of once more; 0 never does.
 */
export type RemindMinutes = number;

/**
 * Something in the file that is left as it stands and has no effect.
 */
export type IgnoredSetting = { 
/**
 * Where it stands: `table.name`, or the file's name where the file as a whole cannot be read.
 */
key: string, 
/**
 * Why it has no effect.
 */
why: IgnoredWhy, };

/**
 * Why something in the file has no effect; the words are chosen by the screen.
 */
export type IgnoredWhy = { "why": "unknown" } | { "why": "no_value" } | { "why": "unfit", 
/**
 * The value; none where something in it may be secret.
 */
value: string | null, 
/**
 * What is wrong with it.
 */
flaw: Unfit, } | { "why": "too_large", 
/**
 * How many bytes it has.
 */
bytes: number, 
/**
 * How many are read.
 */
most: number, } | { "why": "no_text" } | { "why": "unparsed", 
/**
 * In which line, from 1.
 */
line: number, 
/**
 * At which character of it, from 1.
 */
column: number, 
/**
 * What its reader says.
 */
error: string, } | { "why": "unreadable", 
/**
 * What the system says.
 */
error: string, };

/**
 * Reads what is set; the file may have been edited.
 */
export type ReadSettings = Record<symbol, never>;

/**
 * Changes one setting.
 */
export type ChangeSetting = { 
/**
 * Which, and to what.
 */
change: Setting, };

/**
 * What is set.
 */
export type SettingsRead = { 
/**
 * What holds.
 */
settings: Settings, 
/**
 * What stands in the file and has no effect.
 */
ignored: Array<IgnoredSetting>, 
/**
 * What is set and the system does not do.
 */
unmet: Array<Unmet>, 
/**
 * Where the file is.
 */
file: string, };

/**
 * Something that is set and the system does not do.
 */
export type Unmet = { "setting": "start_at_login", 
/**
 * Why.
 */
why: UnmetWhy, } | { "setting": "global_shortcut", 
/**
 * Why.
 */
why: UnmetWhy, };

/**
 * Why the system does not do what is set; the words are chosen by the screen.
 */
export type UnmetWhy = { "why": "own_folder" } | { "why": "taken" } | { "why": "wayland" } | { "why": "system", 
/**
 * What it said.
 */
error: string, };

/**
 * What waits for the person: a question or a permission, never both.
 */
export type Waiting = { "what": "question", "id": RequestId } | { "what": "permission", "id": ApprovalId };

/**
 * Why the person might be told now.
 */
export type Occasion = "asked" | "reminder" | "finished";

/**
 * What the rule comes to.
 */
export type Telling = { "telling": "notify", "why": Form } | { "telling": "badge_only", "why": Silenced } | { "telling": "untold", "why": Silenced } | { "telling": "nothing", "why": NoNews };

/**
 * What a notification shows.
 */
export type Form = "whole" | "private" | "summary";

/**
 * Why only the counts say that something waits.
 */
export type Silenced = "never" | "paused" | "muted" | "subagent" | "quiet_hours" | "summary" | "burst";

/**
 * Why there is nothing to say.
 */
export type NoNews = "before" | "ended" | "in_view" | "waits" | "unwanted";

/**
 * Asks for the last decisions of the rule of what is told.
 */
export type ReadTellings = Record<symbol, never>;

/**
 * What was decided last, newest first.
 */
export type TellingsRead = { 
/**
 * The decisions of this run.
 */
tellings: Array<Decided>, };

/**
 * One decision of the rule of what is told.
 */
export type Decided = { 
/**
 * When it was decided.
 */
at: Timestamp, 
/**
 * The name of the session that asks.
 */
session: string, 
/**
 * What waits; nothing does where a session has finished its turn.
 */
waiting: Waiting | null, 
/**
 * Why the person might have been told.
 */
occasion: Occasion, 
/**
 * What it came to.
 */
telling: Telling, };

/**
 * A program whose agents can ask over the desk's door.
 */
export type Client = "claude-code" | "codex" | "gemini-cli" | "opencode" | "cursor" | "vscode" | "copilot-cli" | "windsurf" | "antigravity" | "zed";

/**
 * What stands in the way of questions though the entry is there.
 */
export type Obstacle = "hooks_off" | "denied" | "differs" | "by_hand";

/**
 * Asks how the other programs whose agents can ask stand to the desk; only the person's own files are looked at.
 */
export type ReadClients = Record<symbol, never>;

/**
 * How they stand.
 */
export type ClientsRead = { 
/**
 * The port the desk listens at; none while other programs cannot ask.
 */
port: number | null, 
/**
 * Every program that is known, those that are there first.
 */
clients: Array<ClientRead>, };

/**
 * How one program stands to the desk.
 */
export type ClientRead = { 
/**
 * Which.
 */
client: Client, 
/**
 * Whether anything shows that it is there.
 */
found: boolean, 
/**
 * Its files in which something has to stand.
 */
files: Array<string>, 
/**
 * Whether something of the desk stands in one of them.
 */
connected: boolean, 
/**
 * Whether a question of its agents arrives, if the desk takes any.
 */
way: ClientWay, 
/**
 * After how many seconds a wait is cut short; none where nobody knows.
 */
limitSeconds: number | null, 
/**
 * When it asked last, as far as the desk knows.
 */
lastQuestion: Timestamp | null, };

/**
 * The way of a question from a program to the desk.
 */
export type ClientWay = { "way": "works", 
/**
 * What is worth knowing all the same.
 */
but: Array<Obstacle>, } | { "way": "broken", 
/**
 * Why.
 */
why: ClientBreak, } | { "way": "not_connected" };

/**
 * Why a question does not arrive; the words are chosen by the screen.
 */
export type ClientBreak = { "why": "stale", 
/**
 * The file.
 */
file: string, } | { "why": "off", 
/**
 * The file.
 */
file: string, } | { "why": "foreign", 
/**
 * The file.
 */
file: string, } | { "why": "unusable", 
/**
 * The file.
 */
file: string, 
/**
 * What stands against it.
 */
trouble: FileTrouble, } | { "why": "half", 
/**
 * The file.
 */
file: string, } | { "why": "forbidden", 
/**
 * By what.
 */
by: Obstacle, };

/**
 * Why a file of another program is left as it is; the words are chosen by the screen.
 */
export type FileTrouble = { "trouble": "unparsed", 
/**
 * What it should be.
 */
kind: string, 
/**
 * What its reader says.
 */
error: string, } | { "trouble": "no_object" } | { "trouble": "no_place", 
/**
 * Where, with dots between.
 */
path: string, } | { "trouble": "twice", 
/**
 * Where, with dots between.
 */
path: string, } | { "trouble": "no_text" } | { "trouble": "too_large" } | { "trouble": "read_only" } | { "trouble": "no_file" } | { "trouble": "outside", 
/**
 * Where it leads.
 */
to: string, 
/**
 * Where it should stay.
 */
within: string, } | { "trouble": "dead_link" } | { "trouble": "unsafe" } | { "trouble": "changed" } | { "trouble": "system", 
/**
 * What it says.
 */
error: string, };

/**
 * Asks the programs that are there for their versions, which takes seconds.
 */
export type ReadClientVersions = Record<symbol, never>;

/**
 * The versions of those that said one in time.
 */
export type ClientVersions = { 
/**
 * The versions.
 */
versions: Array<ClientVersion>, };

/**
 * The version of one program.
 */
export type ClientVersion = { 
/**
 * Which program.
 */
client: Client, 
/**
 * What it said.
 */
version: string, };

/**
 * Finds out what telling a program of the desk would change, or undoing that; nothing is written.
 */
export type PlanClient = { 
/**
 * The caller's id of this command; it names the plan.
 */
requestId: CommandId, 
/**
 * The program.
 */
client: Client, 
/**
 * What is wanted.
 */
goal: ClientGoal, };

/**
 * What is wanted of a program.
 */
export type ClientGoal = "connected" | "disconnected";

/**
 * What would change. Tokens are left out of it.
 */
export type ClientPlan = { 
/**
 * What would change in which file; nothing where all stands already.
 */
changes: Array<ClientChange>, 
/**
 * What the person should know.
 */
notes: Array<ClientNote>, };

/**
 * What would change in one file.
 */
export type ClientChange = { 
/**
 * The file.
 */
file: string, 
/**
 * What becomes of it.
 */
becomes: FileBecomes, 
/**
 * A unified diff without the names of files; empty where only a token differs.
 */
diff: string, 
/**
 * Whether the diff is too long to be shown whole.
 */
cut: boolean, 
/**
 * Where the file is kept as it is now; none where no copy is made.
 */
copy: string | null, };

/**
 * What becomes of a file.
 */
export type FileBecomes = "made" | "changed" | "removed";

/**
 * What the person should know of a change; the words are chosen by the screen.
 */
export type ClientNote = { "note": "open_to_others", 
/**
 * The file.
 */
file: string, } | { "note": "changed_since", 
/**
 * The file.
 */
file: string, 
/**
 * Where it stands as it was.
 */
copy: string, } | { "note": "by_hand", 
/**
 * The file.
 */
file: string, } | { "note": "old_copy", 
/**
 * The copy.
 */
copy: string, } | { "note": "other_port", 
/**
 * The port.
 */
port: number, } | { "note": "no_command" };

/**
 * Carries out the plan that was shown last, and nothing else.
 */
export type ChangeClient = { 
/**
 * The caller's id of this command; sent again, it does nothing more.
 */
requestId: CommandId, 
/**
 * The command that made the plan.
 */
plan: CommandId, };

/**
 * Asks a test question in the way of other programs.
 */
export type TestDoor = { 
/**
 * The caller's id of this command; sent again, it asks nothing more.
 */
requestId: CommandId, };

/**
 * Says what the window shows, so that nobody is told of what they are looking at.
 */
export type NoteView = { 
/**
 * The session that is shown; none on the first screen.
 */
session: SessionId | null, 
/**
 * Whether the window has the focus.
 */
focused: boolean, };

/**
 * Says that something was painted, for the log and for measurements.
 */
export type NotePainted = { 
/**
 * The request; none means the window's first paint.
 */
request: RequestId | null, 
/**
 * When, by the page's clock: the way here takes time of its own.
 */
at: Timestamp, };

/**
 * Says that a command was carried out.
 */
export type Done = Record<symbol, never>;

/**
 * What kind of entry it is, without what it says.
 */
export type EntryKind = "person" | "agent" | "thinking" | "tool" | "request" | "approval" | "plan" | "notice" | "turn_ended";

/**
 * Finds entries of all sessions by their words.
 */
export type SearchHistory = { 
/**
 * Words that an entry must hold, or the beginnings of words; quotes hold words together.
 */
query: string, 
/**
 * How many hits at most.
 */
limit: number, 
/**
 * How many of the best hits to pass over.
 */
offset: number, };

/**
 * What was found, best first.
 */
export type HistoryFound = { 
/**
 * The hits.
 */
hits: Array<SearchHit>, 
/**
 * Whether there are further ones.
 */
more: boolean, };

/**
 * One entry that was found, with what stands around the match. All of it is text, never markup.
 */
export type SearchHit = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The session's name.
 */
name: string, 
/**
 * The session's folder.
 */
folder: string, 
/**
 * The entry's place in the transcript.
 */
n: number, 
/**
 * When the entry was first written.
 */
at: Timestamp, 
/**
 * What kind of entry it is.
 */
kind: EntryKind, 
/**
 * What stands before the match.
 */
before: string, 
/**
 * The match.
 */
match: string, 
/**
 * What stands behind it.
 */
after: string, };

/**
 * Lists the sessions that are over.
 */
export type ReadPastSessions = Record<symbol, never>;

/**
 * The sessions that are over, oldest first.
 */
export type PastSessions = { 
/**
 * The sessions.
 */
sessions: Array<Session>, };

/**
 * In which form a session is exported.
 */
export type ExportFormat = "markdown" | "json";

/**
 * Writes a whole session to a file that the person chooses.
 */
export type SaveExport = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * In which form.
 */
format: ExportFormat, };

/**
 * Where an export was written.
 */
export type SavedExport = { 
/**
 * The file; none if the person chose none.
 */
path: string | null, };

/**
 * Deletes a session that is over for good: its transcript, questions and answers.
 */
export type DeleteSession = { 
/**
 * The caller's id of this command.
 */
requestId: CommandId, 
/**
 * The session.
 */
session: SessionId, };

/**
 * How a request ended, without what was said.
 */
export type OutcomeKind = "answered" | "declined" | "replied_in_chat" | "expired" | "withdrawn" | "orphaned";

/**
 * Which requests of the past are looked at; those that are open are none of them.
 */
export type QuestionsWanted = { 
/**
 * Words that the request must hold, as in a search; blank stands for any.
 */
query: string, 
/**
 * Whose; none stands for every session.
 */
session: SessionId | null, 
/**
 * How they ended; empty stands for any way.
 */
outcomes: Array<OutcomeKind>, };

/**
 * Finds requests that have ended.
 */
export type SearchQuestions = { 
/**
 * Which.
 */
wanted: QuestionsWanted, 
/**
 * How many at most.
 */
limit: number, 
/**
 * How many of the newest to pass over.
 */
offset: number, };

/**
 * The requests of the past that were wanted, newest first.
 */
export type QuestionsFound = { 
/**
 * A stretch of them.
 */
questions: Array<PastQuestion>, 
/**
 * Whether there are further ones.
 */
more: boolean, 
/**
 * How many there are in all.
 */
count: number, 
/**
 * How many of all were answered.
 */
answered: number, 
/**
 * The median time from asked to answered over all that were answered, in milliseconds; none where none was.
 */
medianMillis: number | null, };

/**
 * A request that has ended, with whose it was.
 */
export type PastQuestion = { 
/**
 * The session's name.
 */
name: string, 
/**
 * The session's folder.
 */
folder: string, 
/**
 * Where the session comes from.
 */
origin: Origin, 
/**
 * The request with its end.
 */
request: Request, };

/**
 * In which form questions are exported.
 */
export type QuestionsFormat = "csv" | "json";

/**
 * Writes the requests that are wanted to a file that the person chooses.
 */
export type SaveQuestions = { 
/**
 * Which.
 */
wanted: QuestionsWanted, 
/**
 * In which form.
 */
format: QuestionsFormat, };

/**
 * What a person has begun on a request: choices, words, and which question they were at.
 */
export type Draft = { 
/**
 * The index of the question that is shown; the number of questions means the summary.
 */
active: number, 
/**
 * What was begun on each question; one that is missing was not touched.
 */
answers: Array<DraftAnswer>, 
/**
 * Whether the person is about to decline.
 */
declining: boolean, 
/**
 * What the agent would be told then.
 */
words: string, };

/**
 * What was begun on one question; kept as it stands, even where it could not be sent so.
 */
export type DraftAnswer = { 
/**
 * The question.
 */
question: QuestionId, 
/**
 * The chosen options.
 */
chosen: Array<OptionId>, 
/**
 * Whether the person's own words are chosen.
 */
otherChosen: boolean, 
/**
 * The person's own words, kept even while something else is chosen.
 */
other: string, 
/**
 * A note on the choice.
 */
note: string, };

/**
 * What a person has begun to decide on an approval.
 */
export type ApprovalDraft = { 
/**
 * Which of its forms stands open.
 */
form: ApprovalForm, 
/**
 * What the agent would be told with a refusal.
 */
message: string, 
/**
 * The chosen options; none while the person has not touched them.
 */
options: Array<ApprovalOptionId> | null, 
/**
 * The plan as the person edited it; none while it is as the agent wrote it.
 */
plan: string | null, };

/**
 * A form of an approval that a person can have open.
 */
export type ApprovalForm = "none" | "options" | "message" | "plan";

/**
 * A draft with what it was begun on.
 */
export type DraftOf = { "of": "request", 
/**
 * Which.
 */
id: RequestId, 
/**
 * What.
 */
draft: Draft, } | { "of": "approval", 
/**
 * Which.
 */
id: ApprovalId, 
/**
 * What.
 */
draft: ApprovalDraft, };

/**
 * Keeps a draft in the place of the one before; a blank one takes it away. A save that a later one of the same page
 * has overtaken changes nothing.
 */
export type SaveDraft = { 
/**
 * The page that saves, by an id of its own from its load to its end.
 */
page: CommandId, 
/**
 * Counts the page's saves.
 */
n: number, 
/**
 * The draft; what it says to a secret question is not kept.
 */
draft: DraftOf, };

/**
 * Reads all drafts.
 */
export type ReadDrafts = Record<symbol, never>;

/**
 * All drafts that are kept.
 */
export type DraftsRead = { 
/**
 * Those that were saved last first.
 */
drafts: Array<DraftOf>, };

/**
 * Why a command failed; a consumer branches on the code, and the screen chooses the words.
 */
export type ErrorCode = "not_found" | "already_ended" | "invalid" | "session_gone" | "unsupported" | "agent_refused" | "agent_missing" | "folder_missing" | "not_started" | "storage_busy" | "storage_full" | "storage" | "settings_not_written" | "extras_changed" | "closing" | "file_not_written" | "attachment_gone" | "doors_shut" | "door_failed" | "client_file_left" | "plan_gone";

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
field: string | null, 
/**
 * Who or what ended it, and when.
 */
ended: EndedElsewhere | null, 
/**
 * What belongs to the code, where the screen can say more than the code alone; the message says it in English.
 */
detail?: Detail, };

/**
 * Who or what had ended a request before the command came.
 */
export type EndedElsewhere = { 
/**
 * Who or what.
 */
by: EndedBy, 
/**
 * When.
 */
at: Timestamp, };

/**
 * What belongs to the code of an error; the words are chosen by the screen.
 */
export type Detail = { "detail": "breach", 
/**
 * How.
 */
breach: Breach, } | { "detail": "folder", 
/**
 * Which.
 */
path: string, 
/**
 * What is wrong with it.
 */
problem: FolderProblem, } | { "detail": "file", 
/**
 * Which; none where it has no path here.
 */
path: string | null, 
/**
 * What the system said.
 */
error: string, } | { "detail": "client_file", 
/**
 * Which.
 */
file: string, 
/**
 * What stands against it.
 */
trouble: FileTrouble, } | { "detail": "storage", 
/**
 * What.
 */
trouble: StorageTrouble, } | { "detail": "refused", 
/**
 * What.
 */
why: ChangeRefused, } | { "detail": "unable", 
/**
 * What.
 */
what: Unable, };

/** Every command of the bridge: what it takes and what it gives. */
export interface CommandMap {
  answer_question: { input: AnswerQuestion; output: Request };
  hold_answer: { input: HoldAnswer; output: Done };
  take_back_answer: { input: TakeBackAnswer; output: Done };
  decline_question: { input: DeclineQuestion; output: Request };
  cancel_question: { input: CancelQuestion; output: Request };
  retry_delivery: { input: RetryDelivery; output: Request };
  dismiss_request: { input: DismissRequest; output: Request };
  decide_approval: { input: DecideApproval; output: Approval };
  start_session: { input: StartSession; output: Session };
  send_message: { input: SendMessage; output: Done };
  attach_image: { input: AttachImage; output: AttachedFiles };
  discard_attachments: { input: DiscardAttachments; output: Done };
  queue_message: { input: QueueMessage; output: Session };
  edit_queued: { input: EditQueued; output: Session };
  remove_queued: { input: RemoveQueued; output: Session };
  send_queued: { input: SendQueued; output: Done };
  interrupt_session: { input: InterruptSession; output: Done };
  stop_session: { input: StopSession; output: Done };
  rename_session: { input: RenameSession; output: Session };
  set_attention: { input: SetAttention; output: Session };
  move_session: { input: MoveSession; output: Done };
  close_session: { input: CloseSession; output: Done };
  resume_session: { input: ResumeSession; output: Session };
  set_config: { input: SetConfig; output: Done };
  list_agents: { input: ListAgents; output: AgentsFound };
  read_transcript: { input: ReadTranscript; output: TranscriptPage };
  read_log: { input: ReadLog; output: SessionLog };
  read_settings: { input: ReadSettings; output: SettingsRead };
  change_setting: { input: ChangeSetting; output: SettingsRead };
  read_tellings: { input: ReadTellings; output: TellingsRead };
  read_clients: { input: ReadClients; output: ClientsRead };
  read_client_versions: { input: ReadClientVersions; output: ClientVersions };
  plan_client: { input: PlanClient; output: ClientPlan };
  change_client: { input: ChangeClient; output: Done };
  test_door: { input: TestDoor; output: Done };
  note_view: { input: NoteView; output: Done };
  note_painted: { input: NotePainted; output: Done };
  search_history: { input: SearchHistory; output: HistoryFound };
  read_past_sessions: { input: ReadPastSessions; output: PastSessions };
  save_export: { input: SaveExport; output: SavedExport };
  search_questions: { input: SearchQuestions; output: QuestionsFound };
  save_questions: { input: SaveQuestions; output: SavedExport };
  delete_session: { input: DeleteSession; output: Done };
  save_draft: { input: SaveDraft; output: Done };
  read_drafts: { input: ReadDrafts; output: DraftsRead };
}
