//! Calls of the model that fail and are repeated by the real `claude`.

use askdesk_agents::{Retry, RetryBegins};

use super::*;

const fn retrying(event: &AgentEvent) -> Option<&Retry> {
    match event {
        AgentEvent::Retrying { retry } => Some(retry),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_112_the_real_agent_tells_a_rejected_key_at_once_and_each_retry() {
    let script = vec![Reply::error(401, "authentication_error"), Reply::text("Fine now.")];
    let Some(mut session) = Session::start("case_112_the_real_agent_tells_a_rejected_key", script).await
    else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, |event| retrying(event).is_some()).await;
    let error = "Authentication failed (401)".to_owned();
    let notice = AgentEvent::Noticed { notice: Notice::LoginRejected { error: error.clone() } };
    assert!(seen.contains(&notice), "{seen:?}");
    let Some(retry) = seen.last().and_then(retrying) else { panic!("{seen:?}") };
    assert_eq!((retry.attempt, retry.of.is_some(), &retry.reason), (Some(1), true, &error));
    assert!(matches!(retry.begins, RetryBegins::InMillis(1..)), "{retry:?}");
    session.until(&mut seen, turn_ended).await;
    assert!(seen.contains(&AgentEvent::Said { text: "Fine now.".to_owned() }), "{seen:?}");
    session.stop().await;
}
