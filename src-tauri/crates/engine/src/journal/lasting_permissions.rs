//! What the user has always allowed. Uses a read-only connection.

use askdesk_domain::{Approval, ApprovalOptionKind, ApprovalState, StorageError, Timestamp};

use super::read::{Reader, readable};
use super::record;

/// The most approvals that are returned.
const LISTED: usize = 1_000;

impl Reader {
    /// Reads the approvals that were decided with a lasting permission, newest decision first.
    pub fn lasting_permissions(&self) -> Result<Vec<Approval>, StorageError> {
        self.query(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT body, state FROM approvals
                 WHERE CASE WHEN json_valid(state) THEN state ->> '$.state' = 'decided' END AND instr(body, '\"allow_always\"')",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Approval { state: record::decode(row, 1)?, ..record::decode::<Approval>(row, 0)? })
            })?;
            let mut found = Vec::new();
            for approval in rows {
                let Some(approval) = readable(approval)? else { continue };
                if let Some(at) = decided_always(&approval) {
                    found.push((at, approval));
                }
            }
            found.sort_by_key(|(at, approval)| std::cmp::Reverse((*at, approval.id)));
            found.truncate(LISTED);
            Ok(found.into_iter().map(|(_, approval)| approval).collect())
        })
    }
}

/// Returns when a lasting permission was chosen.
fn decided_always(approval: &Approval) -> Option<Timestamp> {
    let ApprovalState::Decided { decision, at, .. } = &approval.state else { return None };
    let chosen = decision.options.iter().filter_map(|id| approval.option(id));
    chosen.into_iter().any(|option| option.kind == ApprovalOptionKind::AllowAlways).then_some(*at)
}
