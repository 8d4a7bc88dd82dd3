//! Past sessions are deleted by the retention setting and the engine's clock.

use std::sync::Arc;
use std::time::Duration;

use crate::support::desk::{TestDesk, end, session};
use askdesk_domain::{SessionCommand, SessionEnd, SessionId};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, Sessions, SettingsFile};

const DAY: i64 = 86_400_000;
const EVERY: Duration = Duration::from_secs(86_400);

fn left(desk: &mut TestDesk) -> Vec<SessionId> {
    desk.catch_up();
    desk.mirror.sessions.keys().copied().collect()
}

#[tokio::test]
async fn the_setting_is_applied_every_day_until_the_engine_closes() {
    let mut desk = TestDesk::open().await;
    let settings = Arc::new(SettingsFile::open(&desk.folder, Catalog::default()));
    let sessions = Sessions::new(desk.engine.clone(), settings.watch());
    for n in [1, 2] {
        desk.start(n).await;
        desk.engine.act(end(n, SessionEnd::Finished)).await.unwrap();
    }
    desk.clock.advance(31 * DAY);
    let file = Arc::clone(&settings);
    let deleting = tokio::spawn(async move { sessions.delete_due_daily(file).await });
    desk.until_awaited(desk.clock.after(EVERY)).await;
    assert_eq!(left(&mut desk), [session(1), session(2)], "by default everything is kept");

    std::fs::write(settings.path(), "[data]\nkeep_days = 30\n").unwrap();
    desk.start(3).await;
    let at = desk.clock.now();
    let ended = SessionCommand::End { session: session(3), end: SessionEnd::Finished, at };
    desk.engine.act(ended).await.unwrap();
    desk.clock.advance(DAY);
    desk.until_awaited(desk.clock.after(EVERY)).await;
    assert_eq!(left(&mut desk), [session(3)], "it ended a day ago");
    desk.clock.advance(30 * DAY);
    desk.until("the third is deleted", |mirror| !mirror.sessions.contains_key(&session(3))).await;
    desk.until_awaited(desk.clock.after(EVERY)).await;
    desk.engine.close().await.unwrap();
    desk.clock.advance(DAY);
    tokio::time::timeout(crate::support::desk::PATIENCE, deleting).await.unwrap().unwrap();
}
