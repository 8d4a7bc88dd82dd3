//! What agents may do without asking.

use askdesk_domain::{AgentId, ApprovalId, CommandId, OptionLabel, OptionScope, SessionId, Timestamp};

use crate::{ClientChange, FileTrouble};

wire! {
    /// Lists what was always allowed and is in force, in the agents' own files and in running sessions.
    struct ReadPermissions {}

    struct PermissionsRead {
        standing: Vec<StandingPermission>,
        unreadable: Vec<UnreadablePermissions>,
    }

    /// Something that an agent does without asking.
    struct StandingPermission {
        agent: AgentId,
        label: OptionLabel,
        scope: OptionScope,
        /// The folder that it reaches; none if it reaches all.
        folder: Option<String>,
        /// A session in which its file can be opened, or to which it is limited.
        session: SessionId,
        /// Where it is written; none if the agent keeps it in memory until the session ends.
        written: Option<WrittenPermission>,
        /// The newest decision by which it was allowed; none if it wasn't allowed here.
        allowed: Option<AllowedPermission>,
    }

    /// The place of a permission in an agent's file.
    struct WrittenPermission {
        file: String,
        text: String,
    }

    /// The decision that allowed something for good.
    struct AllowedPermission {
        approval: ApprovalId,
        session: SessionId,
        name: String,
        at: Timestamp,
    }

    /// A file whose permissions are not known.
    struct UnreadablePermissions {
        agent: AgentId,
        session: SessionId,
        file: String,
        trouble: FileTrouble,
    }

    /// The change that removes a permission from its file.
    struct PermissionRemoval {
        /// None if it is gone already.
        change: Option<ClientChange>,
    }
}

commands! {
    /// Plans the removal of a listed permission. Nothing is written. The `requestId` names the plan.
    struct PlanPermissionRemoval {
        written: WrittenPermission,
    }

    /// Carries out the removal that was shown last, and no other.
    struct RemovePermission {
        /// The `requestId` of the command that made the plan.
        plan: CommandId,
    }
}
