//! Opens a link in the user's own program. Links of agents are opened after the user agreed to it.

#[cfg(target_os = "linux")]
use std::path::Path;

use askdesk_contract::Error;
use askdesk_domain::{Rejection, ValidationError};
#[cfg(target_os = "linux")]
use askdesk_open_in::Launch;
#[cfg(target_os = "linux")]
use askdesk_user_environment::variables;
use tauri::Url;

/// The longest address, in bytes. Some programs cut off longer ones.
const MAX_BYTES: usize = 8 * 1024;

/// Other schemes could start a program or show a file.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Opens an address. The page asks the user first.
#[tauri::command]
pub async fn open_link(url: String) -> Result<(), Error> {
    open(checked(&url)?).await
}

/// Opens an address that the guide links to. It is ours, so the user isn't asked.
pub fn open_from_guide(url: Url) {
    tauri::async_runtime::spawn(async move {
        let opened = match checked(url.as_str()) {
            Ok(url) => open(url).await,
            Err(error) => Err(error),
        };
        if let Err(error) = opened {
            tracing::warn!(error = error.message, "a link of the guide could not be opened");
        }
    });
}

async fn open(url: Url) -> Result<(), Error> {
    let opened = tauri::async_runtime::spawn_blocking(move || start_program(&url)).await;
    let opened = opened.map_err(|error| error.to_string()).flatten();
    opened.map_err(|error| refused(ValidationError::NoProgram { error }))
}

#[cfg(not(target_os = "linux"))]
fn start_program(url: &Url) -> Result<(), String> {
    tauri_plugin_opener::open_url(url, None::<&str>).map_err(|error| error.to_string())
}

/// Starts the first launcher of the system that works. `tauri_plugin_opener` would give it the variables of this process, and
/// those of an AppImage keep some browsers from starting.
#[cfg(target_os = "linux")]
fn start_program(url: &Url) -> Result<(), String> {
    let variables = variables();
    let mut failed = None;
    for command in open::commands(url.as_str()) {
        let Some(program) = variables.find_program(command.get_program()) else { continue };
        let args = command.get_args().map(ToOwned::to_owned).collect();
        match askdesk_open_in::start(&Launch::new(program, args, Path::new("/"))) {
            Ok(()) => return Ok(()),
            Err(error) => failed = Some(error.to_string()),
        }
    }
    Err(failed.unwrap_or_else(|| "xdg-open is not installed".to_owned()))
}

fn checked(url: &str) -> Result<Url, Error> {
    if url.len() > MAX_BYTES {
        return Err(refused(ValidationError::TooLong { most: MAX_BYTES, bytes: url.len() }));
    }
    let url =
        Url::parse(url).map_err(|error| refused(ValidationError::NoAddress { error: error.to_string() }))?;
    if !SCHEMES.contains(&url.scheme()) {
        return Err(refused(ValidationError::AddressNotOpened { scheme: url.scheme().to_owned() }));
    }
    Ok(url)
}

fn refused(rule: ValidationError) -> Error {
    Rejection::invalid("url", rule).into()
}

#[cfg(test)]
mod tests {
    use askdesk_contract::ErrorCode;

    use super::*;

    #[test]
    fn web_and_mail_addresses_are_opened_as_they_were_shown() {
        for url in ["https://example.org/a?b=%20c#d", "http://127.0.0.1:8080/", "mailto:ada@example.org"] {
            assert_eq!(checked(url).map(String::from), Ok(url.to_owned()));
        }
    }

    #[test]
    fn case_57_what_could_start_a_program_or_show_a_file_is_refused() {
        let long = format!("https://example.org/{}", "a".repeat(MAX_BYTES));
        let others = [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "vscode://open",
            "data:text/html,a",
            "/etc",
            "-h",
            &long,
        ];
        for url in others {
            assert_eq!(checked(url).map_err(|error| error.code), Err(ErrorCode::Invalid), "{url}");
        }
    }
}
