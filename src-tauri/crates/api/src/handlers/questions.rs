//! Questions and permission requests: answering, declining, delivering, and the drafts of answers.

use askdesk_domain::{Approval, Request};
use askdesk_engine::DraftRevision;

use crate::api::Api;
use crate::dto::*;
use crate::error::Error;

impl Api {
    pub async fn answer_question(&self, input: AnswerQuestion) -> Result<Request, Error> {
        Ok(self.engine.answer(input.id, input.answers).await?)
    }

    pub async fn hold_end(&self, input: HoldEnd) -> Result<Done, Error> {
        let HoldEnd { request_id, id, end } = input;
        let undo = self.settings.watch().borrow().undo_seconds;
        self.run_once(request_id, "hold_end", self.engine.hold_end(id, end, undo)).await
    }

    pub async fn undo_end(&self, input: UndoEnd) -> Result<Done, Error> {
        self.run_once(input.request_id, "undo_end", self.engine.undo_end(input.id)).await
    }

    pub async fn decline_question(&self, input: DeclineQuestion) -> Result<Request, Error> {
        Ok(self.engine.decline(input.id, input.words).await?)
    }

    pub async fn cancel_question(&self, input: CancelQuestion) -> Result<Request, Error> {
        Ok(self.engine.cancel(input.id, input.reason).await?)
    }

    pub async fn retry_delivery(&self, input: RetryDelivery) -> Result<Request, Error> {
        Ok(self.engine.retry(input.id).await?)
    }

    pub async fn dismiss_request(&self, input: DismissRequest) -> Result<Request, Error> {
        Ok(self.engine.dismiss(input.id).await?)
    }

    pub async fn decide_approval(&self, input: DecideApproval) -> Result<Approval, Error> {
        Ok(self.engine.decide_approval(input.id, input.decision).await?)
    }

    pub async fn save_draft(&self, input: SaveDraft) -> Result<Done, Error> {
        let SaveDraft { page, n, draft } = input;
        let revision = DraftRevision { page, n };
        self.engine.save_draft(askdesk_engine::SaveDraft { revision, of: draft }).await?;
        Ok(Done {})
    }

    pub async fn read_drafts(&self, _: ReadDrafts) -> Result<DraftsRead, Error> {
        Ok(DraftsRead { drafts: self.engine.drafts().await? })
    }
}
