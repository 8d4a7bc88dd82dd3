//! Questions, permission requests and drafts.

use askdesk_domain::{
    AnswerInput, ApprovalDecision, ApprovalId, CommandId, DraftTarget, EndInput, RequestId,
};

commands! {
    struct AnswerQuestion {
        id: RequestId,
        /// A question without an entry is left unanswered.
        answers: Vec<AnswerInput>,
    }

    /// Ends a request after the undo window. An answer is held only for a request of one question with one choice.
    struct HoldEnd {
        id: RequestId,
        end: EndInput,
    }

    /// Takes back an end that is still in its undo window.
    struct UndoEnd {
        id: RequestId,
    }

    struct DeclineQuestion {
        id: RequestId,
        /// A message to the agent.
        #[serde(default)]
        words: Option<String>,
    }

    /// Closes a request without an answer.
    struct CancelQuestion {
        id: RequestId,
        /// A message to the agent.
        #[serde(default)]
        reason: Option<String>,
    }

    /// Tries a failed delivery again.
    struct RetryDelivery {
        id: RequestId,
    }

    /// Dismisses a missed request, or gives up a delivery that failed.
    struct DismissRequest {
        id: RequestId,
    }

    /// Decides a permission request.
    struct DecideApproval {
        id: ApprovalId,
        decision: ApprovalDecision,
    }
}

wire! {
    /// Saves a draft in place of the one before; a blank draft deletes it. A save that arrives after a later one of the same
    /// page changes nothing.
    struct SaveDraft {
        /// The page's own id, which it keeps from load to unload.
        page: CommandId,
        /// Counts the page's saves.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        n: u64,
        /// Answers to secret questions in it are not saved.
        draft: DraftTarget,
    }

    struct ReadDrafts {}

    /// All drafts, the one saved last first.
    struct DraftsRead {
        drafts: Vec<DraftTarget>,
    }
}
