//! What MCP servers ask through the real `claude`.

use askdesk_testkit::eliciting_server::{ElicitingServer, PAGE};

use super::*;

/// Starts a session whose model calls a tool of an eliciting server, and waits for its question.
async fn asked(test: &str, tool: &str) -> Option<(Session, ElicitingServer, Asked)> {
    let call = Block::tool("toolu_1", &format!("mcp__desk__{tool}"), json!({}));
    let place = Place::new(test, vec![Reply::new([call]), Reply::text("Thank you.")]).await?;
    let server = ElicitingServer::start().await.unwrap();
    let (adapter, mut plan) = place.prepare(Open::New);
    let servers = json!({"mcpServers": {"desk": {"type": "http", "url": server.url, "alwaysLoad": true}}});
    let flags = ["--strict-mcp-config", "--allowedTools", "mcp__desk", "--mcp-config", &servers.to_string()];
    plan.args.extend(flags.map(Into::into));
    let mut session = place.run(adapter, plan, Open::New).await;
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::Asked(_))).await;
    let Some(AgentEvent::Asked(asked)) = seen.pop() else { panic!("{seen:?}") };
    assert_eq!(asked.asked_by.as_deref(), Some("desk"));
    Some((session, server, asked))
}

/// Ends the question and the turn, and returns how the server heard it.
async fn ended(mut session: Session, server: &ElicitingServer, asked: Asked, outcome: Outcome) -> Value {
    let Asked { native_ref, questions, .. } = asked;
    session.send(Action::Answer { native_ref: native_ref.clone(), questions, outcome }).await;
    let mut seen = Vec::new();
    session.until(&mut seen, turn_ended).await;
    assert!(seen.contains(&AgentEvent::Acknowledged { native_ref }), "{seen:?}");
    session.stop().await;
    let replies = server.replies();
    assert_eq!(replies.len(), 1, "{replies:?}");
    replies[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_and_141_the_real_agent_passes_on_a_form_with_its_bounds_and_its_values() {
    let Some((session, server, asked)) = asked("case_141_the_real_agent_passes_on_bounds", "form").await
    else {
        return;
    };
    let count = &asked.questions[1];
    let limit = |value| Some(NumberLimit { value, exclusive: false });
    let bounds = AnswerBounds::Number { whole: true, min: limit(2.0), max: limit(9.0) };
    assert_eq!(count.bounds, Some(bounds));
    assert_eq!(count.default.as_ref().unwrap().other.as_deref(), Some("4"));
    let method = asked.questions[0].id;
    let typed = |words: &str| {
        let auth = AnswerInput { question: method, chosen: vec![method.option(0)], other: None, note: None };
        let count =
            AnswerInput { question: count.id, chosen: vec![], other: Some(words.to_owned()), note: None };
        Answers::check(&asked.questions, &[auth, count])
    };
    typed("23").unwrap_err();
    let outcome = Outcome::Answered { answers: typed("9").unwrap() };
    let reply = ended(session, &server, asked.clone(), outcome).await;
    assert_eq!(reply, json!({"action": "accept", "content": {"auth": "jwt", "count": 9}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_the_real_agent_passes_on_a_page_to_open() {
    let Some((session, server, asked)) = asked("case_111_the_real_agent_passes_on_a_page", "page").await
    else {
        return;
    };
    assert_eq!(asked.questions[0].text, format!("Sign in\n\n{PAGE}"));
    let question = asked.questions[0].id;
    let yes = AnswerInput { question, chosen: vec![question.option(0)], other: None, note: None };
    let outcome = Outcome::Answered { answers: Answers::check(&asked.questions, &[yes]).unwrap() };
    assert_eq!(ended(session, &server, asked, outcome).await["action"], "accept");
}
