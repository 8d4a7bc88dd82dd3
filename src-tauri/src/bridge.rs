//! The bridge: the commands of the one list, and the few that need the window, thin over [`askdesk_api::Api`].

use std::pin::Pin;

use askdesk_api::dto::*;
use askdesk_api::read_input;
use askdesk_client_config::Confirmation;
use askdesk_domain::{Approval, Request, Session, SessionUsage};
use askdesk_engine::helper_outputs::HelperOutput;
use serde::Serialize;
use serde_json::Value;
use tauri::ipc::{Invoke, InvokeBody, InvokeError, InvokeResponseBody};
use tauri::{Manager, Wry};

use crate::pending_api::PendingApi;
use crate::{
    attachments, deep_link, external_links, folder_dialog, gateway, guide, page_crash, previous_focus, quit,
    subscribe, window_lifecycle,
};

type Reply = Pin<Box<dyn Future<Output = Result<InvokeResponseBody, InvokeError>> + Send>>;

macro_rules! bridge {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        /// Calls a command of the one list; none if the list doesn't have it.
        fn call(command: &str, pending_api: PendingApi, input: Value) -> Option<Reply> {
            Some(match command {
                $(stringify!($name) => Box::pin(async move {
                    let input: $input = read_input(input)?;
                    let output: $output = pending_api.api().await?.$name(input).await?;
                    body(&output)
                }),)+
                _ => return None,
            })
        }
    };
}
askdesk_api::for_each_command!(bridge);

fn body<T: Serialize>(output: &T) -> Result<InvokeResponseBody, InvokeError> {
    serde_json::to_string(output).map(InvokeResponseBody::Json).map_err(InvokeError::from_error)
}

/// Answers every call of the window.
///
/// The list's commands are no Tauri commands: for each of those, the compiler makes a task of its own, 2 MiB of program in all.
pub fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    let of_shell: fn(Invoke<Wry>) -> bool = tauri::generate_handler![
        subscribe::start_page,
        subscribe::subscribe,
        subscribe::acknowledge_frames,
        subscribe::unsubscribe,
        external_links::open_link,
        guide::open_guide,
        quit::quit,
        folder_dialog::pick_folder,
        attachments::attach_dropped,
        attachments::attach_pasted,
        attachments::pick_attachments,
        deep_link::deep_link_target,
        deep_link::deep_link_shown,
        window_lifecycle::close_request,
        window_lifecycle::ready_to_close,
        previous_focus::deep_link_answered,
        gateway::gateway_failure,
        gateway::retry_gateway,
        page_crash::take_page_crash,
        page_crash::page_failed
    ];
    move |invoke| {
        let InvokeBody::Json(arguments) = invoke.message.payload() else { return of_shell(invoke) };
        let input = arguments.get("input").cloned().unwrap_or_default();
        let pending_api = invoke.message.webview_ref().state::<PendingApi>().inner().clone();
        match call(invoke.message.command(), pending_api, input) {
            Some(reply) => {
                invoke.resolver.respond_async_serialized(reply);
                true
            }
            None => of_shell(invoke),
        }
    }
}
