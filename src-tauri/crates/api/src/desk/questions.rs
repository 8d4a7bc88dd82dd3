//! The commands about the questions of the past: finding them, and saving what was found.

use std::collections::HashMap;

use askdesk_domain::{Desk, Origin, SessionId};
use askdesk_engine::QuestionFilter;

use super::DeskApi;
use crate::dto::{
    Exported, PastQuestion, QuestionsFormat, QuestionsFound, QuestionsWanted, SaveQuestions, SavedExport,
    SearchQuestions,
};
use crate::error::Error;
use crate::export;

impl DeskApi {
    pub(super) async fn questions(&self, input: SearchQuestions) -> Result<QuestionsFound, Error> {
        let filter = filter_of(input.wanted);
        self.with_sessions(self.engine.questions(filter, input.limit, input.offset).await?).await
    }

    pub(super) async fn save_questions_found(&self, input: SaveQuestions) -> Result<SavedExport, Error> {
        let found = self.engine.all_questions(filter_of(input.wanted)).await?;
        let found = self.with_sessions(found).await?;
        let (text, extension) = match input.format {
            QuestionsFormat::Csv => (export::questions::csv(&found)?, "csv"),
            QuestionsFormat::Json => (export::questions::json(&found)?, "json"),
        };
        let file_name = export::questions::file_name(self.engine.source().now(), extension);
        self.save(Exported { text, file_name }).await
    }

    /// Puts beside each request whose it was.
    async fn with_sessions(&self, found: askdesk_engine::QuestionsFound) -> Result<QuestionsFound, Error> {
        let askdesk_engine::QuestionsFound { requests, more, count, answered, median_millis } = found;
        let ids: Vec<SessionId> = requests.iter().map(|request| request.session).collect();
        let known = move |desk: &Desk| -> HashMap<SessionId, (String, String, Origin)> {
            let known = ids.iter().filter_map(|id| desk.session(*id));
            known.map(|it| (it.id, (it.name.clone(), it.folder.clone(), it.origin.clone()))).collect()
        };
        let known = self.engine.look(known).await?;
        // A session that was deleted in between is in nobody's history any more.
        let questions = requests.into_iter().filter_map(|request| {
            let (name, folder, origin) = known.get(&request.session)?.clone();
            Some(PastQuestion { name, folder, origin, request })
        });
        Ok(QuestionsFound { questions: questions.collect(), more, count, answered, median_millis })
    }
}

fn filter_of(wanted: QuestionsWanted) -> QuestionFilter {
    let QuestionsWanted { query, session, outcomes } = wanted;
    QuestionFilter { words: query, session, outcomes }
}
