//! The commands, carried out on an engine.

mod attachments;
mod clients;
mod past;
mod questions;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_agents::{Agent, ask_version};
use askdesk_client_config::Plan;
use askdesk_domain::{
    AgentId, Approval, ApprovalState, Choices, Command, CommandId, ConfigCategory, ConfigOption, FolderError,
    QueueCommand, Rejection, Request, Session, SessionCommand, SessionId, SessionOptions, SessionState,
    Setting, Settings, ValidationError, ValueId,
};
use askdesk_engine::frame::Frame;
use askdesk_engine::session::Change;
use askdesk_engine::{
    DraftTurn, EngineError, EngineHandle, JournalError, Message, RETENTION_EVERY, Sessions, SettingsFile,
    StartSpec,
};
use tokio::sync::{OnceCell, watch};

use crate::commands::Commands;
use crate::dto::*;
use crate::error::{Detail, Error, ErrorCode};
use crate::telling::Tellings;
use crate::unmet::{AtLogin, ByKeys, Unmet, UnmetWhy};

pub use clients::{Here, Trial, Untried, Whereabouts};
pub use past::{Save, Unsaved};

/// How many commands are remembered, so that one sent again is not done again.
const REMEMBERED_COMMANDS: usize = 1_024;

/// The longest program path, folder or typed value of a config option, in bytes.
const NAME_BYTES: usize = 4_096;

/// The longest name of a model, in bytes.
const MODEL_BYTES: usize = 256;

/// What the focused window shows; the notification rule reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub session: Option<SessionId>,
    /// Whether the window has the focus.
    pub focused: bool,
}

/// What would stop if the app ended now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtWork {
    pub sessions: usize,
    /// How many questions of running sessions are open.
    pub questions: usize,
    /// How many approvals of running sessions are open.
    pub approvals: usize,
}

pub type Painted = Arc<dyn Fn(NotePainted) + Send + Sync>;

/// A command that must not be done twice.
struct Seen {
    id: CommandId,
    name: &'static str,
    /// The session it gave, if it did.
    result: Arc<OnceCell<Option<Session>>>,
}

/// Carries out the commands on an engine.
#[derive(Clone)]
pub struct DeskApi {
    engine: EngineHandle,
    sessions: Sessions,
    settings: Arc<SettingsFile>,
    seen: Arc<Mutex<VecDeque<Seen>>>,
    view: Arc<watch::Sender<View>>,
    told: Arc<Mutex<Tellings>>,
    painted: Painted,
    save: Option<Save>,
    at_login: Option<AtLogin>,
    by_keys: Option<ByKeys>,
    whereabouts: Option<Whereabouts>,
    trial: Option<Trial>,
    /// The change of another program's files that was shown last.
    planned: Arc<Mutex<Option<(CommandId, Plan)>>>,
}

impl DeskApi {
    /// Puts the commands on an engine.
    pub fn new(engine: EngineHandle, settings: Arc<SettingsFile>, painted: Painted) -> Self {
        let (view, _) = watch::channel(View { session: None, focused: false });
        let sessions = Sessions::new(engine.clone());
        Self {
            engine,
            sessions,
            settings,
            seen: Arc::default(),
            view: Arc::new(view),
            told: Arc::default(),
            painted,
            save: None,
            at_login: None,
            by_keys: None,
            whereabouts: None,
            trial: None,
            planned: Arc::default(),
        }
    }

    /// Says how a text gets into a file that the person chooses; without it, nothing can be saved.
    pub fn saving(self, save: Save) -> Self {
        Self { save: Some(save), ..self }
    }

    /// Says how the system is told to start the app at login; without it, the system is left as it is.
    pub fn starting_at_login(self, at_login: AtLogin) -> Self {
        Self { at_login: Some(at_login), ..self }
    }

    /// Says how the system is told which keys bring up what waits; without it, it hears of none.
    pub fn brought_up_by_keys(self, by_keys: ByKeys) -> Self {
        Self { by_keys: Some(by_keys), ..self }
    }

    /// Returns the engine underneath.
    pub const fn engine(&self) -> &EngineHandle {
        &self.engine
    }

    /// Returns the sessions of this run.
    pub const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns what is set.
    pub fn settings(&self) -> &SettingsFile {
        &self.settings
    }

    /// Deletes what the settings keep no longer, now and once a day, until the engine closes.
    pub async fn delete_due_daily(&self) {
        self.sessions.delete_due_every(RETENTION_EVERY, Arc::clone(&self.settings)).await;
    }

    /// Counts what would stop if the app ended now.
    pub async fn at_work(&self) -> Result<AtWork, Error> {
        let mut frames = self.engine.subscribe().await?;
        let Some(Frame::Snapshot(now)) = frames.take() else { return Ok(AtWork::default()) };
        let sessions = now
            .sessions
            .iter()
            .filter(|session| matches!(session.state, SessionState::Starting | SessionState::Working));
        let sessions = sessions.count();
        let questions = now.requests.iter().filter(|request| request.is_open()).count();
        let approvals = now.approvals.iter().filter(|approval| approval.state == ApprovalState::Open).count();
        Ok(AtWork { sessions, questions, approvals })
    }

    /// Returns what the window shows now.
    pub fn view(&self) -> View {
        *self.view.borrow()
    }

    /// Tells of each change of what the window shows.
    pub fn views(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    /// Returns what was told, and what was decided last.
    pub(crate) fn told(&self) -> MutexGuard<'_, Tellings> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something once for each command id; a caller that repeats itself waits for the first and shares its result.
    /// What failed is not remembered, so it can be tried again.
    async fn once<F>(&self, id: CommandId, name: &'static str, run: F) -> Result<Option<Session>, Error>
    where
        F: Future<Output = Result<Option<Session>, Error>> + Send,
    {
        let cell = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            match seen.iter().find(|seen| seen.id == id) {
                Some(seen) if seen.name == name => Arc::clone(&seen.result),
                // To do nothing and call it done would lose the second command in silence.
                Some(_) => return Err(Rejection::invalid("requestId", "was used for another command").into()),
                None => {
                    if seen.len() == REMEMBERED_COMMANDS {
                        seen.pop_front();
                    }
                    let result = Arc::new(OnceCell::new());
                    seen.push_back(Seen { id, name, result: Arc::clone(&result) });
                    result
                }
            }
        };
        cell.get_or_try_init(|| run).await.cloned()
    }

    /// Carries out a command that changes a session, once for each command id.
    async fn on_session(
        &self,
        id: CommandId,
        name: &'static str,
        command: Command,
    ) -> Result<Session, Error> {
        let act = async { Ok(self.engine.act(command).await?.session) };
        self.once(id, name, act).await?.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    /// Reads what is set; the file may have been edited.
    async fn settings_now(&self) -> Result<askdesk_engine::ReadSettings, Error> {
        let settings = Arc::clone(&self.settings);
        let read = tokio::task::spawn_blocking(move || settings.read()).await;
        read.map_err(|_| EngineError::Closing.into())
    }

    /// Checks what only the agents know of a setting.
    fn check_setting(&self, change: &Setting) -> Result<(), Error> {
        let (agent, arguments) = match change {
            Setting::AgentArguments { agent, arguments } => (agent, Some(arguments)),
            Setting::AgentEnvironment { agent, .. } => (agent, None),
            _ => return Ok(()),
        };
        let agent = self.engine.agents().get(agent);
        let takes = |agent: &&Arc<dyn Agent>| agent.descriptor().capabilities.launch_overrides;
        let agent = agent.filter(takes).ok_or_else(|| {
            Error::from(Rejection::invalid(
                "change.value.agent",
                "no such agent takes anything from the settings",
            ))
        })?;
        let checked = arguments.map_or(Ok(()), |arguments| agent.reserved_flags().check(arguments));
        checked.map_err(|flaw| {
            Rejection::invalid("change.value.arguments", ValidationError::Unfit { flaw }).into()
        })
    }

    async fn settings_read(&self, read: askdesk_engine::ReadSettings) -> SettingsRead {
        let askdesk_engine::ReadSettings { settings, ignored } = read;
        let unmet = self.meet(&settings).await;
        SettingsRead { settings, ignored, unmet, file: self.settings.path().display().to_string() }
    }

    /// Brings the system in line with what is set, and returns what it does not do.
    pub async fn meet(&self, settings: &Settings) -> Vec<Unmet> {
        let &Settings { start_at_login, global_shortcut, .. } = settings;
        let (at_login, by_keys) = (self.at_login.clone(), self.by_keys.clone());
        let meet = move || {
            let at_login = at_login.and_then(|tell| tell(start_at_login).err());
            let by_keys = by_keys.and_then(|tell| tell(global_shortcut).err());
            (at_login, by_keys)
        };
        let (at_login, by_keys) = tokio::task::spawn_blocking(meet).await.unwrap_or_else(|error| {
            let why = UnmetWhy::System { error: error.to_string() };
            (Some(why.clone()), Some(why))
        });
        let at_login = at_login.map(|why| Unmet::StartAtLogin { why });
        at_login.into_iter().chain(by_keys.map(|why| Unmet::GlobalShortcut { why })).collect()
    }

    fn agent(&self, id: &AgentId) -> Result<&Arc<dyn Agent>, Error> {
        self.engine
            .agents()
            .get(id)
            .ok_or_else(|| Rejection::invalid("agent", "there is no such agent").into())
    }

    fn agent_name(&self, session: &Session) -> String {
        let id = session.origin.agent();
        let agent = id.and_then(|id| self.engine.agents().get(id));
        let unknown = || id.map(ToString::to_string).unwrap_or_default();
        agent.map_or_else(unknown, |agent| agent.descriptor().name.clone())
    }

    async fn start(&self, input: StartSession) -> Result<Session, Error> {
        let agent = self.agent(&input.agent)?;
        let options = checked(&input.options, &agent.descriptor().config)?;
        if let Some(folder) = input.folder.as_ref().filter(|folder| folder.len() > NAME_BYTES) {
            return Err(Rejection::invalid("folder", too_long(NAME_BYTES, folder)).into());
        }
        let prompt = input.prompt.as_deref();
        let prompt = askdesk_domain::answer::words(prompt, "prompt")?;
        let folder = folder(&input, &**agent)?;
        let set = self.settings_now().await?.settings.extras(&input.agent);
        if options.extras != set {
            let words = "the settings for this agent have changed since they were shown";
            return Err(Error::new(ErrorCode::ExtrasChanged, words));
        }
        let id = self.engine.source().session();
        let name = input.name.filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| match agent.default_folder() {
            // Its own folder says nothing about the session.
            Some(_) => agent.descriptor().name.clone(),
            None => folder_name(&folder),
        });
        let spec = StartSpec { agent: input.agent, name, folder, options, prompt };
        Ok(self.sessions.start(id, spec).await?)
    }

    /// Takes an ended session up again with what it was started with.
    async fn resume(&self, session: &Session) -> Result<Session, Error> {
        // Nothing that was not shown when it was started.
        let agent = session.origin.agent().ok_or(Rejection::SessionGone)?;
        let set = self.settings_now().await?.settings.extras(agent);
        Ok(self.sessions.resume(session.id, &set).await?)
    }

    /// Takes a session up again if it has ended and can be: what the person sends goes to a running agent.
    async fn wake(&self, session: SessionId) -> Result<(), Error> {
        let known = self.engine.session(session).await?;
        if known.resumable {
            self.resume(&known).await?;
        }
        Ok(())
    }
}

/// Says before anything starts that the folder cannot be worked in.
fn folder(input: &StartSession, agent: &dyn Agent) -> Result<PathBuf, Error> {
    let given = input.folder.as_deref().map(str::trim).filter(|folder| !folder.is_empty());
    let folder = match (given, agent.default_folder()) {
        (Some(folder), _) => expand_home(folder),
        (None, Some(own)) => {
            askdesk_engine::private::create_folder(own)
                .map_err(|error| folder_error(own, FolderError::of(&error)))?;
            own.to_owned()
        }
        (None, None) => return Err(Rejection::invalid("folder", ValidationError::NoFolder).into()),
    };
    if !folder.is_absolute() {
        return Err(folder_error(&folder, FolderError::NotAbsolute));
    }
    match std::fs::metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => Ok(folder),
        Ok(_) => Err(folder_error(&folder, FolderError::NotAFolder)),
        Err(error) => Err(folder_error(&folder, FolderError::of(&error))),
    }
}

/// Checks what was chosen for a session; blank texts count as none.
fn checked(options: &SessionOptions, config: &[ConfigOption]) -> Result<SessionOptions, Error> {
    let text = |field: &str, text: &Option<String>, bytes: usize| match text.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) if text.len() > bytes => {
            Err(Error::from(Rejection::invalid(field, too_long(bytes, text))))
        }
        Some(text) => Ok(Some(text.to_owned())),
    };
    let mut chosen = Choices::new();
    for (id, value) in &options.config {
        let field = format!("options.config.{id}");
        let option = config.iter().find(|option| option.id == *id);
        let option = option.ok_or_else(|| Rejection::invalid(&field, "the agent has no such option"))?;
        if let Some(value) = config_value(option, value.as_str(), &field)? {
            chosen.insert(id.clone(), value);
        }
    }
    let program = text("options.program", &options.program, NAME_BYTES)?;
    Ok(SessionOptions { config: chosen, program, ..options.clone() })
}

/// Checks the value of a config option: none where it is blank, a listed one, or a text where the option takes one that no
/// command line takes for a flag.
fn config_value(option: &ConfigOption, value: &str, field: &str) -> Result<Option<ValueId>, Error> {
    let value = value.trim();
    if value.is_empty() {
        return Ok(None);
    }
    if let Some(listed) = option.values.iter().find(|listed| listed.id.as_str() == value) {
        return Ok(Some(listed.id.clone()));
    }
    if !option.free_text {
        return Err(Rejection::invalid(field, "the option has no such value").into());
    }
    let most = if option.category == ConfigCategory::Model { MODEL_BYTES } else { NAME_BYTES };
    if value.len() > most {
        return Err(Rejection::invalid(field, too_long(most, value)).into());
    }
    let unfit = || Rejection::invalid(field, ValidationError::NoModel).into();
    if value.starts_with('-') {
        return Err(unfit());
    }
    ValueId::new(value).map(Some).ok_or_else(unfit)
}

fn too_long(most: usize, text: &str) -> ValidationError {
    ValidationError::TooLong { most, bytes: text.len() }
}

fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix('~'), std::env::home_dir()) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => home.join(&rest[1..]),
        _ => PathBuf::from(path),
    }
}

fn folder_name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn folder_error(folder: &Path, problem: FolderError) -> Error {
    let path = folder.display().to_string();
    let error = Error::new(ErrorCode::FolderMissing, format!("{path}: {problem}"));
    Error { field: Some("folder".to_owned()), ..error.with(Detail::Folder { path, problem }) }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        let journal = match error {
            EngineError::Reject(reject) => return reject.into(),
            EngineError::Closing => return Self::new(ErrorCode::Closing, message),
            EngineError::Journal(journal) => journal,
        };
        let code = match journal {
            JournalError::Busy { .. } => ErrorCode::StorageBusy,
            JournalError::Full { .. } => ErrorCode::StorageFull,
            _ => ErrorCode::Storage,
        };
        Self::new(code, message).with(Detail::Storage { trouble: (&journal).into() })
    }
}

impl Commands for DeskApi {
    async fn answer_question(&self, input: AnswerQuestion) -> Result<Request, Error> {
        Ok(self.engine.answer(input.id, input.answers).await?)
    }

    async fn hold_answer(&self, input: HoldAnswer) -> Result<Done, Error> {
        let HoldAnswer { request_id, id, answers } = input;
        let undo = self.settings.watch().borrow().undo_seconds;
        let hold = async {
            self.engine.hold_answer(id, answers, undo).await?;
            Ok(None)
        };
        self.once(request_id, "hold_answer", hold).await.map(|_| Done {})
    }

    async fn take_back_answer(&self, input: TakeBackAnswer) -> Result<Done, Error> {
        let take_back = async {
            self.engine.take_back_answer(input.id).await?;
            Ok(None)
        };
        self.once(input.request_id, "take_back_answer", take_back).await.map(|_| Done {})
    }

    async fn decline_question(&self, input: DeclineQuestion) -> Result<Request, Error> {
        Ok(self.engine.decline(input.id, input.words).await?)
    }

    async fn cancel_question(&self, input: CancelQuestion) -> Result<Request, Error> {
        Ok(self.engine.cancel(input.id, input.reason).await?)
    }

    async fn retry_delivery(&self, input: RetryDelivery) -> Result<Request, Error> {
        Ok(self.engine.retry(input.id).await?)
    }

    async fn dismiss_request(&self, input: DismissRequest) -> Result<Request, Error> {
        Ok(self.engine.dismiss(input.id).await?)
    }

    async fn decide_approval(&self, input: DecideApproval) -> Result<Approval, Error> {
        Ok(self.engine.decide_approval(input.id, input.decision).await?)
    }

    async fn start_session(&self, input: StartSession) -> Result<Session, Error> {
        let id = input.request_id;
        let started =
            self.once(id, "start_session", async { Box::pin(self.start(input)).await.map(Some) }).await?;
        started.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    async fn send_message(&self, input: SendMessage) -> Result<Done, Error> {
        let SendMessage { request_id, session, text, attachments } = input;
        let message = self.message(session, &text, attachments).await?;
        let send = async {
            self.wake(session).await?;
            self.sessions.send_message(session, message).await?;
            Ok(None)
        };
        self.once(request_id, "send_message", send).await.map(|_| Done {})
    }

    async fn attach_image(&self, input: AttachImage) -> Result<AttachedFiles, Error> {
        self.attach(input).await
    }

    async fn discard_attachments(&self, input: DiscardAttachments) -> Result<Done, Error> {
        self.discard(input.session, &input.attachments).await?;
        Ok(Done {})
    }

    async fn queue_message(&self, input: QueueMessage) -> Result<Session, Error> {
        let QueueMessage { request_id, session, text, attachments } = input;
        let Message { text, attachments } = self.message(session, &text, attachments).await?;
        let id = self.engine.source().message();
        let queue = Command::Queue(QueueCommand::Add { session, id, text, attachments });
        self.on_session(request_id, "queue_message", queue).await
    }

    async fn edit_queued(&self, input: EditQueued) -> Result<Session, Error> {
        let EditQueued { request_id, session, id, text } = input;
        self.on_session(request_id, "edit_queued", Command::Queue(QueueCommand::Edit { session, id, text }))
            .await
    }

    async fn remove_queued(&self, input: RemoveQueued) -> Result<Session, Error> {
        let RemoveQueued { request_id, session, id } = input;
        let queue = self.engine.session(session).await?.queue;
        let removed = self
            .on_session(request_id, "remove_queued", Command::Queue(QueueCommand::Remove { session, id }))
            .await?;
        let gone = queue.iter().filter(|message| message.id == id).flat_map(|message| &message.attachments);
        // The message is gone already; an image of it that stays behind goes with the session.
        if let Err(error) = self.discard(session, gone).await {
            tracing::warn!(error = error.message, "the images of a removed message stay");
        }
        Ok(removed)
    }

    async fn send_queued(&self, input: SendQueued) -> Result<Done, Error> {
        let send = async {
            self.wake(input.session).await?;
            self.sessions.send_queued(input.session, input.id).await?;
            Ok(None)
        };
        self.once(input.request_id, "send_queued", send).await.map(|_| Done {})
    }

    async fn interrupt_session(&self, input: InterruptSession) -> Result<Done, Error> {
        let interrupt = async {
            self.sessions.interrupt(input.session)?;
            Ok(None)
        };
        self.once(input.request_id, "interrupt_session", interrupt).await.map(|_| Done {})
    }

    async fn stop_session(&self, input: StopSession) -> Result<Done, Error> {
        let stop = async {
            self.sessions.stop(input.session).await?;
            Ok(None)
        };
        self.once(input.request_id, "stop_session", stop).await.map(|_| Done {})
    }

    async fn rename_session(&self, input: RenameSession) -> Result<Session, Error> {
        let RenameSession { request_id, session, name } = input;
        self.on_session(
            request_id,
            "rename_session",
            Command::Session(SessionCommand::Rename { session, name }),
        )
        .await
    }

    async fn set_attention(&self, input: SetAttention) -> Result<Session, Error> {
        let SetAttention { request_id, session, attention } = input;
        self.on_session(
            request_id,
            "set_attention",
            Command::Session(SessionCommand::SetNotifications { session, attention }),
        )
        .await
    }

    async fn move_session(&self, input: MoveSession) -> Result<Done, Error> {
        let MoveSession { request_id, session, before } = input;
        let move_it = async {
            self.engine.act(Command::Session(SessionCommand::Move { session, before })).await?;
            Ok(None)
        };
        self.once(request_id, "move_session", move_it).await.map(|_| Done {})
    }

    async fn close_session(&self, input: CloseSession) -> Result<Done, Error> {
        let close = async {
            self.sessions.close(input.session).await?;
            Ok(None)
        };
        self.once(input.request_id, "close_session", close).await.map(|_| Done {})
    }

    async fn resume_session(&self, input: ResumeSession) -> Result<Session, Error> {
        let resume = async {
            let known = self.engine.session(input.session).await?;
            Ok(Some(self.resume(&known).await?))
        };
        let resumed = self.once(input.request_id, "resume_session", resume).await?;
        resumed.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    async fn set_config(&self, input: SetConfig) -> Result<Done, Error> {
        let SetConfig { request_id, session, option, value } = input;
        let known = self.engine.session(session).await?;
        let option = known.config.into_iter().find(|known| known.id == option);
        let option = option.ok_or_else(|| Rejection::invalid("option", "the session has no such option"))?;
        if !option.live {
            return Err(Rejection::invalid("option", "it can only be chosen when a session starts").into());
        }
        let value = config_value(&option, &value, "value")?
            .ok_or_else(|| Error::from(Rejection::invalid("value", ValidationError::Empty)))?;
        let set = async {
            self.sessions.set_config(session, Change { option: option.id, value }).await?;
            Ok(None)
        };
        self.once(request_id, "set_config", set).await.map(|_| Done {})
    }

    async fn list_agents(&self, _: ListAgents) -> Result<AgentsFound, Error> {
        let settings = self.settings_now().await?.settings;
        let mut agents = Vec::new();
        for agent in self.engine.agents().iter() {
            let descriptor = agent.descriptor();
            let (program, problem) = match agent.find(None) {
                Ok(program) => (program, None),
                Err(error) => (None, Some(error)),
            };
            let version = match &program {
                Some(program) => Box::pin(ask_version(program)).await,
                None => None,
            };
            agents.push(AgentFound {
                agent: descriptor.id.clone(),
                program: program.map(|program| program.display().to_string()),
                problem,
                version,
                extras: settings.extras(&descriptor.id),
            });
        }
        let home = std::env::home_dir().map(|home| home.display().to_string());
        Ok(AgentsFound { agents, home })
    }

    async fn read_transcript(&self, input: ReadTranscript) -> Result<TranscriptPage, Error> {
        let page = self.engine.page(input.session, input.before, input.limit).await?;
        let askdesk_engine::Page { entries, more, requests, approvals } = page;
        Ok(TranscriptPage { entries, more, requests, approvals })
    }

    async fn read_log(&self, input: ReadLog) -> Result<SessionLog, Error> {
        Ok(SessionLog { lines: self.sessions.log(input.session) })
    }

    async fn read_settings(&self, _: ReadSettings) -> Result<SettingsRead, Error> {
        Ok(self.settings_read(self.settings_now().await?).await)
    }

    async fn change_setting(&self, input: ChangeSetting) -> Result<SettingsRead, Error> {
        self.check_setting(&input.change)?;
        let (settings, now) = (Arc::clone(&self.settings), self.engine.source().now());
        let change = tokio::task::spawn_blocking(move || settings.change(input.change, now)).await;
        let changed = change.map_err(|_| Error::from(EngineError::Closing))?;
        let changed = changed.map_err(|error| {
            let path = Some(error.path.display().to_string());
            let file = Detail::File { path, error: error.source.to_string() };
            Error::new(ErrorCode::SettingsNotWritten, error.to_string()).with(file)
        })?;
        Ok(self.settings_read(changed).await)
    }

    async fn read_tellings(&self, _: ReadTellings) -> Result<TellingsRead, Error> {
        Ok(TellingsRead { tellings: self.last_tellings() })
    }

    async fn read_clients(&self, _: ReadClients) -> Result<ClientsRead, Error> {
        self.clients().await
    }

    async fn read_client_versions(&self, _: ReadClientVersions) -> Result<ClientVersions, Error> {
        self.client_versions().await
    }

    async fn plan_client(&self, input: PlanClient) -> Result<ClientPlan, Error> {
        self.plan_of_client(input).await
    }

    async fn change_client(&self, input: ChangeClient) -> Result<Done, Error> {
        let change = async {
            self.carry_out(input.plan).await?;
            Ok(None)
        };
        self.once(input.request_id, "change_client", change).await.map(|_| Done {})
    }

    async fn test_door(&self, input: TestDoor) -> Result<Done, Error> {
        let test = async {
            self.try_door().await?;
            Ok(None)
        };
        self.once(input.request_id, "test_door", test).await.map(|_| Done {})
    }

    async fn note_view(&self, input: NoteView) -> Result<Done, Error> {
        self.view.send_replace(View { session: input.session, focused: input.focused });
        Ok(Done {})
    }

    async fn note_painted(&self, input: NotePainted) -> Result<Done, Error> {
        (self.painted)(input);
        Ok(Done {})
    }

    async fn search_history(&self, input: SearchHistory) -> Result<HistoryFound, Error> {
        self.search(input).await
    }

    async fn read_past_sessions(&self, _: ReadPastSessions) -> Result<PastSessions, Error> {
        let sessions = self.engine.look(|desk| desk.past_sessions().cloned().collect()).await?;
        Ok(PastSessions { sessions })
    }

    async fn save_export(&self, input: SaveExport) -> Result<SavedExport, Error> {
        self.save_session(input).await
    }

    async fn search_questions(&self, input: SearchQuestions) -> Result<QuestionsFound, Error> {
        self.questions(input).await
    }

    async fn save_questions(&self, input: SaveQuestions) -> Result<SavedExport, Error> {
        self.save_questions_found(input).await
    }

    async fn delete_session(&self, input: DeleteSession) -> Result<Done, Error> {
        let delete = async {
            self.sessions.delete(input.session).await?;
            Ok(None)
        };
        self.once(input.request_id, "delete_session", delete).await.map(|_| Done {})
    }

    async fn save_draft(&self, input: SaveDraft) -> Result<Done, Error> {
        let SaveDraft { page, n, draft } = input;
        let turn = DraftTurn { page, n };
        self.engine.save_draft(askdesk_engine::SaveDraft { turn, of: draft }).await?;
        Ok(Done {})
    }

    async fn read_drafts(&self, _: ReadDrafts) -> Result<DraftsRead, Error> {
        Ok(DraftsRead { drafts: self.engine.drafts().await? })
    }
}
