//! Faults of the disk and the clock that come and pass.

use std::io;
use std::thread;
use std::time::Duration;

use crate::small_disk::SmallDisk;

/// The size of the data folder's disk, in MiB.
pub const DISK: u32 = 12;

const DAY_MILLIS: i64 = 86_400_000;

/// How long a slow disk takes for a write.
const SLOW: Duration = Duration::from_millis(1_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    FullDisk,
    /// Another program has locked the database.
    Locked,
    SlowDisk,
    /// The clock jumps by a day.
    ClockAhead,
    ClockBack,
}

impl Fault {
    pub const ALL: [Self; 5] =
        [Self::FullDisk, Self::Locked, Self::SlowDisk, Self::ClockAhead, Self::ClockBack];

    /// Whether nothing can be stored while it lasts.
    #[must_use]
    pub const fn refuses(self) -> bool {
        matches!(self, Self::FullDisk | Self::Locked)
    }

    /// Begins it with a way to lock the database and one to move the clock by milliseconds. The result must live until it ends.
    pub fn begin<L: Send + 'static>(
        self,
        disk: &SmallDisk,
        lock: impl FnOnce() -> L,
        clock: impl FnOnce(i64),
    ) -> io::Result<Option<L>> {
        match self {
            Self::FullDisk => disk.fill()?,
            Self::Locked => return Ok(Some(lock())),
            Self::SlowDisk => {
                let lock = lock();
                thread::spawn(move || {
                    thread::sleep(SLOW);
                    drop(lock);
                });
            }
            Self::ClockAhead => clock(DAY_MILLIS),
            Self::ClockBack => clock(-DAY_MILLIS),
        }
        Ok(None)
    }

    pub fn end<L>(self, disk: &SmallDisk, begun: Option<L>, clock: impl FnOnce(i64)) -> io::Result<()> {
        drop(begun);
        match self {
            Self::FullDisk => disk.clear()?,
            Self::Locked | Self::SlowDisk => {}
            Self::ClockAhead => clock(-DAY_MILLIS),
            Self::ClockBack => clock(DAY_MILLIS),
        }
        Ok(())
    }
}
