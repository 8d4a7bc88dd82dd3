/// Hands the one list of bridge commands to a macro: `name(Input) -> Output`.
///
/// The dispatcher, the shell's bridge functions, its permissions and the TypeScript command map are all generated from
/// this list, so a command without a handler does not compile.
#[macro_export]
macro_rules! for_each_command {
    ($then:ident) => {
        $then! {
            answer_question(AnswerQuestion) -> Request,
            hold_answer(HoldAnswer) -> Done,
            undo_answer(UndoAnswer) -> Done,
            decline_question(DeclineQuestion) -> Request,
            cancel_question(CancelQuestion) -> Request,
            retry_delivery(RetryDelivery) -> Request,
            dismiss_request(DismissRequest) -> Request,
            decide_approval(DecideApproval) -> Approval,
            start_session(StartSession) -> Session,
            send_message(SendMessage) -> Done,
            attach_image(AttachImage) -> AttachedFiles,
            discard_attachments(DiscardAttachments) -> Done,
            queue_message(QueueMessage) -> Session,
            edit_queued(EditQueued) -> Session,
            remove_queued(RemoveQueued) -> Session,
            send_queued(SendQueued) -> Done,
            interrupt_session(InterruptSession) -> Done,
            stop_session(StopSession) -> Done,
            rename_session(RenameSession) -> Session,
            set_session_notifications(SetSessionNotifications) -> Session,
            move_session(MoveSession) -> Done,
            close_session(CloseSession) -> Done,
            resume_session(ResumeSession) -> Session,
            set_config(SetConfig) -> Done,
            list_agents(ListAgents) -> AgentsFound,
            read_transcript(ReadTranscript) -> TranscriptPage,
            read_log(ReadLog) -> SessionLog,
            read_settings(ReadSettings) -> SettingsRead,
            change_setting(ChangeSetting) -> SettingsRead,
            read_notification_log(ReadNotificationLog) -> NotificationLogRead,
            read_clients(ReadClients) -> ClientsRead,
            read_client_versions(ReadClientVersions) -> ClientVersions,
            plan_client(PlanClient) -> ClientPlan,
            change_client(ChangeClient) -> Done,
            test_gateway(TestGateway) -> Done,
            note_view(NoteView) -> Done,
            note_painted(NotePainted) -> Done,
            search_history(SearchHistory) -> HistoryFound,
            read_past_sessions(ReadPastSessions) -> PastSessions,
            save_export(SaveExport) -> SavedExport,
            search_questions(SearchQuestions) -> QuestionsFound,
            count_questions(CountQuestions) -> QuestionTotals,
            save_questions(SaveQuestions) -> SavedExport,
            delete_session(DeleteSession) -> Done,
            save_draft(SaveDraft) -> Done,
            read_drafts(ReadDrafts) -> DraftsRead,
        }
    };
}
