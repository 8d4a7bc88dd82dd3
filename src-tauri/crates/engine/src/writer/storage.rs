//! Storage problems that the user is told about, and what the user does about them.

use std::path::Path;

use askdesk_contract::DatabaseRecovered;
use askdesk_contract::frame::{Change, StorageNotice};
use askdesk_domain::Rejection;

use super::Writer;
use crate::error::EngineError;
use crate::journal::Salvaged;

impl Writer {
    /// Takes over what was read of a database that was set aside.
    pub(super) fn recover(
        &mut self,
        kept: String,
        salvaged: Salvaged,
    ) -> Result<DatabaseRecovered, EngineError> {
        self.check_disk()?;
        let at = self.clock.now();
        let recovered = self.journal.take_over(salvaged, &self.desk, at)?;
        for event in &recovered.events {
            self.desk.fold(event);
        }
        self.transcripts.add(recovered.entries);
        let shown = |session| recovered.sessions.contains(&session) && !self.desk.is_closed(session);
        let sessions = self.desk.sessions().filter(|it| shown(it.id));
        let requests = self.desk.requests().filter(|it| shown(it.session));
        let approvals = self.desk.approvals().filter(|it| shown(it.session));
        let changes = sessions
            .map(|session| Change::Session { session: session.clone() })
            .chain(requests.map(|request| Change::Request { request: request.clone() }))
            .chain(approvals.map(|approval| Change::Approval { approval: approval.clone() }))
            .collect();
        self.hub.publish(&self.desk, changes);
        let recovery =
            DatabaseRecovered { sessions: recovered.sessions.len() as u64, complete: recovered.complete };
        self.settle(&StorageNotice::SetAside { kept })?;
        Ok(recovery)
    }

    /// Tells the user that the database is damaged.
    pub(super) fn tell_damage(&mut self, path: &Path) {
        let mut notices = self.hub.storage().to_vec();
        notices.push(StorageNotice::Damaged { file: path.display().to_string() });
        self.hub.publish(&self.desk, vec![Change::Storage { notices }]);
    }

    /// Notes that the user has dealt with a storage problem.
    pub(super) fn settle(&mut self, notice: &StorageNotice) -> Result<(), EngineError> {
        if !self.journal.settle(notice)? {
            return Err(Rejection::NotFound { what: "storage notice" }.into());
        }
        let mut notices = self.hub.storage().to_vec();
        notices.retain(|known| known != notice);
        self.hub.publish(&self.desk, vec![Change::Storage { notices }]);
        Ok(())
    }
}
