//! The bridge: one Tauri command for each entry of the one list, thin over [`askdesk_api::Api`].

use askdesk_api::dto::*;
use askdesk_api::{Error, read_input};
use askdesk_domain::{Approval, Request, Session};
use serde_json::Value;
use tauri::ipc::Invoke;
use tauri::{State, Wry};

use crate::opening::Opening;
use crate::{files, folders, links, presence, shortcut, subscribe, wanted};

macro_rules! bridge {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        $(
            // The input is read here and not by Tauri, so that what does not fit has an error code like all else.
            #[tauri::command]
            async fn $name(opening: State<'_, Opening>, input: Option<Value>) -> Result<$output, Error> {
                let input: $input = read_input(input.unwrap_or_default())?;
                opening.desk().await?.$name(input).await
            }
        )+

        /// Answers every call of the window.
        pub fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($name,)+ subscribe::subscribe, subscribe::took_frames, subscribe::unsubscribe, links::open_link, folders::pick_folder, files::attach_dropped, files::pick_attachments, wanted::wanted, wanted::brought_up, presence::leaving, presence::kept, shortcut::answered_there]
        }
    };
}
askdesk_api::for_each_command!(bridge);
