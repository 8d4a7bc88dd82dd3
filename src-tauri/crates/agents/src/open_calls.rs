//! What an agent asked and has not seen the end of.

use askdesk_domain::{HelperId, NativeRef};

use crate::adapter::{EncodeError, Output};
use crate::event::{ApprovalAsked, Asked, Requests};

/// How many questions and permission requests of one session may be open at a time; more are refused.
const OPEN_CALLS: usize = 256;

/// The calls of one session, in the order in which it asked.
#[derive(Debug)]
pub(crate) struct OpenCalls<K>(Vec<OpenCall<K>>);

#[derive(Debug)]
pub(crate) struct OpenCall<K> {
    pub(crate) native_ref: NativeRef,
    /// The helper that waits for it. Such a call outlives the turns of the agent itself.
    pub(crate) helper: Option<HelperId>,
    /// Whether it is a question, and not a permission request.
    pub(crate) is_question: bool,
    /// Whether its end was encoded. It is kept until the agent shows that it has it, so that it can be sent again.
    pub(crate) answered: bool,
    /// What the agent's protocol needs for an answer.
    pub(crate) own: K,
}

impl<K> OpenCalls<K> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Says why no more calls are taken, if that is so.
    pub(crate) fn room(&self) -> Result<(), String> {
        if self.0.len() < OPEN_CALLS {
            return Ok(());
        }
        Err(format!("too many open questions and permission requests (the limit is {OPEN_CALLS})"))
    }

    pub(crate) fn ask(&mut self, asked: Asked, own: K, out: &mut Output) {
        self.add(&asked.native_ref, asked.helper.as_ref(), true, own);
        out.event(Requests::Asked(asked));
    }

    pub(crate) fn ask_permission(&mut self, asked: ApprovalAsked, own: K, out: &mut Output) {
        self.add(&asked.native_ref, asked.helper.as_ref(), false, own);
        out.event(Requests::ApprovalAsked(Box::new(asked)));
    }

    fn add(&mut self, native_ref: &NativeRef, helper: Option<&HelperId>, is_question: bool, own: K) {
        let (native_ref, helper) = (native_ref.clone(), helper.cloned());
        self.0.push(OpenCall { native_ref, helper, is_question, answered: false, own });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &OpenCall<K>> {
        self.0.iter()
    }

    pub(crate) fn find(&mut self, native_ref: &NativeRef) -> Result<&mut OpenCall<K>, EncodeError> {
        let call = self.0.iter_mut().find(|call| call.native_ref == *native_ref);
        call.ok_or_else(|| EncodeError::gone(native_ref))
    }

    /// Finds the call of a question, even if the question was answered.
    pub(crate) fn question(&mut self, native_ref: &NativeRef) -> Result<&mut OpenCall<K>, EncodeError> {
        let call = self.find(native_ref)?;
        if call.is_question { Ok(call) } else { Err(EncodeError::gone(native_ref)) }
    }

    /// Forgets the call of a question that nobody is asked.
    pub(crate) fn take_question(&mut self, native_ref: &NativeRef) -> Result<OpenCall<K>, EncodeError> {
        let call = self.forget(|call| call.native_ref == *native_ref && call.is_question);
        call.ok_or_else(|| EncodeError::gone(native_ref))
    }

    /// Forgets the first of such calls, without a word to the user.
    pub(crate) fn forget(&mut self, which: impl Fn(&OpenCall<K>) -> bool) -> Option<OpenCall<K>> {
        self.0.iter().position(which).map(|place| self.0.remove(place))
    }

    /// Ends calls that the agent no longer waits for: answered questions are acknowledged, unanswered calls are withdrawn.
    /// Returns those that were withdrawn.
    pub(crate) fn settle(&mut self, over: impl Fn(&OpenCall<K>) -> bool, out: &mut Output) -> Vec<K> {
        let mut withdrawn = Vec::new();
        for call in self.0.extract_if(.., |call| over(call)) {
            let OpenCall { native_ref, is_question, answered, own, .. } = call;
            match (answered, is_question) {
                (true, true) => out.event(Requests::Acknowledged { native_ref }),
                (true, false) => {}
                (false, _) => {
                    out.event(Requests::Withdrawn { native_ref });
                    withdrawn.push(own);
                }
            }
        }
        withdrawn
    }
}
