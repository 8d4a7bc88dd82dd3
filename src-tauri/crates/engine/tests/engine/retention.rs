//! Sessions that are kept no longer go by themselves, by the clock of the engine.

use std::sync::Arc;
use std::time::Duration;

use crate::support::desk::{TestDesk, session};
use askdesk_domain::{Command, RetentionDays, SessionCommand, SessionEnd};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, Sessions, SettingsFile};

const DAY: i64 = 86_400_000;

async fn end(desk: &TestDesk, of: u128) {
    let at = desk.clock.now();
    let end = Command::Session(SessionCommand::End { session: session(of), end: SessionEnd::Finished, at });
    desk.engine.act(end).await.unwrap();
}

#[tokio::test]
async fn what_ended_longer_ago_than_is_kept_goes_for_good_and_all_else_stays() {
    let mut desk = TestDesk::open().await;
    let sessions = Sessions::new(desk.engine.clone());
    for of in 1..=5 {
        desk.start(of).await;
    }
    desk.ask(3, 1).await;
    for of in [1, 2, 3] {
        end(&desk, of).await;
    }
    desk.clock.advance(20 * DAY);
    end(&desk, 4).await;
    desk.clock.advance(11 * DAY);
    let keep = |days: u16| RetentionDays::try_from(days).unwrap();
    for longer in [0, 90, 365] {
        assert_eq!(sessions.delete_due(keep(longer)).await.unwrap(), []);
    }
    assert_eq!(sessions.delete_due(keep(30)).await.unwrap(), [session(1), session(2)]);
    desk.check_mirror().await;
    let left: Vec<_> = desk.mirror.sessions.keys().copied().collect();
    assert_eq!(left, [session(3), session(4), session(5)], "a missed question, a younger one, one that runs");
    assert_eq!(sessions.delete_due(keep(30)).await.unwrap(), []);
}

#[tokio::test]
async fn the_settings_are_followed_again_and_again_until_the_end() {
    let mut desk = TestDesk::open().await;
    let settings = Arc::new(SettingsFile::open(&desk.folder, Catalog::default()));
    let sessions = Sessions::new(desk.engine.clone());
    desk.start(1).await;
    end(&desk, 1).await;
    desk.clock.advance(31 * DAY);
    let (file, following) = (Arc::clone(&settings), sessions.clone());
    let following =
        tokio::spawn(async move { following.delete_due_every(Duration::from_millis(5), file).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    desk.catch_up();
    assert!(desk.mirror.sessions.contains_key(&session(1)), "nothing is set");

    std::fs::write(settings.path(), "[data]\nkeep_days = 30\n").unwrap();
    desk.until("the first goes", |mirror| !mirror.sessions.contains_key(&session(1))).await;
    desk.start(2).await;
    end(&desk, 2).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    desk.catch_up();
    assert!(desk.mirror.sessions.contains_key(&session(2)), "it ended just now");
    desk.clock.advance(31 * DAY);
    desk.until("the second goes", |mirror| !mirror.sessions.contains_key(&session(2))).await;
    desk.engine.close().await.unwrap();
    tokio::time::timeout(crate::support::desk::PATIENCE, following).await.unwrap().unwrap();
}
