//! Past questions: searching, counting and exporting them.

use askdesk_contract::*;

use super::history::SessionSource;
use crate::api::Api;
use crate::export;

impl Api {
    pub(crate) async fn search_questions(&self, input: SearchQuestions) -> Result<QuestionsFound, Error> {
        let SearchQuestions { wanted, limit, offset } = input;
        self.with_sessions(self.engine.questions(wanted.into(), limit, offset).await?).await
    }

    pub(crate) async fn save_questions(&self, input: SaveQuestions) -> Result<SavedExport, Error> {
        let found = self.engine.all_questions(input.wanted.into()).await?;
        let found = self.with_sessions(found).await?;
        let (text, extension) = match input.format {
            QuestionsFormat::Csv => (export::questions::csv(&found)?, "csv"),
            QuestionsFormat::Json => (export::questions::json(&found)?, "json"),
        };
        let file_name = export::questions::file_name(self.engine.clock().now(), extension);
        self.save(Exported { text, file_name }).await
    }

    /// Adds to each request the session it belongs to.
    async fn with_sessions(&self, found: askdesk_engine::QuestionsFound) -> Result<QuestionsFound, Error> {
        let askdesk_engine::QuestionsFound {
            requests,
            more,
            mut went_on,
            count,
            answered,
            unreadable,
            median_millis,
        } = found;
        let sessions = self.session_sources(requests.iter().map(|request| request.session)).await?;
        // A session may have been deleted since the search.
        let questions = requests.into_iter().filter_map(|request| {
            let SessionSource { name, folder, origin } = sessions.get(&request.session)?.clone();
            let went_on = went_on.remove(&request.id);
            Some(PastQuestion { name, folder, origin, request, went_on })
        });
        Ok(QuestionsFound {
            questions: questions.collect(),
            more,
            count,
            answered,
            unreadable,
            median_millis,
        })
    }
}
