//! The result of a call: an outcome as text for the model and as JSON for programs.

use askdesk_agents::claude::format_answers;
use askdesk_domain::text::with_words;
use askdesk_domain::{OrphanedWhy, Outcome, Question, RequestId, WithdrawnWhy};
use askdesk_mcp_tools::{CallResult, cut_off, kept};
use serde_json::{Map, Value, json};

pub fn of(request: RequestId, questions: &[Question], outcome: &Outcome) -> CallResult {
    let mut fields = Map::new();
    fields.insert("outcome".to_owned(), json!(name(outcome)));
    fields.insert("requestId".to_owned(), json!(request));
    let text = match outcome {
        Outcome::Answered { answers } => {
            let said = format_answers(questions, answers);
            fields.insert("answers".to_owned(), said.answers);
            said.text
        }
        Outcome::Declined { words } => {
            if let Some(words) = words {
                fields.insert("words".to_owned(), json!(words));
            }
            with_words("The user declined to answer.", words.as_deref())
        }
        Outcome::RepliedInChat { text } => {
            fields.insert("text".to_owned(), json!(text));
            format!(
                "The user responded in chat instead of answering; the questions are closed. The user wrote: {text}"
            )
        }
        Outcome::Expired => {
            let collect = "The time limit set for this question has passed without an answer. The user can still answer";
            let tell = "Continue without it for now, and do not assume what it would have been";
            format!(
                "{collect}: call collect_answer with requestId \"{request}\" to look for it later. {tell}."
            )
        }
        Outcome::Withdrawn { why } => {
            fields.insert("why".to_owned(), json!(why)["why"].take());
            match why {
                WithdrawnWhy::Canceled { reason } => {
                    if let Some(reason) = reason {
                        fields.insert("words".to_owned(), json!(reason));
                    }
                    with_words("The user closed the question without answering it.", reason.as_deref())
                }
                WithdrawnWhy::AnsweredElsewhere => {
                    "The question was answered somewhere else; there is no answer here.".to_owned()
                }
                WithdrawnWhy::ByAgent | WithdrawnWhy::TurnEnded | WithdrawnWhy::Interrupted => {
                    "The question was withdrawn before it was answered.".to_owned()
                }
            }
        }
        Outcome::Orphaned { why } => {
            fields.insert("why".to_owned(), json!(why));
            missed(*why, request)
        }
    };
    CallResult { text, structured: Value::Object(fields) }
}

/// Returns the name of an outcome in JSON.
pub const fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered { .. } => "answered",
        Outcome::Declined { .. } => "declined",
        Outcome::RepliedInChat { .. } => "replied_in_chat",
        Outcome::Expired => "expired",
        Outcome::Withdrawn { .. } => "withdrawn",
        Outcome::Orphaned { .. } => "missed",
    }
}

/// Explains who ended the request and how the answer can still be collected.
fn missed(why: OrphanedWhy, request: RequestId) -> String {
    match why {
        OrphanedWhy::AppQuit => cut_off(request),
        // Asking again at once would reopen what the user has just closed.
        OrphanedWhy::SessionStopped => format!(
            "The user closed this session in Askdesk without answering. The question is saved, and the user can still \
             answer it: call collect_answer with requestId \"{request}\" later. Do not assume what the answer would have \
             been."
        ),
        OrphanedWhy::CallerGone => {
            format!("The call that asked this ended before the user answered. {}", kept(request))
        }
        OrphanedWhy::AgentEnded => {
            format!("The session that asked this ended before the user answered. {}", kept(request))
        }
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{AnswerInput, Answers, QuestionId};
    use askdesk_mcp_tools::Tool;

    use super::*;
    use crate::arguments;

    fn id() -> RequestId {
        RequestId::new(uuid::Uuid::from_u128(7))
    }

    fn questions() -> Vec<Question> {
        let asked = json!({"questions": [
            {"question": "Which store?", "header": "Store", "type": "select", "options": ["SQLite", "Yes, always"]},
            {"question": "Which features?", "type": "multi-select", "options": ["W", "X", "Y"]},
            {"question": "Which name?", "type": "text"},
        ]});
        arguments::read(Tool::AskUser, &asked).unwrap().questions
    }

    fn answered(inputs: &[AnswerInput]) -> Outcome {
        Outcome::Answered { answers: Answers::check(&questions(), inputs).unwrap() }
    }

    fn chosen(question: usize, places: &[usize]) -> AnswerInput {
        let question = QuestionId::at(question);
        let chosen = places.iter().map(|place| question.option(*place)).collect();
        AnswerInput { question, chosen, other: None, note: None }
    }

    #[test]
    fn answers_are_in_the_text_and_in_the_json() {
        let mut several = chosen(1, &[2, 0]);
        several.other = Some("and logs".to_owned());
        several.note = Some("soon".to_owned());
        let result = of(id(), &questions(), &answered(&[chosen(0, &[1]), several]));
        assert_eq!(
            result.text,
            "User has answered your questions: \"Which store?\"=\"Yes, always\", \
             \"Which features?\"=\"W, Y, and logs\" (note: soon), \
             \"Which name?\"=\"(The user left this question unanswered.)\". \
             Some of this is in the user's own words: read them as written and follow what they say."
        );
        assert_eq!(
            result.structured,
            json!({"outcome": "answered", "requestId": id(), "answers": [
                {"question": "Which store?", "header": "Store", "selectedOptions": ["Yes, always"]},
                {"question": "Which features?", "selectedOptions": ["W", "Y"], "customInput": "and logs", "note": "soon"},
                {"question": "Which name?", "selectedOptions": [], "unanswered": true},
            ]})
        );
    }

    #[test]
    fn an_answer_without_own_words_ends_with_the_usual_sentence() {
        let result = of(id(), &questions(), &answered(&[chosen(0, &[0])]));
        assert!(
            result.text.ends_with("You can now continue with the user's answers in mind."),
            "{}",
            result.text
        );
    }

    #[test]
    fn every_outcome_has_a_name_and_a_text() {
        let declined = |words: Option<&str>| Outcome::Declined { words: words.map(str::to_owned) };
        let withdrawn = |why| Outcome::Withdrawn { why };
        let missed = |why| Outcome::Orphaned { why };
        let cases = [
            (declined(None), "declined", "The user declined to answer."),
            (declined(Some("later")), "declined", "The user declined to answer. The user said: later"),
            (Outcome::RepliedInChat { text: "use B".to_owned() }, "replied_in_chat", "The user wrote: use B"),
            (Outcome::Expired, "expired", "call collect_answer with requestId"),
            (
                withdrawn(WithdrawnWhy::AnsweredElsewhere),
                "withdrawn",
                "answered somewhere else; there is no answer here",
            ),
            (withdrawn(WithdrawnWhy::ByAgent), "withdrawn", "withdrawn before it was answered"),
            (withdrawn(WithdrawnWhy::Canceled { reason: None }), "withdrawn", "closed the question without"),
            (missed(OrphanedWhy::AppQuit), "missed", "Askdesk quit before the user answered"),
            (missed(OrphanedWhy::SessionStopped), "missed", "The user closed this session"),
            (missed(OrphanedWhy::CallerGone), "missed", "The call that asked this ended"),
            (missed(OrphanedWhy::AgentEnded), "missed", "The session that asked this ended"),
        ];
        for (outcome, name, words) in cases {
            let result = of(id(), &questions(), &outcome);
            assert_eq!(result.structured["outcome"], name, "{outcome:?}");
            assert_eq!(result.structured["requestId"], json!(id()), "{outcome:?}");
            assert!(result.text.contains(words), "{outcome:?}: {}", result.text);
            assert!(result.structured.get("answers").is_none(), "nothing is answered by {outcome:?}");
        }
    }

    #[test]
    fn a_question_that_ended_without_the_user_says_why() {
        let withdrawn = [
            (WithdrawnWhy::ByAgent, "by_agent"),
            (WithdrawnWhy::TurnEnded, "turn_ended"),
            (WithdrawnWhy::Interrupted, "interrupted"),
            (WithdrawnWhy::AnsweredElsewhere, "answered_elsewhere"),
            (WithdrawnWhy::Canceled { reason: None }, "canceled"),
        ];
        let orphaned = [
            (OrphanedWhy::AgentEnded, "agent_ended"),
            (OrphanedWhy::SessionStopped, "session_stopped"),
            (OrphanedWhy::AppQuit, "app_quit"),
            (OrphanedWhy::CallerGone, "caller_gone"),
        ];
        let withdrawn = withdrawn.map(|(why, word)| (Outcome::Withdrawn { why }, "withdrawn", word));
        let orphaned = orphaned.map(|(why, word)| (Outcome::Orphaned { why }, "missed", word));
        for (outcome, name, why) in withdrawn.into_iter().chain(orphaned) {
            let expected = json!({"outcome": name, "requestId": id(), "why": why});
            assert_eq!(of(id(), &questions(), &outcome).structured, expected);
        }
        let reason = Some("no longer needed".to_owned());
        let closed = Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason } };
        let expected = json!({
            "outcome": "withdrawn", "requestId": id(), "why": "canceled", "words": "no longer needed",
        });
        assert_eq!(of(id(), &questions(), &closed).structured, expected);
    }

    #[test]
    fn case_41_an_outcome_without_the_user_never_looks_like_an_answer() {
        let orphaned = [
            OrphanedWhy::AppQuit,
            OrphanedWhy::SessionStopped,
            OrphanedWhy::CallerGone,
            OrphanedWhy::AgentEnded,
        ];
        let orphaned = orphaned.map(|why| Outcome::Orphaned { why });
        for outcome in [Outcome::Expired].into_iter().chain(orphaned) {
            let result = of(id(), &questions(), &outcome);
            assert!(result.text.contains("call collect_answer with requestId"), "{}", result.text);
            assert!(!result.text.contains("has answered"), "{}", result.text);
            assert!(result.text.to_lowercase().contains("do not assume"), "{}", result.text);
        }
    }
}
