//! What the agent of a session asks by hook belongs to that session.

use askdesk_client_config::SESSION_HEADER;
use serde_json::json;

use super::claude_hook::hook;
use super::managed::Managed;
use super::v1_asks::Call;

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
