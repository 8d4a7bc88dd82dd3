//! Past questions: searching, counting and exporting them.

use askdesk_engine::QuestionFilter;

use super::history::SessionSource;
use crate::api::Api;
use crate::dto::*;
use crate::error::Error;
use crate::export;

impl Api {
    pub async fn search_questions(&self, input: SearchQuestions) -> Result<QuestionsFound, Error> {
        let filter = filter_of(input.wanted);
        self.with_sessions(self.engine.questions(filter, input.limit, input.offset).await?).await
    }

    pub async fn count_questions(&self, input: CountQuestions) -> Result<QuestionTotals, Error> {
        let totals = self.engine.question_totals(filter_of(input.wanted), input.days).await?;
        let askdesk_engine::QuestionTotals { answer_times, median_millis } = totals;
        Ok(QuestionTotals { answer_times, median_millis })
    }

    pub async fn save_questions(&self, input: SaveQuestions) -> Result<SavedExport, Error> {
        let found = self.engine.all_questions(filter_of(input.wanted)).await?;
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

fn filter_of(wanted: QuestionsWanted) -> QuestionFilter {
    let QuestionsWanted { query, session, outcomes } = wanted;
    QuestionFilter { words: query, session, outcomes }
}
