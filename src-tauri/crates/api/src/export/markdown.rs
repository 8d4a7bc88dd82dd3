//! A session to be read. What anybody said stands in quotes or fences, so that no text can pose as somebody else's.

use std::collections::HashMap;

use askdesk_contract::TranscriptPage;
use askdesk_domain::tool::shown_name;
use askdesk_domain::{
    Answer, Approval, ApprovalDecision, ApprovalOption, ApprovalOptionKind, ApprovalState, Attachment,
    Channel, Delivery, EarlierMessages, Ended, EndedBy, Entry, EntryBody, HelperEnd, HelperKind, Notice,
    OptionLabel, OptionScope, OriginKind, OrphanedWhy, Outcome, Question, RemarkStance, Request, Session,
    SessionEnd, SessionState, ToolDetail, ToolRule, ToolStatus, Unsaved, WithdrawnWhy,
};

use super::time;

const MOMENT: &str = "%Y-%m-%d %H:%M:%S UTC";

/// Writes a session; `agent` is the name of its agent.
pub(crate) fn write(session: &Session, agent: &str, whole: &TranscriptPage) -> String {
    let requests: HashMap<_, _> = whole.requests.iter().map(|request| (request.id, request)).collect();
    let approvals: HashMap<_, _> = whole.approvals.iter().map(|approval| (approval.id, approval)).collect();
    let mut parts = vec![head(session, agent)];
    for entry in &whole.entries {
        parts.push(match &entry.body {
            EntryBody::Request { request } => {
                requests.get(request).map(|it| of_request(it)).unwrap_or_default()
            }
            EntryBody::Approval { approval } => {
                approvals.get(approval).map(|it| of_approval(it)).unwrap_or_default()
            }
            _ => of_entry(entry),
        });
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn head(session: &Session, agent: &str) -> String {
    let agent = match &session.origin.kind {
        OriginKind::Started { .. } | OriginKind::Attached { .. } => inline(agent),
        OriginKind::Inbound { channel: Channel::Mcp, .. } => "MCP client".to_owned(),
        OriginKind::Inbound { channel: Channel::TerminalHook, client } => {
            format!("{} in a terminal", inline(client))
        }
        OriginKind::Inbound { channel: Channel::CommandLine, .. } => "Command line".to_owned(),
    };
    let mut lines = vec![format!("# {}", inline(&session.name)), String::new()];
    let version = session.version.iter().map(|version| format!(" {}", inline(version)));
    lines.push(format!("- Agent: {agent}{}", version.collect::<String>()));
    lines.extend(session.model.iter().map(|model| format!("- Model: {}", inline(model))));
    lines.extend(session.origin.client().map(|client| format!("- Client: {}", inline(client))));
    // A client need not say where it works.
    if !session.folder.is_empty() {
        lines.push(format!("- Folder: {}", inline(&session.folder)));
    }
    lines.push(format!("- Started: {}", time(session.started_at, MOMENT)));
    if let SessionState::Ended { end, at } = &session.state {
        let how = match end {
            SessionEnd::Finished if session.origin.is_inbound() => "the client had left".to_owned(),
            SessionEnd::Finished => "the agent had finished".to_owned(),
            SessionEnd::Stopped => "stopped by the user".to_owned(),
            SessionEnd::AppQuit => "Askdesk was closed".to_owned(),
            SessionEnd::Failed { why } => format!("failed: {}", inline(&why.to_string())),
        };
        lines.push(format!("- Ended: {}, {how}", time(*at, MOMENT)));
    }
    lines.join("\n")
}

fn of_entry(entry: &Entry) -> String {
    let title = |who: &str| format!("**{who}** · {}", time(entry.at, MOMENT));
    match &entry.body {
        EntryBody::User { text, attachments } => {
            let words = (!text.is_empty()).then(|| quoted(text));
            let names = attachments.iter().map(|attachment| format!("- {}", of_attachment(attachment)));
            let names = names.collect::<Vec<_>>().join("\n");
            let parts = words.into_iter().chain((!names.is_empty()).then_some(names));
            std::iter::once(title("You")).chain(parts).collect::<Vec<_>>().join("\n\n")
        }
        EntryBody::Agent { text } => format!("{}\n\n{}", title("Agent"), quoted(text)),
        EntryBody::Thinking { text } => format!("{}\n\n{}", title("Agent, thinking"), quoted(text)),
        EntryBody::Tool { name, summary, detail, status, output, images, subagent, .. } => {
            let status = match status {
                ToolStatus::Pending => "pending",
                ToolStatus::AwaitingPermission => "waiting for permission",
                ToolStatus::Running => "running",
                ToolStatus::Done => "done",
                ToolStatus::Failed => "failed",
                ToolStatus::Denied => "denied",
                ToolStatus::Refused => "refused by the agent, not run",
                ToolStatus::NoResult => "no result",
            };
            let name = match detail {
                ToolDetail::Plan { .. } => "Plan".into(),
                _ => shown_name(name),
            };
            let by = subagent.as_ref().map(|title| format!("{}: ", inline(title))).unwrap_or_default();
            let line = format!("{} · {by}{} {} · {status}", title("Tool"), inline(&name), inline(summary));
            let output = output.as_ref().map(|output| format!("\n\n{}", fenced(output)));
            let images = images
                .iter()
                .map(|image| format!("\n\n- Image, {}, {} bytes", image.format.media_type(), image.bytes));
            let images = images.collect::<String>();
            format!("{line}\n\n{}{}{images}", fenced(&detail.text()), output.unwrap_or_default())
        }
        EntryBody::Plan { items } => {
            let plan = ToolDetail::Todos { items: items.clone() };
            format!("{}\n\n{}", title("Plan"), fenced(&plan.text()))
        }
        EntryBody::Notice { notice } => format!("{} · {}", title("Note"), of_notice(notice)),
        EntryBody::TurnEnded { millis, input_tokens, output_tokens, error, cost_usd, .. } => {
            let cost = cost_usd.map(|cost| format!(", ${:.4}", cost.dollars())).unwrap_or_default();
            let tokens = format!("{input_tokens} tokens read, {output_tokens} written{cost}");
            let seconds = *millis as f64 / 1000.0;
            match error {
                None => format!("{} · {seconds:.1} s · {tokens}", title("Turn ended")),
                Some(error) => format!("{} · {seconds:.1} s · {}", title("Turn failed"), inline(error)),
            }
        }
        EntryBody::CopiedQuestion { questions, outcome } => {
            let what = if questions.len() == 1 { "Copied question" } else { "Copied questions" };
            let end = outcome.as_ref().map_or_else(|| "Its end is not known".to_owned(), of_outcome);
            let parts = std::iter::once(title(what)).chain(of_questions(questions, outcome.as_ref()));
            parts.chain([end]).collect::<Vec<_>>().join("\n\n")
        }
        EntryBody::Request { .. } | EntryBody::Approval { .. } => String::new(),
    }
}

fn of_notice(notice: &Notice) -> String {
    match notice {
        Notice::QuestionRefused { reason } => format!("A question could not be shown: {}", inline(reason)),
        Notice::PermissionRefused { reason } => {
            format!("A permission request could not be shown and was refused: {}", inline(reason))
        }
        Notice::HookFailed { output } => {
            format!(
                "A Git hook failed while the worktree was made, and the worktree was kept: {}",
                inline(output)
            )
        }
        Notice::BegunElsewhere { earlier } => {
            let earlier = match earlier {
                EarlierMessages::All => "What is above is copied from there.",
                EarlierMessages::Newest => "What is above is copied from its newest part.",
                EarlierMessages::Unread => "Its earlier messages couldn’t be read.",
            };
            format!("This session was begun outside Askdesk. {earlier}")
        }
        Notice::Forked { earlier, .. } => {
            let earlier = match earlier {
                EarlierMessages::All | EarlierMessages::Unread => "What is above is copied from there.",
                EarlierMessages::Newest => "What is above is copied from its newest part.",
            };
            format!("This session is a fork of another one. {earlier}")
        }
        Notice::FilesPutBack { files, left, more } => {
            let left = match left.len() as u64 + u64::from(*more) {
                0 => String::new(),
                count => format!(" {count} more were left as they are."),
            };
            format!("Files put back to how they were before the message: {files}.{left}")
        }
        Notice::FilesNotPutBack { error } => format!("The files were not put back: {}", inline(error)),
        Notice::EntriesLost { count } => {
            format!("{count} entries are missing here, because the disk accepted nothing for too long.")
        }
        Notice::Unreadable => "An entry is damaged and can’t be read.".to_owned(),
        Notice::AgentTold { text } => format!("From the agent: {}", inline(text)),
        Notice::AgentWarned { text } => format!("The agent warned: {}", inline(text)),
        Notice::AgentUnsaved { what } => {
            let what = match what {
                Unsaved::Conversation => "a part of this conversation",
                Unsaved::Settings => "changes to its own settings",
            };
            format!("The agent couldn’t store {what}, because the disk or its quota was full.")
        }
        Notice::ModelRefused { refused, model, lasting, why } => {
            let after = if *lasting { "The session goes on with it." } else { "Only this once." };
            let why = why.iter().map(|why| format!(" ({})", inline(why))).collect::<String>();
            format!("{} refused a request{why}, and {} answered it. {after}", inline(refused), inline(model))
        }
        Notice::NotUnderstood { kind, text, refused } => {
            let end = if *refused { ", and refused it" } else { "" };
            format!("Askdesk didn’t understand what the agent sent ({}){end}: {}", inline(kind), inline(text))
        }
        Notice::QuestionTurnedOff { text, .. } => {
            format!("A question was refused because this session’s questions are off: {}", inline(text))
        }
        Notice::AnswersBrought => "The agent brought the answers itself, so nothing was asked.".to_owned(),
        Notice::SameTextJoined { text } => {
            format!("Two questions have the same text, so their answers went out together: {}", inline(text))
        }
        Notice::CutInHalf => "The agent’s last line was cut in half when it ended.".to_owned(),
        Notice::Interrupted => "The agent was stopped by the user.".to_owned(),
        Notice::HelperEnded { helper, title, end } => {
            let kind = match helper {
                HelperKind::Subagent => "subagent",
                HelperKind::Shell => "command",
                HelperKind::Task => "task",
            };
            let end = match end {
                HelperEnd::Finished => "finished",
                HelperEnd::Failed => "failed",
                HelperEnd::Stopped => "was stopped by the agent",
                HelperEnd::ByUser => "was stopped by the user",
                HelperEnd::WithTurn => "was stopped by the agent when the user stopped its turn",
                HelperEnd::WithAgent => "ended with the agent",
            };
            format!("The background {kind} “{}” {end}.", inline(title))
        }
        Notice::HelperNotStopped { title, error } => {
            format!("The agent did not stop “{}”: {}", inline(title), inline(error))
        }
        Notice::Compacted => "The agent summarized the conversation to make room in its context.".to_owned(),
        Notice::ConversationReset => "The agent forgot the conversation and began another one.".to_owned(),
        Notice::LoginRejected { error } => {
            format!("The model’s provider rejected the agent’s key or login: {}", inline(error))
        }
        Notice::SignInChanged { error } => format!(
            "The sign-in has changed since the agent started, and the model’s provider rejected the old one: {}",
            inline(error)
        ),
        Notice::ProgramReplaced => {
            "The agent’s program was updated or removed while the session ran.".to_owned()
        }
        Notice::MessageNotSent { error } => {
            format!("A message did not reach the agent: {}", inline(&error.to_string()))
        }
    }
}

fn of_request(request: &Request) -> String {
    let title = if request.questions.len() == 1 { "Question" } else { "Questions" };
    let by = request.asked_by.iter().map(|by| format!(" · asked by {}", inline(by))).collect::<String>();
    let mut parts = vec![format!("**{title}** · {}{by}", time(request.asked_at, MOMENT))];
    parts.extend(of_questions(&request.questions, request.ended().map(|ended| &ended.outcome)));
    parts.push(match request.ended() {
        None => "Waiting for an answer.".to_owned(),
        Some(ended) => of_end(ended),
    });
    parts.join("\n\n")
}

fn of_questions<'a>(
    questions: &'a [Question],
    outcome: Option<&'a Outcome>,
) -> impl Iterator<Item = String> + 'a {
    let answers = match outcome {
        Some(Outcome::Answered { answers }) => Some(answers),
        _ => None,
    };
    questions.iter().map(move |question| {
        let answer = answers.and_then(|answers| answers.to(question.id));
        of_question(question, answer, answers.is_some())
    })
}

fn of_question(question: &Question, answer: Option<&Answer>, answered: bool) -> String {
    let mut lines = vec![quoted(&question.text), String::new()];
    for option in &question.options {
        let mark = if answer.is_some_and(|answer| answer.chosen.contains(&option.id)) { "x" } else { " " };
        let about = option.description.iter().map(|about| format!(" — {}", inline(about)));
        lines.push(format!("- [{mark}] {}{}", inline(&option.label), about.collect::<String>()));
    }
    match answer {
        Some(answer) if answer.secret_given => lines.push("- Secret given".to_owned()),
        Some(answer) => {
            lines.extend(answer.other.iter().map(|words| format!("- In own words: {}", inline(words))));
        }
        None if answered => lines.push("- Not answered".to_owned()),
        None => {}
    }
    let note = answer.and_then(|answer| answer.note.as_deref());
    lines.extend(note.map(|note| format!("- Note: {}", inline(note))));
    lines.join("\n").trim_end().to_owned()
}

/// How a question ended, and by whom.
fn of_outcome(outcome: &Outcome) -> String {
    let words = |what: &str, words: Option<&String>| match words {
        Some(words) => format!("{what}: {}", inline(words)),
        None => what.to_owned(),
    };
    let how = match outcome {
        Outcome::Answered { .. } => "Answered".to_owned(),
        Outcome::Declined { words: said } => words("Declined", said.as_ref()),
        Outcome::RepliedInChat { text } => words("Replied in chat", Some(text)),
        Outcome::Expired => "The time limit passed".to_owned(),
        Outcome::Withdrawn { why } => match why {
            WithdrawnWhy::ByAgent => "Withdrawn".to_owned(),
            WithdrawnWhy::TurnEnded => "The turn ended before an answer".to_owned(),
            WithdrawnWhy::Interrupted => "Interrupted".to_owned(),
            WithdrawnWhy::AnsweredElsewhere => "Answered elsewhere".to_owned(),
            WithdrawnWhy::Canceled { reason } => words("Canceled", reason.as_ref()),
        },
        Outcome::Orphaned { why } => match why {
            OrphanedWhy::AgentEnded => "Missed: the agent ended before an answer".to_owned(),
            OrphanedWhy::SessionStopped => "Missed: the session was stopped before an answer".to_owned(),
            OrphanedWhy::AppQuit => "Missed: Askdesk was closed before an answer".to_owned(),
            OrphanedWhy::CallerGone => "Missed: the client stopped waiting before an answer".to_owned(),
        },
    };
    let by = match outcome.by() {
        EndedBy::User => "by the user",
        EndedBy::UserInChat => "by the user’s message",
        EndedBy::Agent => "by the agent",
        EndedBy::Elsewhere => "in another place",
        EndedBy::Limit => "by its time limit",
        EndedBy::Session => "by the end of its session",
    };
    format!("{how} · {by}")
}

fn of_end(ended: &Ended) -> String {
    let delivery = match &ended.delivery {
        None => String::new(),
        Some(Delivery::Pending) => " · on its way to the agent".to_owned(),
        Some(Delivery::Delivered { at, .. }) => format!(" · delivered {}", time(*at, MOMENT)),
        Some(Delivery::Failed { error }) => format!(" · not delivered: {}", inline(&error.to_string())),
        Some(Delivery::Parked) => " · kept, the agent was no longer there to take it".to_owned(),
    };
    format!("{} · {}{delivery}", of_outcome(&ended.outcome), time(ended.at, MOMENT))
}

fn of_approval(approval: &Approval) -> String {
    let says = |words: &Option<String>, who: &str| {
        words.as_ref().map(|words| format!("\n\n{who}: {}", inline(words))).unwrap_or_default()
    };
    let remark = approval.remark.as_ref().map(|remark| match (remark.stance, &remark.words) {
        (RemarkStance::NoByDefault, None) => "\n\n**The agent takes this for denied**".to_owned(),
        (RemarkStance::NoByDefault, words) => says(words, "**The agent warns**"),
        (RemarkStance::Reason, words) => says(words, "The agent says"),
    });
    let remark = remark.unwrap_or_default();
    let model = says(&approval.description, "The model says");
    let title = format!("**Permission** · {}", time(approval.asked_at, MOMENT));
    let how = match &approval.state {
        ApprovalState::Open => "Waiting for a decision.".to_owned(),
        ApprovalState::Decided { decision, at, error } => {
            let decided = match approval.denied_by() {
                Some(rule) => format!("Denied by the rule {}, without asking", inline(&rule.to_string())),
                None => of_decision(approval, decision),
            };
            let error = error.iter().map(|error| format!(" · not delivered: {}", inline(&error.to_string())));
            format!("{decided} · {}{}", time(*at, MOMENT), error.collect::<String>())
        }
        ApprovalState::Withdrawn { at } => format!("No longer asked for · {}", time(*at, MOMENT)),
        ApprovalState::Refused { at } => {
            format!("Refused by the agent, not run. No decision · {}", time(*at, MOMENT))
        }
    };
    let called = inline(&approval.shown_title());
    let subject = fenced(&approval.subject.text());
    format!("{title} · {called}{remark}\n\n{subject}{model}\n\n{how}")
}

fn of_decision(approval: &Approval, decision: &ApprovalDecision) -> String {
    let chosen: Vec<&ApprovalOption> = decision.options.iter().filter_map(|id| approval.option(id)).collect();
    let labels = || chosen.iter().map(|option| of_option(option)).collect::<Vec<_>>().join("; ");
    match (chosen.first().map(|option| option.kind), &decision.message, &decision.plan) {
        (None, ..) => "Decided".to_owned(),
        (Some(ApprovalOptionKind::AllowOnce), _, Some(plan)) => {
            format!("{}\n\nApproved with these changes", fenced(plan))
        }
        (Some(ApprovalOptionKind::AllowOnce), ..) if approval.is_plan() => "Approved".to_owned(),
        (Some(ApprovalOptionKind::AllowOnce), ..) => "Allowed once".to_owned(),
        (Some(ApprovalOptionKind::AllowAlways), ..) => format!("Allowed, with {}", labels()),
        (Some(ApprovalOptionKind::RejectOnce), None, _) => "Denied".to_owned(),
        (Some(ApprovalOptionKind::RejectAlways), None, _) => format!("Denied, with {}", labels()),
        (Some(_), Some(message), _) => format!("Denied: {}", inline(message)),
    }
}

/// An option that was chosen, and how far it reaches.
fn of_option(option: &ApprovalOption) -> String {
    let words = match &option.label {
        OptionLabel::Plain => "no further condition".to_owned(),
        OptionLabel::Text { text } => inline(text),
        OptionLabel::Tool { tool, content, behavior } => {
            let verb = match behavior {
                ToolRule::Allow => "always allow",
                ToolRule::Ask => "always ask for",
                ToolRule::Deny => "always deny",
            };
            let content = content.iter().map(|content| format!(" ({})", inline(content)));
            format!("{verb} {}{}", inline(&shown_name(tool)), content.collect::<String>())
        }
        OptionLabel::Folder { paths } => {
            let paths: Vec<String> = paths.iter().map(|path| inline(path)).collect();
            format!("work in {}", paths.join(", "))
        }
        OptionLabel::Config { option, value } => {
            format!("{} {} from now on", inline(option.as_str()), inline(value.as_str()))
        }
    };
    let scope = match option.scope {
        None => return words,
        Some(OptionScope::Session) => "in this session",
        Some(OptionScope::Server) => "in this folder, until the agent’s server ends",
        Some(OptionScope::Local) => "in this folder, for this user",
        Some(OptionScope::Project) => "in this folder, for everybody",
        Some(OptionScope::User) => "everywhere, for this user",
    };
    format!("{words} {scope}")
}

fn of_attachment(attachment: &Attachment) -> String {
    match attachment {
        Attachment::Image { name, bytes, .. } => format!("Image: {}, {bytes} bytes", inline(name)),
        Attachment::File { path, .. } => format!("File: {}", inline(path)),
    }
}

/// A text in a quote; every line of it stays inside.
fn quoted(text: &str) -> String {
    let lines = text
        .split(['\n', '\r'])
        .map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text in a fence that is longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A text on one line that is read as it stands.
fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!') {
                line.push('\\');
            }
            line.push(c);
        }
    }
    line
}
