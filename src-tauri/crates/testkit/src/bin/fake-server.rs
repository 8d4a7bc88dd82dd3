use std::process::ExitCode;

/// Serves JSON-RPC, or with the arguments of OpenCode its API.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    ExitCode::from(match arguments.first() {
        Some(_) => askdesk_testkit::opencode2::run(&arguments),
        None => askdesk_testkit::fake_server::serve(std::io::stdin().lock(), std::io::stdout().lock()),
    })
}
