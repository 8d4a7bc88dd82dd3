//! Making other secrets.

use askdesk_client_config::desk::Desk;
use askdesk_client_config::{Client, Door as Wanted, Entry, Scope, standings};
use serde_json::json;

use crate::connecting::{hook_command, port, surroundings};
use crate::door::{Door, is_closed};
use crate::ending::{Ending, Failure};
use crate::terminal;

/// Makes other secrets: the desk does where it runs, so that the old ones are refused at once.
pub fn rotate(desk: &Desk) -> Result<Ending, Failure> {
    if is_closed(desk) {
        desk.draw_tokens().map_err(|error| Failure::System(format!("no token could be written: {error}")))?;
    } else {
        // Drawn under a desk that runs, new ones would lock out everybody but those who have the old.
        let asked = Door::to_answer(desk).and_then(|door| door.post("/v1/token/rotate", &json!({})));
        asked.map_err(|failure| match failure {
            Failure::NoDesk(why) => Failure::System(format!(
                "a desk seems to run and did not make other secrets: {why}; restart Askdesk and try again"
            )),
            failure => failure,
        })?;
    }
    terminal::print(
        "Both secrets are other ones now: that by which is asked, and that by which is answered.\n",
    )?;
    let token = desk.token()?.ok_or_else(|| Failure::System("there is no token".to_owned()))?;
    let around = surroundings()?;
    let wanted = Wanted { port: port(desk), token, command: Some(hook_command()?), asks_by_command: false };
    for (scope, flag) in [(Scope::User, ""), (Scope::Project, " --scope project")] {
        let left_behind = |client: &Client| {
            let stale = |it: &askdesk_client_config::Standing| it.entry == Entry::Stale;
            standings(*client, scope, &around, &wanted).iter().any(stale)
        };
        let left_behind: Vec<&str> = Client::ALL.into_iter().filter(left_behind).map(Client::id).collect();
        if !left_behind.is_empty() {
            let names = left_behind.join(" ");
            terminal::print(&format!("To let them in again: askdesk connect {names}{flag}\n"))?;
        }
    }
    Ok(Ending::Well)
}
