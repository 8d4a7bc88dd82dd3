/// Says whether a process runs; one that has ended and was not collected by its parent does not.
pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().next());
    !matches!(state, None | Some("Z" | "X"))
}
