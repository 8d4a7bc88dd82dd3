//! What the window reports about itself.

use crate::api::{Api, View};
use crate::dto::*;
use crate::error::Error;

impl Api {
    pub async fn note_view(&self, input: NoteView) -> Result<Done, Error> {
        self.view.send_replace(View { session: input.session, focused: input.focused });
        Ok(Done {})
    }

    pub async fn note_painted(&self, input: NotePainted) -> Result<Done, Error> {
        self.host.painted(input);
        Ok(Done {})
    }
}
