//! The bridge: one Tauri command for each entry of the one list, thin over [`askdesk_api::Api`].

use askdesk_api::dto::*;
use askdesk_api::{Error, read_input};
use askdesk_client_config::Confirmation;
use askdesk_domain::{Approval, Request, Session, SessionUsage};
use serde_json::Value;
use tauri::ipc::Invoke;
use tauri::{State, Wry};

use crate::pending_api::PendingApi;
use crate::{
    attachments, deep_link, external_links, folder_dialog, gateway, guide, page_crash, previous_focus,
    subscribe, window_lifecycle,
};

macro_rules! bridge {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        $(
            // The input is read here and not by Tauri, so that what does not fit has an error code like all else.
            #[tauri::command]
            async fn $name(pending_api: State<'_, PendingApi>, input: Option<Value>) -> Result<$output, Error> {
                let input: $input = read_input(input.unwrap_or_default())?;
                pending_api.api().await?.$name(input).await
            }
        )+

        /// Answers every call of the window.
        pub fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($name,)+ subscribe::start_page, subscribe::subscribe, subscribe::acknowledge_frames, subscribe::unsubscribe, external_links::open_link, guide::open_guide, folder_dialog::pick_folder, attachments::attach_dropped, attachments::pick_attachments, deep_link::deep_link_target, deep_link::deep_link_shown, window_lifecycle::close_request, window_lifecycle::ready_to_close, previous_focus::deep_link_answered, gateway::gateway_failure, gateway::retry_gateway, page_crash::take_page_crash]
        }
    };
}
askdesk_api::for_each_command!(bridge);
