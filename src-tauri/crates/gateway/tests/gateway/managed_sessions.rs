//! What the agent of a session asks belongs to that session.

use askdesk_client_config::SESSION_HEADER;
use askdesk_domain::{OrphanedWhy, Outcome, QuestionPolicy, SessionOptions};
use serde_json::json;

use super::claude_hook::hook;
use super::fixture::{Fixture, Head};
use super::managed::Managed;
use super::mcp_client::{McpClient, assert_answered, text};
use super::v1_asks::{Call, asks};

#[test]
fn the_engine_and_the_clients_mean_the_same_variable() {
    assert_eq!(askdesk_engine::SESSION_VARIABLE, askdesk_client_config::SESSION_VARIABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_the_hook_of_a_session_makes_no_second_card() {
    let managed = Managed::open().await;
    let fixture = &managed.fixture;
    let (session, token) = managed.idle_session().await;
    let head = fixture.head("POST", "/hooks/claude").set(SESSION_HEADER, &token);
    let body = hook("Which store?");
    let answer = fixture.send(&head, body.to_string().as_bytes()).await;
    assert_eq!((answer.status, answer.json()), (200, json!({})));
    assert_eq!((fixture.open_count().await, managed.all_sessions().await), (0, vec![session]));

    // Nobody can claim to be a session, and the token of one that has ended counts for nothing.
    managed.sessions.stop(session).await.unwrap();
    fixture.all_sessions_end().await;
    for (place, unknown) in [token.as_str(), "", &session.to_string(), "guessed"].into_iter().enumerate() {
        let body = hook(&format!("Which store {place}?"));
        let head = fixture.head("POST", "/hooks/claude").set(SESSION_HEADER, unknown);
        let _call = Call::send(fixture, &head, &body).await;
        let (request, terminal) = fixture.asked().await;
        assert!(terminal.origin.is_inbound() && terminal.id != session, "{unknown:?}: {terminal:?}");
        fixture.answer(request.id).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_the_token_of_a_session_permits_nothing_by_itself() {
    let managed = Managed::open().await;
    let (_, token) = managed.idle_session().await;
    let fixture = &managed.fixture;
    let head = fixture.head("POST", "/hooks/claude").set(SESSION_HEADER, &token).without("authorization");
    fixture.send(&head, hook("Which store?").to_string().as_bytes()).await.refuses(401, "unauthorized");
    let head = head.set("authorization", &format!("Bearer {token}"));
    fixture.send(&head, hook("Which store?").to_string().as_bytes()).await.refuses(401, "unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_what_an_agent_asks_over_mcp_is_one_card_of_its_session() {
    let managed = Managed::open().await;
    let fixture = &managed.fixture;
    let (session, token) = managed.idle_session().await;
    let agent = McpClient::in_session(fixture, &token).await;
    let ((request, asked_in), result) = tokio::join!(
        async {
            let (request, asked_in) = fixture.asked().await;
            fixture.answer(request.id).await;
            (request, asked_in)
        },
        agent.ask()
    );
    assert_eq!((asked_in.id, request.asked_by.as_deref()), (session, Some("claude-code")));
    assert_answered(&result, request.id);
    fixture.delivered(request.id).await;
    assert_eq!(managed.all_sessions().await, [session]);

    // The connection ends; the session doesn't.
    agent.client.cancel().await.unwrap();
    let call = Call::send(fixture, &in_session("/v1/asks", fixture, &token), &asks("c1", "Deploy?")).await;
    assert_eq!(fixture.asked().await.1.id, session);
    drop(call);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_what_an_agent_asks_with_the_command_is_one_card_of_its_session() {
    let managed = Managed::open().await;
    let fixture = &managed.fixture;
    let (session, token) = managed.idle_session().await;
    let head = in_session("/v1/asks", fixture, &token);
    let mut call = Call::send(fixture, &head, &asks("c1", "Deploy?")).await;
    let id = call.asked().await;
    assert_eq!(fixture.asked().await.1.id, session);

    // The agent may collect it, and other callers may not.
    let body =
        json!({"client": {"kind": "command_line", "connection": "c2"}, "arguments": {"requestId": id}});
    let collected =
        fixture.send(&in_session("/v1/collect", fixture, &token), body.to_string().as_bytes()).await;
    assert_eq!((collected.status, &collected.json()["result"]["outcome"]), (200, &json!("open")));
    let asking =
        fixture.head("POST", "/v1/collect").set("authorization", &format!("Bearer {}", fixture.token()));
    fixture.send(&asking, body.to_string().as_bytes()).await.refuses(404, "not_found");

    fixture.engine.decline(id, None).await.unwrap();
    assert_eq!(call.ended().await["result"]["outcome"], "declined");
    fixture.delivered(id).await;

    // The end of the session answers what still waits.
    let mut call = Call::send(fixture, &head, &asks("c1", "Deploy now?")).await;
    let id = call.asked().await;
    managed.sessions.stop(session).await.unwrap();
    call.ended().await;
    assert_eq!(fixture.outcome(id).await, Outcome::Orphaned { why: OrphanedWhy::SessionStopped });
    assert_eq!(managed.all_sessions().await, [session]);

    // Its token counts for nothing any more.
    let mut call = Call::send(fixture, &head, &asks("c1", "Deploy later?")).await;
    let id = call.asked().await;
    let (request, app) = fixture.asked().await;
    assert!(request.id == id && app.origin.is_inbound(), "{app:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_109_a_session_whose_questions_are_turned_off_refuses_what_its_agent_asks_over_mcp() {
    let managed = Managed::open().await;
    let fixture = &managed.fixture;
    let options = SessionOptions { questions: QuestionPolicy::Never, ..SessionOptions::default() };
    let (session, token) = managed.idle_session_with(options).await;
    let refused = McpClient::in_session(fixture, &token).await.ask().await;
    assert!(refused.is_error == Some(true) && text(&refused).contains("turned off"), "{refused:?}");
    assert_eq!((fixture.open_count().await, managed.all_sessions().await), (0, vec![session]));
}

fn in_session(path: &str, fixture: &Fixture, token: &str) -> Head {
    fixture.head("POST", path).set(SESSION_HEADER, token)
}
