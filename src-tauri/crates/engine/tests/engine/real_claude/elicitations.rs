//! What MCP servers ask through the real `claude`.

use askdesk_domain::{AnswerBounds, AnswerInput, NumberLimit, Request};
use askdesk_testkit::eliciting_server::{ElicitingServer, PAGE};

use super::*;
use crate::support::agents::choose;

/// A session in which an eliciting server asks.
struct Elicited {
    stage: Stage,
    session: SessionId,
    server: ElicitingServer,
    request: Request,
    _world: World,
}

impl Elicited {
    /// Starts a session whose model calls a tool of the server.
    async fn by(tool: &str, test: &str) -> Option<Self> {
        let call = Block::tool("toolu_1", &format!("mcp__desk__{tool}"), json!({}));
        let world = World::open(test, vec![Reply::new([call]), Reply::text("Thank you.")]).await?;
        let server = ElicitingServer::start().await.unwrap();
        let servers =
            json!({"mcpServers": {"desk": {"type": "http", "url": server.url, "alwaysLoad": true}}});
        let add_server = move |args: &mut Vec<OsString>| {
            let flags =
                ["--strict-mcp-config", "--allowedTools", "mcp__desk", "--mcp-config", &servers.to_string()];
            args.extend(flags.map(Into::into));
        };
        let mut stage = Stage::open().await;
        let session = world.start_changed(&stage, add_server).await;
        let request = stage.asked_one(session).await;
        assert_eq!(request.asked_by.as_deref(), Some("desk"));
        Some(Self { stage, session, server, request, _world: world })
    }

    /// Answers, waits until the turn is over, and returns how the server heard it.
    async fn answer(&mut self, answers: Vec<AnswerInput>) -> Value {
        self.stage.desk.engine.answer(self.request.id, answers).await.unwrap();
        self.stage.until_delivered(self.request.id).await;
        self.stage.until_idle_after(self.session, "Thank you.").await;
        self.stage.stop(self.session).await;
        let replies = self.server.replies();
        assert_eq!(replies.len(), 1, "{replies:?}");
        replies[0].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_and_141_a_form_is_a_card_and_its_values_reach_the_server_within_its_bounds() {
    let Some(mut form) = Elicited::by("form", "case_141_the_real_agent_passes_on_bounds").await else {
        return;
    };
    let request = form.request.clone();
    let limit = |value| Some(NumberLimit { value, exclusive: false });
    let bounds = AnswerBounds::Number { whole: true, min: limit(2.0), max: limit(9.0) };
    assert_eq!(request.questions[1].bounds, Some(bounds));
    assert_eq!(request.questions[1].default.as_ref().unwrap().other.as_deref(), Some("4"));
    let answers = |count: &str| {
        let count = AnswerInput { other: Some(count.to_owned()), ..choose(&request, 1, &[]) };
        vec![choose(&request, 0, &["jwt"]), count]
    };
    form.stage.desk.engine.answer(request.id, answers("23")).await.unwrap_err();
    let reply = form.answer(answers("9")).await;
    assert_eq!(reply, json!({"action": "accept", "content": {"auth": "jwt", "count": 9}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn case_111_a_page_to_open_is_a_card_and_the_consent_reaches_the_server() {
    let Some(mut page) = Elicited::by("page", "case_111_the_real_agent_passes_on_a_page").await else {
        return;
    };
    assert_eq!(page.request.questions[0].text, format!("Sign in\n\n{PAGE}"));
    let yes = choose(&page.request, 0, &["Yes"]);
    assert_eq!(page.answer(vec![yes]).await["action"], "accept");
}
