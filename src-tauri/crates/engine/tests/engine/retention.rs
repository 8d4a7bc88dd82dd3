//! Past sessions are deleted by the retention setting and the engine's clock.

use std::sync::Arc;

use crate::support::desk::{TestDesk, session};
use askdesk_domain::{Command, RetentionDays, SessionCommand, SessionEnd};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, RETENTION_EVERY, Sessions, SettingsFile};

const DAY: i64 = 86_400_000;

async fn end(desk: &TestDesk, of: u128) {
    let at = desk.clock.now();
    let end = Command::Session(SessionCommand::End { session: session(of), end: SessionEnd::Finished, at });
    desk.engine.act(end).await.unwrap();
}

#[tokio::test]
async fn sessions_that_ended_too_long_ago_are_deleted_and_others_stay() {
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
    assert_eq!(
        left,
        [session(3), session(4), session(5)],
        "one with a missed question, a younger one, one that runs"
    );
    assert_eq!(sessions.delete_due(keep(30)).await.unwrap(), []);
}

#[tokio::test]
async fn the_setting_is_applied_every_day_until_the_engine_closes() {
    let mut desk = TestDesk::open().await;
    let settings = Arc::new(SettingsFile::open(&desk.folder, Catalog::default()));
    let sessions = Sessions::new(desk.engine.clone());
    desk.start(1).await;
    end(&desk, 1).await;
    desk.clock.advance(31 * DAY);
    let file = Arc::clone(&settings);
    let deleting = tokio::spawn(async move { sessions.delete_due_every(RETENTION_EVERY, file).await });
    desk.until_awaited(desk.clock.after(RETENTION_EVERY)).await;
    desk.catch_up();
    assert!(desk.mirror.sessions.contains_key(&session(1)), "by default everything is kept");

    std::fs::write(settings.path(), "[data]\nkeep_days = 30\n").unwrap();
    desk.start(2).await;
    end(&desk, 2).await;
    desk.clock.advance(DAY);
    desk.until_awaited(desk.clock.after(RETENTION_EVERY)).await;
    desk.catch_up();
    let left: Vec<_> = desk.mirror.sessions.keys().copied().collect();
    assert_eq!(left, [session(2)], "it ended a day ago");
    desk.clock.advance(30 * DAY);
    desk.until("the second is deleted", |mirror| !mirror.sessions.contains_key(&session(2))).await;
    desk.until_awaited(desk.clock.after(RETENTION_EVERY)).await;
    desk.engine.close().await.unwrap();
    desk.clock.advance(DAY);
    tokio::time::timeout(crate::support::desk::PATIENCE, deleting).await.unwrap().unwrap();
}
