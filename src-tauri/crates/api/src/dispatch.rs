//! The one table of where each command goes: to the writer or the reader of the engine, to its sessions, or to a handler of its
//! own.

use askdesk_contract::*;
use askdesk_domain::{QueueCommand, SessionCommand};
use askdesk_engine::{DraftRevision, SessionCall};

use crate::api::Api;
use crate::host::UpdateAsked;

impl Engine for Api {
    fn call(&self, call: EngineCall) -> Pending<Result<String, Error>> {
        let api = self.clone();
        Box::pin(async move {
            let (id, name) = (call.request_id(), call.name());
            let run = api.carry_out(call);
            match id {
                Some(id) => api.receipts.once(id, name, run).await,
                None => run.await,
            }
        })
    }

    fn subscribe(&self) -> Pending<Result<Box<dyn Frames>, Error>> {
        let engine = self.engine.clone();
        Box::pin(async move { Ok(Box::new(engine.subscribe().await?) as Box<dyn Frames>) })
    }
}

/// Matches each command with what carries it out. An input in braces is taken apart, one in parentheses is handed on.
macro_rules! table {
    ($table:ident, $call:expr; $($input:ident $fields:tt => $output:expr,)+) => {
        match $call {
            $($table::$input(input) => {
                take!(input: $input $fields);
                json::<$input>($output)
            })+
        }
    };
}

macro_rules! take {
    ($from:ident: $input:ident ($whole:ident)) => {
        let $whole = *$from;
    };
    ($from:ident: $input:ident { $($field:ident),* }) => {
        let $input { $($field,)* .. } = *$from;
    };
}

fn json<I: Input>(output: impl Into<I::Output>) -> Result<String, Error> {
    serde_json::to_string(&output.into()).map_err(|error| Error::new(ErrorCode::Invalid, error.to_string()))
}

impl Api {
    async fn carry_out(&self, call: EngineCall) -> Result<String, Error> {
        let (engine, sessions) = (&self.engine, &self.sessions);
        table! { EngineCall, call;
            // The writer.
            AnswerQuestion { id, answers } => engine.answer(id, answers).await?,
            DeclineQuestion { id, words } => engine.decline(id, words).await?,
            CancelQuestion { id, reason } => engine.cancel(id, reason).await?,
            HoldEnd { id, end } => engine.hold_end(id, end, self.undo_seconds()).await?,
            UndoEnd { id } => engine.undo_end(id).await?,
            RetryDelivery { id } => engine.retry(id).await?,
            DismissRequest { id } => engine.dismiss(id).await?,
            DecideApproval { id, decision } => engine.decide_approval(id, decision).await?,
            RenameSession { session, name } => engine.change(SessionCommand::Rename { session, name }).await?,
            SetSessionNotifications { session, attention } => {
                engine.change(SessionCommand::SetNotifications { session, notifications: attention }).await?
            },
            MoveSession { session, before } => {
                engine.act(SessionCommand::Move { session, before }).await.map(drop)?
            },
            EditQueued { session, id, text } => engine.change(QueueCommand::Edit { session, id, text }).await?,
            SaveDraft { page, n, draft } => engine.save_draft(DraftRevision { page, n }, draft).await?,
            RecoverDatabase { kept } => engine.recover(kept).await?,
            SettleStorage { notice } => engine.settle_storage(notice).await?,

            // The reader.
            ReadTranscript { session, before, limit } => engine.page(session, before, limit).await?,
            ReadDrafts {} => DraftsRead { drafts: engine.drafts().await? },
            ReadPastSessions {} => {
                let past = |desk: &askdesk_domain::Desk| desk.past_sessions().cloned().collect();
                PastSessions { sessions: engine.inspect(past).await? }
            },
            CountQuestions { wanted, days } => engine.question_totals(wanted.into(), days).await?,
            ReadSessionUsage { session } => engine.session_usage(session).await?,
            CountUsage { session, days } => UsageOfDays { days: engine.usage_of_days(session, days).await? },

            // The sessions.
            InterruptSession { session } => sessions.call(session, SessionCall::Interrupt).await?,
            StopHelper { session, helper } => sessions.call(session, SessionCall::StopHelper(helper)).await?,
            StopSession { session } => sessions.stop(session).await?,
            CompactSession { session } => sessions.call(session, SessionCall::Compact).await?,
            CloseSession { session } => sessions.close(session).await?,
            DeleteSession { session } => Box::pin(sessions.delete(session)).await?,
            ReadHelperOutput { session, helper } => sessions.helper_output(session, &helper).await,
            ReadLog { session } => SessionLog { lines: sessions.log(session) },
            ListCommands { session } => CommandsListed { commands: sessions.commands(session).await },
            ListFilesSince { session, message } => {
                FilesSinceRead { since: sessions.files_since(session, message).await?? }
            },

            // Handlers of their own.
            StartSession(input) => Box::pin(self.start_session(input)).await?,
            ForkSession(input) => Box::pin(self.fork_session(input)).await?,
            ResumeSession(input) => Box::pin(self.resume_session(input)).await?,
            ChangeFolder(input) => Box::pin(self.change_folder(input)).await?,
            SetConfig(input) => self.set_config(input).await?,
            SendMessage(input) => Box::pin(self.send_message(input)).await?,
            QueueMessage(input) => self.queue_message(input).await?,
            RemoveQueued(input) => self.remove_queued(input).await?,
            SendQueued(input) => Box::pin(self.send_queued(input)).await?,
            AttachImage(input) => self.attach_image(input).await?,
            AttachText(input) => self.attach_text(input).await?,
            DiscardAttachments { session, attachments } => self.delete_images(session, &attachments).await?,
            FindFiles(input) => self.find_files(input).await?,
            ListAgents { latest } => self.list_agents(latest).await?,
            ReadAgentVersion(input) => self.read_agent_version(input).await?,
            ReadSignIn(input) => Box::pin(self.read_sign_in(input)).await?,
            ListOwnSessions(input) => Box::pin(self.list_own_sessions(input)).await?,
            ReadEnvironment { again } => self.read_environment(again).await?,
            ReadClients {} => self.read_clients().await?,
            ReadClientVersions {} => self.read_client_versions().await?,
            ConfirmClient { client } => self.confirm_client(client).await?,
            PlanClient(input) => self.plan_client(input).await?,
            ChangeClient { plan } => self.change_client(plan).await?,
            TestGateway {} => self.test_gateway().await?,
            ReadPermissions {} => self.read_permissions().await?,
            PlanPermissionRemoval(input) => self.plan_permission_removal(input).await?,
            RemovePermission { plan } => self.remove_permission(plan).await?,
            SearchHistory(input) => self.search_history(input).await?,
            SearchQuestions(input) => self.search_questions(input).await?,
            ListChanges { session } => self.list_changes(session).await?,
            ReadChange(input) => self.read_change(input).await?,
            RevertChange(input) => self.revert_change(input).await?,
            PlanWorktree(input) => self.plan_worktree(input).await?,
            ReadWorktree { session } => self.read_worktree(session).await?,
            MergeWorktree { session, seen, message } => {
                self.change_worktree(session, seen, message, askdesk_worktrees::merge).await?
            },
            RebaseWorktree { session, seen, message } => {
                self.change_worktree(session, seen, message, askdesk_worktrees::rebase).await?
            },
            RemoveWorktree(input) => Box::pin(self.remove_worktree(input)).await?,
        }
    }

    /// Carries out a command that concerns this program and its screen, and returns its output as JSON.
    pub async fn call_desk(&self, call: DeskCall) -> Result<String, Error> {
        let (id, name) = (call.request_id(), call.name());
        let run = self.carry_out_here(call);
        match id {
            Some(id) => self.receipts.once(id, name, run).await,
            None => run.await,
        }
    }

    async fn carry_out_here(&self, call: DeskCall) -> Result<String, Error> {
        table! { DeskCall, call;
            NoteView(view) => self.host.note_view(view),
            NotePainted(painted) => self.host.painted(painted),
            ListPrograms {} => self.list_programs().await?,
            OpenIn(input) => self.open_in(input).await?,
            ContinueInTerminal(input) => Box::pin(self.continue_in_terminal(input)).await?,
            SignIn(input) => Box::pin(self.sign_in(input)).await?,
            SaveExport(input) => self.save_export(input).await?,
            SaveQuestions(input) => self.save_questions(input).await?,
            ReadSettings {} => self.read_settings().await?,
            ChangeSetting { change } => self.change_setting(change).await?,
            ReadNotificationLog {} => NotificationLogRead { entries: self.host.notification_log() },
            ReadUpdate {} => self.host.updates(UpdateAsked::Nothing).await,
            CheckForUpdate {} => self.host.updates(UpdateAsked::Check).await,
            InstallUpdate { version } => self.host.updates(UpdateAsked::Install { version }).await,
            CancelUpdate {} => self.host.updates(UpdateAsked::Cancel).await,
            SetUpdateAside { version, until } => {
                self.host.updates(UpdateAsked::SetAside { version, until }).await
            },
        }
    }
}
