//! The commands, carried out on an engine.

mod attachments;
mod clients;
mod past;
mod questions;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_agents::{ClaudeOptions, LaunchPlan, ask_version, claude_launch, claude_resume, find_claude};
use askdesk_clients::Plan;
use askdesk_domain::options::MODEL_BYTES;
use askdesk_domain::{
    AgentKind, Approval, ApprovalState, Breach, Command, CommandId, Effort, Failure, FolderProblem,
    PermissionMode, Reject, Request, Session, SessionId, SessionOptions, SessionState, Settings,
};
use askdesk_engine::frame::Frame;
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

/// The longest program path or example name that is taken, in bytes.
const NAME_BYTES: usize = 4_096;

/// Where in its folder the demo remembers its sessions.
const DEMO_SESSIONS: &str = ".sessions";

/// Plans the start of an agent: for the first time, or again.
type Launch = fn(PathBuf, PathBuf, &ClaudeOptions) -> LaunchPlan;

/// The demo agent: how it is started and what it can play.
#[derive(Clone, Debug)]
pub struct DemoAgent {
    /// The program and the arguments that make it the demo agent.
    pub program: PathBuf,
    /// Its first arguments.
    pub args: Vec<String>,
    /// A folder for sessions that were given none.
    pub folder: PathBuf,
    /// What it can play.
    pub examples: Vec<Example>,
}

/// What the focused window shows; the notification rule reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The session that is shown.
    pub session: Option<SessionId>,
    /// Whether the window has the focus.
    pub focused: bool,
}

/// What would stop if the app ended now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtWork {
    /// How many sessions are at work.
    pub sessions: usize,
    /// How many questions of running sessions are open.
    pub questions: usize,
    /// How many approvals of running sessions are open.
    pub approvals: usize,
}

/// Something was painted in the window.
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
    demo: DemoAgent,
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
    pub fn new(engine: EngineHandle, demo: DemoAgent, settings: Arc<SettingsFile>, painted: Painted) -> Self {
        let (view, _) = watch::channel(View { session: None, focused: false });
        let sessions = Sessions::new(engine.clone());
        Self {
            engine,
            sessions,
            demo,
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
                Some(_) => return Err(Reject::invalid("requestId", "was used for another command").into()),
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
        self.once(id, name, act).await?.ok_or_else(|| Reject::NotFound { what: "session" }.into())
    }

    /// Reads what is set; the file may have been edited.
    async fn settings_now(&self) -> Result<askdesk_engine::ReadSettings, Error> {
        let settings = Arc::clone(&self.settings);
        let read = tokio::task::spawn_blocking(move || settings.read()).await;
        read.map_err(|_| EngineError::Closing.into())
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

    async fn start(&self, input: StartSession) -> Result<Session, Error> {
        if input.agent.visits() {
            return Err(Reject::invalid("agent", "comes by itself and cannot be started").into());
        }
        let options = checked(&input.options)?;
        if let Some(folder) = input.folder.as_ref().filter(|folder| folder.len() > NAME_BYTES) {
            return Err(Reject::invalid("folder", too_long(NAME_BYTES, folder)).into());
        }
        let prompt = input.prompt.as_deref();
        let prompt = askdesk_domain::answer::words(prompt, "prompt")?;
        let folder = self.folder(&input)?;
        let set = self.settings_now().await?.settings.extras(input.agent);
        if options.extras != set {
            let words = "the settings for this agent have changed since they were shown";
            return Err(Error::new(ErrorCode::ExtrasChanged, words));
        }
        let id = self.engine.source().session();
        let plan = self.plan(claude_launch, input.agent, id, &folder, &options);
        let name = input.name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| match input.agent {
            AgentKind::Demo => "Demo".to_owned(),
            AgentKind::ClaudeCode | AgentKind::McpClient | AgentKind::Terminal | AgentKind::CommandLine => {
                folder_name(&folder)
            }
        });
        let folder = folder.display().to_string();
        let options = SessionOptions { extras: options.extras.without_secrets(), ..options };
        let spec = StartSpec { agent: input.agent, name, folder, options, prompt, plan };
        Ok(self.sessions.start(id, spec).await?)
    }

    /// Says before anything starts that the folder cannot be worked in.
    fn folder(&self, input: &StartSession) -> Result<PathBuf, Error> {
        let given = input.folder.as_deref().map(str::trim).filter(|folder| !folder.is_empty());
        let folder = match (given, input.agent) {
            (Some(folder), _) => expand_home(folder),
            (None, AgentKind::Demo) => {
                askdesk_engine::private::create_folder(&self.demo.folder)
                    .map_err(|error| folder_error(&self.demo.folder, FolderProblem::of(&error)))?;
                self.demo.folder.clone()
            }
            (
                None,
                AgentKind::ClaudeCode | AgentKind::McpClient | AgentKind::Terminal | AgentKind::CommandLine,
            ) => {
                return Err(Reject::invalid("folder", Breach::NoFolder).into());
            }
        };
        if !folder.is_absolute() {
            return Err(folder_error(&folder, FolderProblem::NotAbsolute));
        }
        match std::fs::metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => Ok(folder),
            Ok(_) => Err(folder_error(&folder, FolderProblem::NotAFolder)),
            Err(error) => Err(folder_error(&folder, FolderProblem::of(&error))),
        }
    }

    /// Takes an ended session up again with what it was started with.
    async fn resume(&self, session: &Session) -> Result<Session, Error> {
        let folder = Path::new(&session.folder);
        // The mode it was in last; what is allowed to do everything was allowed by the person for one run.
        let mode = session.mode.or(session.options.mode).filter(|mode| *mode != PermissionMode::Bypass);
        // Nothing that was not shown when it was started.
        let set = self.settings_now().await?.settings.extras(session.agent);
        let extras = session.options.extras.clone().with_secrets_of(&set);
        let options = SessionOptions { mode, extras, ..session.options.clone() };
        let plan = self.plan(claude_resume, session.agent, session.id, folder, &options);
        Ok(self.sessions.resume(session.id, plan).await?)
    }

    /// Takes a session up again if it has ended and can be: what the person sends goes to a running agent.
    async fn wake(&self, session: SessionId) -> Result<(), Error> {
        let known = self.engine.session(session).await?;
        if known.resumable {
            self.resume(&known).await?;
        }
        Ok(())
    }

    /// Says how an agent is started, for the first time or again.
    fn plan(
        &self,
        launch: Launch,
        agent: AgentKind,
        id: SessionId,
        folder: &Path,
        options: &SessionOptions,
    ) -> Result<LaunchPlan, Failure> {
        match agent {
            AgentKind::ClaudeCode => claude_plan(launch, id, folder, options),
            AgentKind::Demo => Ok(self.demo_plan(launch, id, folder, options)),
            AgentKind::McpClient | AgentKind::Terminal | AgentKind::CommandLine => {
                Err("this client comes by itself and is not started".to_owned().into())
            }
        }
    }

    fn demo_plan(
        &self,
        launch: Launch,
        id: SessionId,
        folder: &Path,
        options: &SessionOptions,
    ) -> LaunchPlan {
        let mut plan = launch(self.demo.program.clone(), folder.to_owned(), &claude_options(id, options));
        // The demo remembers its sessions there, as a real agent does in a folder of its own.
        let kept = self.demo.folder.join(DEMO_SESSIONS);
        match askdesk_engine::private::create_folder(&kept) {
            Ok(()) => plan.env.push(("ASKDESK_FAKE_SESSIONS".into(), kept.into_os_string())),
            Err(error) => tracing::warn!(%error, "the demo will not remember this session"),
        }
        let example = options.example.as_deref().unwrap_or("demo");
        let first = self.demo.args.iter().map(String::as_str).chain(["--scenario", example]);
        let rest = std::mem::take(&mut plan.args);
        plan.args = first.map(Into::into).chain(rest).collect();
        plan
    }
}

/// Checks what was chosen for a session; blank texts count as none.
fn checked(options: &SessionOptions) -> Result<SessionOptions, Error> {
    let text = |field: &str, text: &Option<String>, bytes: usize| match text.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) if text.len() > bytes => Err(Error::from(Reject::invalid(field, too_long(bytes, text)))),
        Some(text) => Ok(Some(text.to_owned())),
    };
    Ok(SessionOptions {
        model: options
            .model
            .as_deref()
            .map(|model| model_name(model, "options.model"))
            .transpose()?
            .flatten(),
        program: text("options.program", &options.program, NAME_BYTES)?,
        example: text("options.example", &options.example, NAME_BYTES)?,
        ..options.clone()
    })
}

fn too_long(most: usize, text: &str) -> Breach {
    Breach::TooLong { most, bytes: text.len() }
}

/// Checks the name of a model: none where it is blank, and never something that a command line takes for a flag.
fn model_name(model: &str, field: &str) -> Result<Option<String>, Error> {
    let model = model.trim();
    if model.len() > MODEL_BYTES {
        return Err(Reject::invalid(field, too_long(MODEL_BYTES, model)).into());
    }
    if model.starts_with('-') || model.chars().any(char::is_control) {
        return Err(Reject::invalid(field, Breach::NoModel).into());
    }
    Ok((!model.is_empty()).then(|| model.to_owned()))
}

fn claude_options(id: SessionId, options: &SessionOptions) -> ClaudeOptions {
    ClaudeOptions {
        session_id: id.uuid(),
        prompt_tool: !options.bare_tool_use,
        model: options.model.clone(),
        permission_mode: options.mode,
        effort: options.effort,
    }
}

fn claude_plan(
    launch: Launch,
    id: SessionId,
    folder: &Path,
    options: &SessionOptions,
) -> Result<LaunchPlan, Failure> {
    let program = find_claude(options.program.as_deref().map(expand_home).as_deref())?;
    Ok(launch(program, folder.to_owned(), &claude_options(id, options)).with_extras(&options.extras))
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

fn folder_error(folder: &Path, problem: FolderProblem) -> Error {
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
        let started = self.once(id, "start_session", async { self.start(input).await.map(Some) }).await?;
        started.ok_or_else(|| Reject::NotFound { what: "session" }.into())
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
        let queue = Command::QueueMessage { session, id, text, attachments };
        self.on_session(request_id, "queue_message", queue).await
    }

    async fn edit_queued(&self, input: EditQueued) -> Result<Session, Error> {
        let EditQueued { request_id, session, id, text } = input;
        self.on_session(request_id, "edit_queued", Command::EditQueued { session, id, text }).await
    }

    async fn remove_queued(&self, input: RemoveQueued) -> Result<Session, Error> {
        let RemoveQueued { request_id, session, id } = input;
        let queue = self.engine.session(session).await?.queue;
        let removed =
            self.on_session(request_id, "remove_queued", Command::RemoveQueued { session, id }).await?;
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
        self.on_session(request_id, "rename_session", Command::RenameSession { session, name }).await
    }

    async fn set_attention(&self, input: SetAttention) -> Result<Session, Error> {
        let SetAttention { request_id, session, attention } = input;
        self.on_session(request_id, "set_attention", Command::SetAttention { session, attention }).await
    }

    async fn move_session(&self, input: MoveSession) -> Result<Done, Error> {
        let MoveSession { request_id, session, before } = input;
        let move_it = async {
            self.engine.act(Command::MoveSession { session, before }).await?;
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
        resumed.ok_or_else(|| Reject::NotFound { what: "session" }.into())
    }

    async fn set_permission_mode(&self, input: SetPermissionMode) -> Result<Done, Error> {
        let set = async {
            self.sessions.set_mode(input.session, input.mode).await?;
            Ok(None)
        };
        self.once(input.request_id, "set_permission_mode", set).await.map(|_| Done {})
    }

    async fn set_model(&self, input: SetModel) -> Result<Done, Error> {
        let model = model_name(&input.model, "model")?
            .ok_or_else(|| Error::from(Reject::invalid("model", Breach::Empty)))?;
        let set = async {
            self.sessions.set_model(input.session, model).await?;
            Ok(None)
        };
        self.once(input.request_id, "set_model", set).await.map(|_| Done {})
    }

    async fn list_agents(&self, _: ListAgents) -> Result<AgentsFound, Error> {
        let (program, problem, version) = match find_claude(None) {
            Ok(program) => {
                let version = ask_version(&program).await;
                (Some(program.display().to_string()), None, version)
            }
            Err(error) => (None, Some(error), None),
        };
        let settings = self.settings_now().await?.settings;
        let modes = PermissionMode::ALL.to_vec();
        let efforts = Effort::ALL.to_vec();
        let claude = AgentFound {
            agent: AgentKind::ClaudeCode,
            program,
            problem,
            version,
            modes: modes.clone(),
            efforts,
            extras: settings.extras(AgentKind::ClaudeCode),
        };
        let demo = AgentFound {
            agent: AgentKind::Demo,
            program: None,
            problem: None,
            version: None,
            modes,
            efforts: Vec::new(),
            extras: settings.extras(AgentKind::Demo),
        };
        let home = std::env::home_dir().map(|home| home.display().to_string());
        Ok(AgentsFound { agents: vec![claude, demo], examples: self.demo.examples.clone(), home })
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
