//! The searchable text of entries: everything that was said, written or shown, except secrets.

use askdesk_domain::{
    Answers, Approval, ApprovalDecision, ApprovalState, Attachment, EntryBody, Notice, Outcome, Question,
    Request, WithdrawnWhy,
};

/// Returns the text of an entry; requests and approvals are indexed with their own text.
pub(super) fn of_entry(body: &EntryBody) -> String {
    let parts: Vec<&str> = match body {
        EntryBody::User { text, attachments } => {
            let names = attachments.iter().map(Attachment::name);
            return joined(std::iter::once(text.as_str()).chain(names));
        }
        EntryBody::Agent { text } | EntryBody::Thinking { text } => vec![text],
        EntryBody::Tool { name, summary, detail, output, .. } => {
            let detail = detail.text();
            let parts = [name, summary, &detail].into_iter().chain(output).map(String::as_str);
            return joined(parts);
        }
        EntryBody::Notice { notice } => match notice {
            Notice::QuestionRefused { reason } | Notice::PermissionRefused { reason } => vec![reason],
            Notice::SameTextJoined { text }
            | Notice::QuestionTurnedOff { text, .. }
            | Notice::AgentTold { text }
            | Notice::AgentWarned { text }
            | Notice::HookFailed { output: text }
            | Notice::HelperEnded { title: text, .. }
            | Notice::LoginRejected { error: text }
            | Notice::FilesNotPutBack { error: text }
            | Notice::SignInChanged { error: text } => vec![text],
            Notice::FilesPutBack { left, .. } => left.iter().map(String::as_str).collect(),
            Notice::NotUnderstood { kind, text, .. } => vec![kind, text],
            Notice::HelperNotStopped { title, error } => vec![title, error],
            Notice::ModelRefused { refused, model, why, .. } => {
                return joined([refused, model].into_iter().chain(why).map(String::as_str));
            }
            Notice::MessageNotSent { error } => return error.to_string(),
            Notice::AnswersBrought
            | Notice::CutInHalf
            | Notice::Interrupted
            | Notice::BegunElsewhere { .. }
            | Notice::Forked { .. }
            | Notice::AgentUnsaved { .. }
            | Notice::Compacted
            | Notice::EntriesLost { .. }
            | Notice::Unreadable
            | Notice::ProgramReplaced
            | Notice::ConversationReset => Vec::new(),
        },
        EntryBody::Plan { items } => return joined(items.iter().map(|item| item.text.as_str())),
        EntryBody::TurnEnded { error, .. } => error.iter().map(String::as_str).collect(),
        EntryBody::CopiedQuestion { questions, outcome } => {
            return joined(of_questions(questions, outcome.as_ref()));
        }
        EntryBody::Request { .. } | EntryBody::Approval { .. } => Vec::new(),
    };
    joined(parts)
}

/// Returns the text of a request: its questions, their options, and the user's reply.
pub(super) fn of_request(request: &Request) -> String {
    let asked_by = request.asked_by.iter().map(String::as_str);
    let outcome = request.ended().map(|ended| &ended.outcome);
    joined(of_questions(&request.questions, outcome).chain(asked_by))
}

fn of_questions<'a>(
    questions: &'a [Question],
    outcome: Option<&'a Outcome>,
) -> impl Iterator<Item = &'a str> {
    let said = match outcome {
        Some(Outcome::Answered { answers }) => of_answers(answers),
        Some(Outcome::Declined { words: Some(words) }) => vec![words.as_str()],
        Some(Outcome::RepliedInChat { text }) => vec![text.as_str()],
        Some(Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: Some(reason) } }) => {
            vec![reason.as_str()]
        }
        _ => Vec::new(),
    };
    said.into_iter().chain(questions.iter().flat_map(of_question))
}

/// Returns the text of an approval.
pub(super) fn of_approval(approval: &Approval) -> String {
    let said = match &approval.state {
        ApprovalState::Decided { decision: ApprovalDecision { message, plan, .. }, .. } => {
            message.as_deref().or(plan.as_deref())
        }
        ApprovalState::Open | ApprovalState::Withdrawn { .. } | ApprovalState::Refused { .. } => None,
    };
    let what = approval.subject.text();
    let description = approval.description.as_deref();
    let remark = approval.remark.as_ref().and_then(|remark| remark.words.as_deref());
    joined([Some(approval.title.as_str()), remark, description, Some(&what), said].into_iter().flatten())
}

fn of_question(question: &Question) -> impl Iterator<Item = &str> {
    let options = question.options.iter().flat_map(|option| {
        let more = option.description.iter().chain(&option.preview);
        std::iter::once(&option.label).chain(more)
    });
    std::iter::once(&question.text).chain(&question.header).chain(options).map(String::as_str)
}

/// Stored answers never contain the text of secrets.
fn of_answers(answers: &Answers) -> Vec<&str> {
    answers.iter().flat_map(|answer| answer.other.iter().chain(&answer.note)).map(String::as_str).collect()
}

fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join("\n")
}
