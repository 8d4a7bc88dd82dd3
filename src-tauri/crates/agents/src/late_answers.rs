//! The message that brings an agent the answers that came after their calls had ended.

use askdesk_domain::text::with_words;
use askdesk_domain::{Answer, Answers, Outcome, Question, Request};

const HEAD: &str = "This is a late answer. You asked the user the following, and the call ended before the user's \
                    answer could reach you.";
const ANSWERED: &str = "Continue with these answers in mind.";
const OWN_WORDS: &str = "Continue with these answers in mind. Some of this is in the user's own words: read them as \
                         written and follow what they say.";
const DECLINED: &str = "Continue without an answer to what the user declined.";
/// The text for an unanswered question; an empty text would look like an answer.
pub(crate) const UNANSWERED: &str = "(The user left this question unanswered.)";
const SECRET: &str = "(The user gave a secret, which is never stored. Ask again if you still need it.)";

/// A message with answers that no call waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateMessage {
    /// What the agent gets.
    pub sent: String,
    /// The same for the transcript, without words that only the agent needs.
    pub shown: String,
}

/// Puts the answers and refusals of requests into words that name each question; other ends say nothing.
pub(crate) fn late_answer_message<'a>(requests: impl IntoIterator<Item = &'a Request>) -> LateMessage {
    let mut parts = vec![HEAD.to_owned()];
    let (mut answered, mut own_words, mut declined) = (false, false, false);
    for request in requests {
        match request.ended().map(|ended| &ended.outcome) {
            Some(Outcome::Answered { answers }) => {
                answered = true;
                own_words |= answers.iter().any(|answer| answer.other.is_some() || answer.note.is_some());
                parts.extend(request.questions.iter().map(|question| answer_words(question, answers)));
            }
            Some(Outcome::Declined { words }) => {
                declined = true;
                let asked: Vec<String> = request.questions.iter().map(question_words).collect();
                let said = with_words("The user declined to answer.", words.as_deref());
                parts.push(format!("{}\n{said}", asked.join("\n")));
            }
            _ => {}
        }
    }
    parts.extend(answered.then(|| if own_words { OWN_WORDS } else { ANSWERED }.to_owned()));
    parts.extend((declined && !answered).then(|| DECLINED.to_owned()));
    let words = parts.join("\n\n");
    LateMessage { sent: words.clone(), shown: words }
}

fn question_words(question: &Question) -> String {
    format!("Question: {}", question.text)
}

fn answer_words(question: &Question, answers: &Answers) -> String {
    let words = answers.to(question.id).map_or_else(|| UNANSWERED.to_owned(), |it| said(question, it));
    format!("{}\nAnswer: {words}", question_words(question))
}

/// Each label in quotes, so that one with a comma stays whole.
fn said(question: &Question, answer: &Answer) -> String {
    let labels = answer.chosen.iter().filter_map(|id| question.option(*id));
    let labels = labels.map(|option| format!("\"{}\"", option.label));
    let other = match (&answer.other, answer.secret_given) {
        (Some(words), _) => Some(words.clone()),
        (None, true) => Some(SECRET.to_owned()),
        (None, false) => None,
    };
    let parts: Vec<String> = labels.chain(other).collect();
    let note = answer.note.as_ref().map(|note| format!("\nNote: {note}"));
    format!("{}{}", parts.join(", "), note.unwrap_or_default())
}
