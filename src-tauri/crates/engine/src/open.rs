//! Opens the engine: the journal, the writer's thread, and a handle to both.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use askdesk_agents::Catalog;
use uuid::Uuid;

use crate::changes::Changes;
use crate::clock::Clock;
use crate::error::EngineError;
use crate::handle::EngineHandle;
use crate::images::Images;
use crate::journal::Journal;
use crate::mailbox::WriterMailbox;
use crate::session_tokens::SessionTokens;
use crate::writer::{Writer, time_limits};

impl EngineHandle {
    /// Opens the journal of a data folder, closes what an earlier run left open, and starts the writer's thread.
    pub fn open(folder: &Path, clock: Arc<dyn Clock>, agents: Catalog) -> Result<Self, EngineError> {
        let opened = Journal::open(folder, clock.now())?;
        // The journal is locked, so no other engine has agents of this folder.
        #[cfg(unix)]
        askdesk_agents::supervisor::kill_orphans(folder);
        let reader = Arc::new(Mutex::new(opened.journal.reader()?));
        let history = Arc::new(Mutex::new(opened.journal.reader()?));
        let images = Images::new(folder);
        images.folders().sweep(|session| opened.desk.session(session).is_some());
        let (mailbox, inputs) = WriterMailbox::new();
        let changes = Changes::new(folder, mailbox.downgrade());
        changes.folders().sweep(|session| opened.desk.session(session).is_some());
        let totals = opened.desk.sessions().filter_map(|known| Some((known.id, changes.totals(known.id)?)));
        let totals = totals.collect();
        let folders = opened.desk.sessions().filter(|session| !session.folder.is_empty());
        let folders = folders.map(|session| (session.id, PathBuf::from(&session.folder))).collect();
        let limits =
            time_limits::watch(mailbox.downgrade(), Arc::clone(&clock)).map_err(|_| EngineError::Closing)?;
        let epoch = Uuid::new_v4().to_string();
        let writer = Writer::new(opened, epoch, Arc::clone(&clock), limits, agents.descriptors())?;
        let mut writer = writer.with_changed_files(totals);
        writer.search_damage(mailbox.downgrade());
        // The engine can be opened outside a runtime.
        let waiting = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let waiting = waiting.map_err(|_| EngineError::Closing)?;
        std::thread::Builder::new()
            .name("desk-writer".to_owned())
            .spawn(move || writer.run(inputs, &waiting))
            .map_err(|_| EngineError::Closing)?;
        changes.read_heads(folders).map_err(|_| EngineError::Closing)?;
        let tokens = SessionTokens::default();
        Ok(Self { writer: mailbox, reader, history, clock, images, changes, agents, tokens })
    }
}
