//! A client, `askdesk mcp`, and a real gateway.

use askdesk_domain::Channel;
use rstest::rstest;
use serde_json::json;

use super::mcp_client::{
    Connected, Folder, PATIENCE, Speaks, assert_answered, connect, connect_as, structured, text, unanswered,
};
use crate::gateway::fixture::Fixture;
use crate::gateway::mcp_client::McpClient;

/// The program with the data folder of a gateway.
pub fn at(fixture: &Fixture, line: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_askdesk"));
    command.args(line).env_clear().env("ASKDESK_DATA_DIR", fixture.folder.path()).current_dir("/");
    command
}

/// A session of `askdesk mcp` at a gateway.
async fn connected() -> (Fixture, Connected) {
    let fixture = Fixture::open().await;
    let connected = connect(at(&fixture, &["mcp"])).await;
    (fixture, connected)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_are_those_of_the_gateway_even_without_the_app() {
    let fixture = Fixture::open().await;
    let nowhere = tempfile::tempdir().unwrap();
    for name in ["gemini-cli-mcp-client", "codex-mcp-client"] {
        let direct = McpClient::over_http(&fixture, name, Speaks::Sessions, Folder::Never).await;
        let tools = direct.client.list_all_tools().await.unwrap();
        let instructions = direct.client.peer_info().unwrap().instructions.clone();
        assert_eq!(tools[1].name == "ask_person", name.starts_with("gemini"));
        for speaks in [Speaks::Sessions, Speaks::Discovery] {
            let with = connect_as(at(&fixture, &["mcp"]), name, speaks, Folder::Never, "").await;
            assert_eq!(with.client.list_all_tools().await.unwrap(), tools);
            if speaks == Speaks::Sessions {
                assert_eq!(with.client.peer_info().unwrap().instructions, instructions);
            }
            let mut command = at(&fixture, &["mcp"]);
            command.env("ASKDESK_DATA_DIR", nowhere.path());
            let without = connect_as(command, name, speaks, Folder::Never, "").await;
            assert_eq!(without.client.list_all_tools().await.unwrap(), tools);
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_the_result_of_the_call(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
    #[values(Folder::AtOnce, Folder::Never)] folder: Folder,
) {
    let fixture = Fixture::open().await;
    let mut connected = connect_as(at(&fixture, &["mcp"]), "opencode", speaks, folder, "").await;
    let (calling, progress) = connected.ask_with_progress();
    let answering = async {
        let (request, session) = fixture.asked().await;
        assert_eq!(
            (session.origin.channel(), session.origin.client()),
            (Some(Channel::Mcp), Some("opencode"))
        );
        let folder = if folder == Folder::Never { "/" } else { "/home/a/project" };
        assert_eq!((session.version.as_deref(), session.folder.as_str()), (Some("1.2.3"), folder));
        assert_eq!(progress.recv().await.unwrap(), "waiting for the user, 0:00");
        fixture.answer(request.id).await;
        request
    };
    let (result, request) = tokio::join!(calling, answering);
    assert_answered(&result, request.id);
    fixture.delivered(request.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_waiting_call_is_kept_alive_by_progress() {
    let (_fixture, mut connected) = connected().await;
    let _call = connected.begin().await;
    assert_eq!(connected.next_progress().await, "waiting for the user, 0:00");
    let next = connected.next_progress().await;
    assert!(*next > *"waiting for the user, 0:14", "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_call_contains_the_users_message() {
    let (fixture, connected) = connected().await;
    let answering = async {
        let (request, _) = fixture.asked().await;
        fixture.engine.decline(request.id, Some("not today".to_owned())).await.unwrap();
    };
    let (result, ()) = tokio::join!(connected.ask(), answering);
    assert_eq!(text(&result), "The user declined to answer. The user said: not today");
    assert_eq!(structured(&result)["outcome"], "declined");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_times_out_and_its_late_answer_is_collected() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let connected = connect(at(&fixture, &["mcp"])).await;
    let asks = json!({"questions": [{"question": "Name?", "type": "text"}], "timeout": 600});
    let passing = async {
        let (request, _) = fixture.asked().await;
        clock.advance(601_000);
        request.id
    };
    let (result, id) = tokio::join!(connected.call("ask_user", asks), passing);
    assert_eq!(unanswered(&result), json!({"outcome": "expired", "requestId": id}));
    // The request accepts no other outcome while the delivery is being saved.
    fixture.delivered(id).await;
    fixture.write(id, 0, "Ada").await;
    let collected = connected.call("collect_answer", json!({"requestId": id})).await;
    assert_eq!(structured(&collected)["outcome"], "answered");
    assert!(text(&collected).contains("\"Name?\"=\"Ada\""), "{collected:?}");
    fixture.delivered(id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn collecting_too_early_or_with_a_wrong_id_is_reported() {
    let (fixture, connected) = connected().await;
    let _call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    let open = connected.call("collect_answer", json!({"requestId": request.id})).await;
    assert_eq!(unanswered(&open), json!({"outcome": "open", "requestId": request.id}));
    let unknown = connected.call("collect_answer", json!({"requestId": uuid::Uuid::nil()})).await;
    assert_eq!(unknown.is_error, Some(true));
    assert!(text(&unknown).starts_with("There is no question with this requestId"), "{unknown:?}");
    let wrong = connected.call("collect_answer", json!({"request": "q1"})).await;
    assert_eq!(text(&wrong), "requestId: must be the requestId from an earlier result");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_question_is_rejected_with_a_message_that_helps_to_fix_it() {
    let (fixture, connected) = connected().await;
    let asks = json!({"questions": [
        {"question": "A?", "options": ["x", "y"]}, {"question": "B?", "options": ["x"]},
    ]});
    let refused = connected.call("ask_user_question", asks).await;
    assert_eq!(refused.is_error, Some(true));
    let words = "The question could not be shown to the user. questions[1].options: too few options (1; the minimum is \
                 2). Fix the call and ask again.";
    assert_eq!(text(&refused), words);
    let secret = json!({"questions": [{"question": "Key?", "type": "secret"}]});
    let refused = connected.call("ask_user", secret).await;
    assert!(text(&refused).contains("secrets can't be asked for here"), "{refused:?}");
    // The body is larger than the gateway accepts.
    let large = json!({"questions": [{"question": "x".repeat(300 * 1024), "type": "text"}]});
    let refused = connected.call("ask_user", large).await;
    assert_eq!(refused.is_error, Some(true), "{refused:?}");
    assert!(!text(&refused).is_empty() && refused.structured_content.is_none());
    assert_eq!(fixture.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_token_is_read_again() {
    let (fixture, connected) = connected().await;
    let old = fixture.token();
    let first = connected.begin().await;
    let (waits, _) = fixture.asked().await;
    assert_eq!(fixture.post("/v1/token/rotate", &json!({})).await.status, 200);
    assert_ne!(fixture.token(), old);
    let answering = async {
        let other = move |desk: &askdesk_domain::Desk| {
            let mut open = desk.requests().filter(|request| request.is_open());
            open.find(|request| request.id != waits.id).map(|request| request.id)
        };
        let id = fixture.until("the second asks", other).await;
        fixture.engine.decline(id, None).await.unwrap();
        // The call from before the rotation is still waiting.
        fixture.answer(waits.id).await;
    };
    let asks = json!({"questions": [{"question": "Sure?", "type": "confirm"}]});
    let (second, ()) = tokio::join!(connected.call("ask_user", asks), answering);
    assert_eq!(structured(&second)["outcome"], "declined");
    let first =
        tokio::time::timeout(PATIENCE, first.await_response()).await.expect("an end in time").unwrap();
    assert_eq!(serde_json::to_value(first).unwrap()["structuredContent"]["outcome"], "answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_call_is_missed_and_its_repeat_is_the_same_question() {
    let (fixture, connected) = connected().await;
    let call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    call.cancel(None).await.unwrap();
    fixture.missed(request.id).await;
    let answering = async {
        let (again, _) = fixture.asked().await;
        assert_eq!(again.id, request.id);
        fixture.answer(again.id).await;
    };
    let (result, ()) = tokio::join!(connected.ask(), answering);
    assert!(text(&result).contains("Postgres"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_ends_its_session_and_the_program_at_once() {
    let (fixture, connected) = connected().await;
    let _call = connected.begin().await;
    let (request, _) = fixture.asked().await;
    connected.close().await;
    fixture.missed(request.id).await;
    fixture.all_sessions_end().await;
    fixture.answer(request.id).await;
}
