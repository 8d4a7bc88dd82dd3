use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(askdesk_testkit::fake_server::serve(std::io::stdin().lock(), std::io::stdout().lock()))
}
