//! Lines of an agent that are longer than anything that is shown.

use askdesk_domain::{EntryBody, Notice, ToolStatus};

use crate::support::agents::{Stage, decides};
use crate::support::own_process::{handed_folder, run_alone};

/// What the memory of this process may grow by while a line of 64 MiB is read, in bytes.
const GROWTH: usize = 32 * 1024 * 1024;

const TOOL: &str = r#"
    read -r hello
    long() { head -c "$1" /dev/zero | tr '\0' x; }
    tool() { echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"'$1'","name":"Bash","input":{"command":"cat big"}}]}}'; }
"#;

/// A resident set in bytes, at its highest so far.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn case_110_a_permission_of_more_than_a_mebibyte_is_answered_with_its_whole_input() {
    let mut stage = Stage::open().await;
    let script = format!(
        "{TOOL}{}",
        r#"
        printf '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Write","tool_use_id":"t1","input":{"file_path":"/proj/big","content":"'
        long 1150000
        echo '"}}}'
        read -r answer
        printf '%s' "$answer" > "$0/answer"
        echo '{"type":"result","subtype":"success","duration_ms":1}'
        read -r end
        "#
    );
    let session = stage.script(&script, None).await;
    let approval = stage.permission(session).await;
    assert!(approval.subject.is_cut(), "the page gets no megabytes");
    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    stage.desk.until("the turn ends", |known| !known.turns(session).is_empty()).await;
    let answer = std::fs::read_to_string(stage.desk.folder.join("answer")).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let input = &answer["response"]["response"]["updatedInput"];
    assert_eq!(input["content"], "x".repeat(1_150_000));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn case_110_a_line_of_64_mebibytes_is_read_in_bounded_memory() {
    let Some(folder) = handed_folder() else {
        let folder = tempfile::tempdir().unwrap();
        let name = "case_110_a_line_of_64_mebibytes_is_read_in_bounded_memory";
        let run = run_alone("022", module_path!(), name, folder.path()).output().unwrap();
        let report = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && report.contains("1 passed"), "{report}");
        return;
    };
    let mut stage = Stage::open_at(&folder).await;
    let script = format!(
        "{TOOL}{}",
        r#"
        tool t1
        while [ ! -e "$0/go" ]; do sleep 0.01; done
        printf '{"type":"user","message":{"content":[{"type":"tool_result","content":"'
        long 67108864
        echo '","tool_use_id":"t1"}]}}'
        echo '{"type":"result","subtype":"success","duration_ms":1}'
        read -r end
        "#
    );
    let session = stage.script(&script, None).await;
    stage.desk.until("the tool runs", |known| !known.tool_statuses(session).is_empty()).await;
    let before = peak();
    std::fs::write(stage.desk.folder.join("go"), "").unwrap();
    stage.desk.until("the turn ends", |known| !known.turns(session).is_empty()).await;
    let growth = peak() - before;
    assert!(growth < GROWTH, "{growth} bytes");
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Done]);
    let transcript = stage.desk.mirror.transcript(session);
    let output = transcript.iter().find_map(|body| match body {
        EntryBody::Tool { output, .. } => output.as_deref(),
        _ => None,
    });
    assert!(output.unwrap().ends_with("… [too large to show: 67108864 bytes]"));
}

#[tokio::test]
async fn case_110_a_request_of_more_than_64_mebibytes_is_answered_in_words() {
    let mut stage = Stage::open().await;
    let script = format!(
        "{TOOL}{}",
        r#"
        printf '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"file_path":"/proj/big","content":"'
        long 68000000
        echo '"},"tool_use_id":"t1"}}'
        read -r answer
        printf '%s' "$answer" > "$0/answer"
        echo '{"type":"result","subtype":"success","duration_ms":1}'
        read -r end
        "#
    );
    let session = stage.script(&script, None).await;
    stage.desk.until("the turn ends", |known| !known.turns(session).is_empty()).await;
    let answer = std::fs::read_to_string(stage.desk.folder.join("answer")).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["response"]["request_id"], "r1");
    assert_eq!(answer["response"]["response"]["behavior"], "deny");
    assert!(
        answer["response"]["response"]["message"]
            .as_str()
            .unwrap()
            .contains("Split it into smaller requests")
    );
    let notices = stage.desk.mirror.notices(session);
    assert!(
        matches!(notices.as_slice(), [Notice::PermissionRefused { reason }] if reason.starts_with("Write: it is too large"))
    );
    assert!(stage.desk.mirror.open_approval(session).is_none());
}
