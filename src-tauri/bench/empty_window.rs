//! A window of the same size with nothing in it: what the bench compares the app with.

// Not by way of the app's library, all of which would be linked.
#[path = "../src/rendering.rs"]
mod rendering;

use std::sync::Mutex;

/// Says when the page was painted, the way the app does.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
fn note_painted(at: i64, file: tauri::State<'_, Mutex<Option<std::fs::File>>>) {
    use std::io::Write;
    if let Ok(mut file) = file.lock()
        && let Some(file) = file.as_mut()
        && let Err(error) = writeln!(file, "{{\"painted\":null,\"at_ms\":{at}}}")
    {
        eprintln!("the trace file cannot be written: {error}");
    }
}

fn main() {
    rendering::prefer_software();
    let file = std::env::var_os("ASKDESK_TRACE")
        .and_then(|path| std::fs::OpenOptions::new().create(true).append(true).open(path).ok());
    let run = tauri::Builder::default()
        .manage(Mutex::new(file))
        .invoke_handler(tauri::generate_handler![note_painted])
        .run(tauri::generate_context!("src-tauri/bench/empty/tauri.conf.json"));
    if let Err(error) = run {
        eprintln!("the empty window did not open: {error}");
    }
}
