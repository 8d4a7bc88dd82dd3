//! What a session of the real `claude` uses and costs.

use askdesk_domain::Usd;
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::Tokens;

use super::*;

fn tokens(cached: u64) -> Tokens {
    Tokens { input: 100, cached, output: 50 }
}

/// The input, output and cached tokens of a turn, with its cost.
fn used(real: &Real, turn: usize) -> (u64, u64, u64, Usd) {
    let EntryBody::TurnEnded { input_tokens, output_tokens, cached_tokens, cost_usd: Some(cost), .. } =
        real.stage.desk.mirror.turns(real.session)[turn]
    else {
        panic!("no cost")
    };
    (*input_tokens, *output_tokens, *cached_tokens, *cost)
}

fn context(real: &Real) -> Option<u64> {
    real.stage.desk.mirror.contexts[&real.session].map(|context| context.used)
}

#[tokio::test(flavor = "multi_thread")]
async fn case_99_use_is_reported_compacting_frees_the_context_and_a_resume_costs_nothing_twice() {
    let script = vec![
        Reply::text("One.").using(tokens(40_000)),
        Reply::text("<summary>What was said.</summary>").using(tokens(40_000)),
        Reply::text("Two.").using(tokens(3_000)),
        Reply::text("Three.").using(tokens(3_000)),
    ];
    let test = "case_99_use_is_reported";
    let Some(mut real) = Real::start(test, SessionOptions::default(), script).await else { return };
    real.until_turns(1).await;
    let (input, output, cached, cost) = used(&real, 0);
    assert_eq!((input, output, cached), (40_100, 50, 40_000));
    assert!(cost > Usd::ZERO);
    let filled = real.stage.desk.mirror.contexts[&real.session].unwrap();
    assert_eq!(filled.used, 40_150);
    assert!(filled.size >= 200_000, "{filled:?}");

    real.stage.sessions.call(real.session, SessionCall::Compact).await.unwrap();
    real.until_turns(2).await;
    assert_eq!(real.stage.desk.mirror.notices(real.session), [&Notice::Compacted]);
    assert_eq!((context(&real), used(&real, 1).0), (None, 40_100));
    real.say("Go on.").await;
    real.until_turns(3).await;
    assert_eq!(context(&real), Some(3_150));

    real.stage.stop(real.session).await;
    real.resume().await;
    real.say("And now?").await;
    real.until_turns(4).await;
    // The same call as before, so the same cost, although the agent's own sum continues.
    assert_eq!(used(&real, 3), used(&real, 2));
    assert_eq!(context(&real), Some(3_150));
    real.stop().await;
}
