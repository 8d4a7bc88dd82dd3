//! Past sessions are deleted by the retention setting and the engine's clock.

use std::sync::Arc;

use crate::support::desk::{TestDesk, end, session};
use askdesk_domain::{SessionCommand, SessionEnd};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, RETENTION_EVERY, Sessions, SettingsFile};

const DAY: i64 = 86_400_000;

#[tokio::test]
async fn the_setting_is_applied_every_day_until_the_engine_closes() {
    let mut desk = TestDesk::open().await;
    let settings = Arc::new(SettingsFile::open(&desk.folder, Catalog::default()));
    let sessions = Sessions::new(desk.engine.clone());
    desk.start(1).await;
    desk.engine.act(end(1, SessionEnd::Finished)).await.unwrap();
    desk.clock.advance(31 * DAY);
    let file = Arc::clone(&settings);
    let deleting = tokio::spawn(async move { sessions.delete_due_every(RETENTION_EVERY, file).await });
    desk.until_awaited(desk.clock.after(RETENTION_EVERY)).await;
    desk.catch_up();
    assert!(desk.mirror.sessions.contains_key(&session(1)), "by default everything is kept");

    std::fs::write(settings.path(), "[data]\nkeep_days = 30\n").unwrap();
    desk.start(2).await;
    let at = desk.clock.now();
    let ended = SessionCommand::End { session: session(2), end: SessionEnd::Finished, at };
    desk.engine.act(ended).await.unwrap();
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
