//! What commands have returned, so that one that is sent again is not carried out again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_contract::Error;
use askdesk_domain::{CommandId, Rejection};
use tokio::sync::OnceCell;

/// How many commands are remembered.
const REMEMBERED: usize = 1_024;

#[derive(Clone, Default)]
pub(crate) struct Receipts(Arc<Mutex<VecDeque<Receipt>>>);

struct Receipt {
    id: CommandId,
    command: &'static str,
    /// As JSON.
    output: Arc<OnceCell<String>>,
}

impl Receipts {
    /// Runs a command once for each id. A repeated call waits for the first and shares its output. Failures are not remembered,
    /// so that the caller can try again.
    pub(crate) async fn once(
        &self,
        id: CommandId,
        command: &'static str,
        run: impl Future<Output = Result<String, Error>>,
    ) -> Result<String, Error> {
        let output = {
            let mut receipts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match receipts.iter().find(|receipt| receipt.id == id) {
                Some(receipt) if receipt.command == command => Arc::clone(&receipt.output),
                // Returning the first command's output would drop the second one silently.
                Some(_) => return Err(Rejection::invalid("requestId", "was used for another command").into()),
                None => {
                    if receipts.len() == REMEMBERED {
                        receipts.pop_front();
                    }
                    let output = Arc::new(OnceCell::new());
                    receipts.push_back(Receipt { id, command, output: Arc::clone(&output) });
                    output
                }
            }
        };
        output.get_or_try_init(|| run).await.cloned()
    }
}
