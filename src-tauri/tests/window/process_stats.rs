//! The app's process.

use std::fs;

/// Returns the app's process, which the driver has started.
pub fn main_process(root: u32) -> u32 {
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_askdesk-desktop")).unwrap();
    let is_app = |process: &u32| {
        let exe = fs::read_link(format!("/proc/{process}/exe"));
        exe.is_ok_and(|exe| exe == program) && parent(*process) == Some(root)
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let mut processes = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.find(is_app).expect("the app runs below its driver")
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}
