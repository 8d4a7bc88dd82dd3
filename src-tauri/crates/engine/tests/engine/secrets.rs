//! A secret is sent to the agent that asked for it, and is stored nowhere.

use std::path::Path;

use crate::support::agents::Stage;
use crate::support::desk::{choose, say};
use crate::support::mirror::Mirror;
use askdesk_domain::{AnswerInput, Delivery, Request, SessionId};
#[cfg(unix)]
use askdesk_engine::clock::Clock;

const SECRET: &str = "hunter2-lighthouse-9f3a";

fn answers(request: &Request) -> Vec<AnswerInput> {
    assert_eq!(request.questions.len(), 3);
    vec![say(0, "Lighthouse"), choose(1, &[0]), say(2, SECRET)]
}

/// The files in a folder that contain the secret, except the records of the fake agent.
fn holders(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holders(&path));
        } else if !entry.file_name().to_string_lossy().starts_with("record-") {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

async fn check_kept_nowhere(stage: &mut Stage, session: SessionId) {
    assert!(!format!("{:?}", stage.desk.mirror).contains(SECRET), "a frame contains it");
    assert!(!stage.log(session).contains(SECRET), "the session log contains it");
    assert_eq!(stage.desk.engine.search(SECRET.to_owned(), 10, 0).await.unwrap().hits, []);
    assert_eq!(holders(&stage.desk.folder), Vec::<String>::new());
}

#[tokio::test]
async fn case_61_a_secret_reaches_the_agent_and_no_file_frame_or_log() {
    let (mut stage, session, request) = Stage::asking("kinds").await;
    assert_eq!(request.asked_by.as_deref(), Some("release-bot"));
    stage.desk.engine.answer(request.id, answers(&request)).await.unwrap();
    stage.until_delivered(request.id).await;
    stage.until_idle(session).await;
    let sent = stage.responses(session)[0]["updatedInput"]["answers"].clone();
    assert_eq!(sent["Which token may I use?"], SECRET);
    assert_eq!(sent["Publish it now?"], "Yes");
    check_kept_nowhere(&mut stage, session).await;
    stage.stop(session).await;
    check_kept_nowhere(&mut stage, session).await;
}

#[tokio::test]
async fn case_61_a_secret_that_could_not_be_handed_over_is_whole_at_the_retry() {
    let mut stage = Stage::open().await;
    let script = r#"
        until [ -e "$0/ask" ]; do sleep 0.02; done
        echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","input":{"questions":[{"question":"Name?","type":"text"},{"question":"Go?","type":"confirm"},{"question":"Token?","type":"secret"}]}}}'
        until [ -e "$0/read" ]; do sleep 0.02; done
        while read -r line; do
            case "$line" in *'"control_response"'*)
                echo "$line" >> "$0/record-answers"
                echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fine"}]}}' ;;
            esac
        done"#;
    let session = stage.script(script, None).await;
    stage.fill_pipe(session).await;
    std::fs::write(stage.desk.folder.join("ask"), "").unwrap();
    let request = stage.asked_one(session).await;
    stage.desk.engine.answer(request.id, answers(&request)).await.unwrap();
    stage.until_undelivered(request.id).await;
    check_kept_nowhere(&mut stage, session).await;

    std::fs::write(stage.desk.folder.join("read"), "").unwrap();
    let delivered = |known: &Mirror| matches!(known.delivery(request.id), Some(Delivery::Delivered { .. }));
    stage.retry_until(&request, delivered).await;
    let sent = std::fs::read_to_string(stage.desk.folder.join("record-answers")).unwrap();
    assert_eq!(sent.lines().count(), 1, "{sent}");
    assert!(sent.contains(&format!(r#""Token?":"{SECRET}""#)), "{sent}");
    check_kept_nowhere(&mut stage, session).await;
}

#[cfg(unix)]
#[tokio::test]
async fn case_169_a_secret_of_the_environment_is_struck_out_of_all_that_the_agent_prints() {
    const KEY: &str = "FAKE_API_KEY";
    const SHOWN: &str = "auth failed with key [FAKE_API_KEY]";
    let mut stage = Stage::open().await;
    let id = stage.desk.clock.session_id();
    // A retry, a text, a line that isn't JSON, the error output, and half a line.
    let script = r#"said="auth failed with key $FAKE_API_KEY"
        printf '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":9,"retry_delay_ms":1,"error":"%s"}\n' "$said"
        printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"%s"}]}}\n' "$said"
        echo "$said"
        echo "$said" >&2
        printf %s "$said"
        exit 3"#;
    let mut plan = stage.script_plan(script);
    plan.env.push((KEY.into(), SECRET.into()));
    stage.start_plan(id, Ok(plan), None).await;
    let end = format!("{:?}", stage.until_ended(id).await);
    assert!(end.contains(SHOWN), "{end}");
    assert_eq!(stage.desk.mirror.said(id), [SHOWN]);
    assert!(stage.log(id).matches(SHOWN).count() >= 2, "{}", stage.log(id));
    check_kept_nowhere(&mut stage, id).await;
}
