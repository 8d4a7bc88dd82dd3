//! The bridge: passes the commands of the one list to the engine or the desk, and answers the few that need the window.

use askdesk_contract::Call;
use tauri::ipc::{Invoke, InvokeBody, InvokeError, InvokeResponseBody};
use tauri::{Manager, Wry};

use crate::pending_api::{PendingApi, line};
use crate::{
    attachments, deep_link, external_links, folder_dialog, gateway, guide, page_crash, previous_focus, quit,
    subscribe, window_lifecycle,
};

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
        let Some(command) = Call::NAMES.iter().find(|name| **name == invoke.message.command()) else {
            return of_shell(invoke);
        };
        let input = arguments.get("input").cloned().unwrap_or_default();
        let pending_api = invoke.message.webview_ref().state::<PendingApi>().inner().clone();
        invoke.resolver.respond_async_serialized(async move {
            let call = Call::read(command, input).transpose()?;
            let api = pending_api.api().await?;
            let output = match call {
                Some(Call::Engine(call)) => line(&api).call(call).await?,
                Some(Call::Desk(call)) => api.call_desk(call).await?,
                None => return Err(InvokeError::from(format!("there is no command {command}"))),
            };
            Ok(InvokeResponseBody::Json(output))
        });
        true
    }
}
