//! Calls of the model that fail and are repeated by the real `claude`.

use askdesk_contract::frame::Retry;

use super::*;

/// Starts a session, and waits until a call of its model is repeated.
async fn retried(test: &str, script: Vec<Reply>) -> Option<(Real, Retry)> {
    let mut real = Real::start(test, SessionOptions::default(), script).await?;
    let session = real.session;
    real.stage.desk.until("a retry", |known| known.retries.contains_key(&session)).await;
    let retry = real.stage.desk.mirror.retries[&session].clone();
    assert_eq!((retry.attempt, retry.of.is_some(), retry.at.is_some()), (Some(1), true, true), "{retry:?}");
    Some((real, retry))
}

async fn goes_on(mut real: Real, said: &str) {
    real.stage.until_said(real.session, said).await;
    assert!(!real.stage.desk.mirror.retries.contains_key(&real.session));
    real.stage.until_idle(real.session).await;
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_112_the_text_of_a_failed_attempt_disappears_and_the_retry_is_shown_until_the_agent_goes_on() {
    let script =
        vec![Reply::text("Half a sentence, and").broken(), Reply::text("The whole sentence.").after(300)];
    let Some((real, _)) = retried("case_112_the_text_of_a_failed_attempt", script).await else { return };
    assert!(!real.stage.desk.mirror.live.contains_key(&real.session));
    goes_on(real, "The whole sentence.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_112_a_rejected_key_is_told_at_once() {
    let script = vec![Reply::error(401, "authentication_error"), Reply::text("Fine now.")];
    let Some((real, retry)) = retried("case_112_a_rejected_key_is_told_at_once", script).await else {
        return;
    };
    let error = "Authentication failed (401)".to_owned();
    assert_eq!(retry.reason, error);
    assert_eq!(real.stage.desk.mirror.notices(real.session), [&Notice::LoginRejected { error }]);
    goes_on(real, "Fine now.").await;
}
