//! A user who takes 400 seconds, which is longer than these programs' own timeouts.

use std::time::Duration;

use askdesk_testkit::clis::Cli;

use super::agents::asks;

const LONG: Duration = Duration::from_secs(400);

/// Run it with `cargo test -p askdesk-cli --test cli -- --ignored case_55`. `docs/measured.md` has the results.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes seven minutes"]
async fn case_55_every_agent_waits_for_400_seconds() {
    let test = "case_55_every_agent_waits_for_400_seconds";
    let waiting = Cli::ALL.map(|cli| (cli, tokio::spawn(asks(test, cli, LONG))));
    let mut cut_short = Vec::new();
    for (cli, waits) in waiting {
        if waits.await.is_err() {
            cut_short.push(cli);
        }
    }
    assert_eq!(cut_short, []);
}
