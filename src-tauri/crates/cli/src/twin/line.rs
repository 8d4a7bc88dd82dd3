//! Standard input and output, watched for the end of the client.

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// A transport that says at once when its client is gone. The library alone would give calls that wait for a person some
/// seconds to end by themselves, and would not notice a client that reads no more.
pub struct Line<T> {
    inner: T,
    gone: CancellationToken,
    began: bool,
}

impl<T> Line<T> {
    /// Watches a transport.
    pub const fn new(inner: T, gone: CancellationToken) -> Self {
        Self { inner, gone, began: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Line<T> {
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
                // Before its first request the library takes anything else for a client that cannot be served.
                Some(message) if self.began || matches!(message, JsonRpcMessage::Request(_)) => {
                    self.began = true;
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
