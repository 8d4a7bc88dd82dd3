//! Serves a script file as the model's API, for trying a real agent CLI by hand.

use std::net::SocketAddr;
use std::process::ExitCode;

use askdesk_testkit::mock_api::{MockApi, Script};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("mock-anthropic: {words}");
            ExitCode::from(2)
        }
    }
}

async fn serve() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let usage =
        "usage: mock-anthropic SCRIPT.json [PORT]; the script is a list of {\"blocks\": [{\"text\": …}, …]}";
    let path = args.next().ok_or(usage)?;
    let port: u16 = match args.next() {
        Some(port) => {
            port.parse().map_err(|_| format!("{port} is no port number; give one from 1 to 65535"))?
        }
        None => 0,
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{path} cannot be read ({error}); check the path"))?;
    let script = Script::parse(&text).map_err(|error| format!("{path}: {error}; {usage}"))?;
    let mock = MockApi::start_at(script, SocketAddr::from(([127, 0, 0, 1], port)))
        .await
        .map_err(|error| format!("port {port} cannot be opened ({error}); choose another one"))?;
    println!("ANTHROPIC_BASE_URL={}", mock.base_url);
    let mut shown = 0;
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let requests = mock.requests();
        for request in &requests[shown..] {
            println!("{}{}", request.target, if request.conversation { "  (conversation)" } else { "" });
        }
        shown = requests.len();
    }
}
