use askdesk_domain::{AgentFailure, AgentId, LaunchOverrides};

wire! {
    /// Looks for agents on this machine.
    struct ListAgents {}

    /// Every agent that the app knows, found or not.
    struct AgentsFound {
        agents: Vec<AgentFound>,
    }

    /// An agent that the app knows.
    struct AgentFound {
        agent: AgentId,
        /// The path of its program, if it was found.
        program: Option<String>,
        /// Why it can't be started, and what to do about it.
        problem: Option<AgentFailure>,
        /// Its version, if it reported one.
        version: Option<String>,
        /// What the settings add to its start. A start must name the same.
        extras: LaunchOverrides,
    }
}
