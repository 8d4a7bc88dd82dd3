//! The transport over standard input and output, which notices when the client goes.

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// A transport that reports at once that its client has gone. The library alone would give waiting calls some seconds to end,
/// and would not notice a client that stops reading.
pub struct WatchedTransport<T> {
    inner: T,
    gone: CancellationToken,
    has_requested: bool,
}

impl<T> WatchedTransport<T> {
    pub const fn new(inner: T, gone: CancellationToken) -> Self {
        Self { inner, gone, has_requested: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let gone = self.gone.clone();
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if sent.is_err() {
                gone.cancel();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.inner.receive().await {
                None => {
                    self.gone.cancel();
                    return None;
                }
                // The library rejects a client whose first message isn't a request.
                Some(message) if self.has_requested || matches!(message, JsonRpcMessage::Request(_)) => {
                    self.has_requested = true;
                    return Some(message);
                }
                Some(_) => {}
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}
