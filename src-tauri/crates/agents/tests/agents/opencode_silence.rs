//! How often OpenCode's server is read while its stream says nothing.

use serde_json::json;

use crate::support::opencode::OpenCodeSession;

fn beat(session: &mut OpenCodeSession) {
    session.event("server.heartbeat", &json!({}));
}

fn reads(session: &OpenCodeSession) -> usize {
    session.requests.iter().filter(|(to, _)| to == "GET /question").count()
}

/// Responds to everything that is read, of a session that works.
fn read_anew(session: &mut OpenCodeSession) {
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(json!({"ses_1": {"type": "busy"}})));
    session.respond("GET /question", Ok(json!([])));
    session.respond("GET /permission", Ok(json!([])));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
}

#[test]
fn a_long_silence_is_read_less_often_and_outside_a_turn_nothing_is_read() {
    let mut session = OpenCodeSession::working("ses_1");
    let mut read_at = Vec::new();
    for number in 1..=24 {
        let before = reads(&session);
        beat(&mut session);
        if reads(&session) > before {
            read_at.push(number);
            beat(&mut session);
            assert_eq!(reads(&session), before + 1, "the lists are still on their way");
            read_anew(&mut session);
        }
    }
    assert_eq!(read_at, [1, 2, 4, 8, 16, 24]);
    session.event("session.status", &json!({"sessionID": "ses_1", "status": {"type": "busy"}}));
    let before = reads(&session);
    beat(&mut session);
    assert_eq!(reads(&session), before + 1, "it begins anew after something was heard");
    read_anew(&mut session);
    session.event("session.status", &json!({"sessionID": "ses_1", "status": {"type": "idle"}}));
    session.event("session.idle", &json!({"sessionID": "ses_1"}));
    (0..4).for_each(|_| beat(&mut session));
    assert_eq!(reads(&session), before + 1);
}
