import type { AgentDescriptor, AgentFailure, AgentFound, ConfigOption, ConfigValue, Origin, Session } from '../generated/wire';
import { en } from '../shared/messages/en';
import { defaultOptions } from '../store/commands/start';

export function aValue(id: string, changes: Partial<ConfigValue> = {}): ConfigValue {
  return { id, name: id, description: null, risk: 'usual', planning: false, ...changes };
}

export function anOption(changes: Partial<ConfigOption> = {}): ConfigOption {
  return { id: 'mode', name: 'Mode', category: 'mode', values: [], freeText: false, live: true, current: null, ...changes };
}

type Mode =
  'plan' | 'default' | 'accept_edits' | 'auto' | 'bypass' | 'untrusted' | 'on-request' | 'never' | 'read-only' | 'workspace-write';

/** A permission mode with its English texts, which match those of the catalog. */
function aMode(id: Mode, changes: Partial<ConfigValue> = {}): ConfigValue {
  return aValue(id, { name: en[`mode.${id}`], description: en[`mode_hint.${id}`], ...changes });
}

const modes = anOption({
  name: 'Permission mode',
  fallback: 'default',
  values: [
    aMode('plan', { planning: true }),
    aMode('default'),
    aMode('accept_edits'),
    aMode('auto', { risk: 'delegated' }),
    aMode('bypass', { risk: 'unattended' }),
  ],
});

export const claudeCode: AgentDescriptor = {
  id: 'claude_code',
  name: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  login: null,
  versions: { tested: '2.1.332', before: null, package: '@anthropic-ai/claude-code' },
  capabilities: {
    takes: { takes: 'images_and_files', count: 8, imageBytes: 8 * 1024 * 1024, textBytes: 256 * 1024 },
    compact: true,
    shell: false,
    stopHelper: true,
    costIsEstimate: true,
    folder: true,
    launchOverrides: true,
    continueInTerminal: true,
    ownSessions: true,
    fork: true,
    keepsSignIn: false,
  },
  config: [
    modes,
    anOption({
      id: 'model',
      name: 'Model',
      category: 'model',
      values: ['sonnet', 'opus', 'haiku'].map((id) => aValue(id)),
      freeText: true,
    }),
    anOption({
      id: 'effort',
      name: 'Effort',
      category: 'effort',
      values: (['low', 'medium', 'high', 'xhigh', 'max'] as const).map((id) => aValue(id, { name: en[`effort.${id}`] })),
      live: false,
    }),
  ],
};

/** An agent with several options of one category. */
export const codex: AgentDescriptor = {
  ...claudeCode,
  id: 'codex',
  capabilities: { ...claudeCode.capabilities, shell: true, keepsSignIn: true },
  name: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  login: 'codex login',
  versions: { tested: '0.171.0', before: null, package: '@openai/codex' },
  config: [
    anOption({
      id: 'mode',
      name: 'Collaboration mode',
      values: [aValue('plan', { name: 'Plan', planning: true }), aValue('default', { name: 'Default' })],
    }),
    anOption({
      id: 'approval_policy',
      name: 'Permission requests',
      values: [aMode('untrusted'), aMode('on-request'), aMode('never', { risk: 'unattended' })],
    }),
    anOption({ id: 'sandbox', name: 'Sandbox', values: [aMode('read-only'), aMode('workspace-write')] }),
    ...claudeCode.config.slice(1),
  ],
};

/** An agent whose permissions are an option of its own. */
export const openCode: AgentDescriptor = {
  ...claudeCode,
  id: 'opencode',
  capabilities: { ...claudeCode.capabilities, shell: true },
  name: 'OpenCode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  login: 'opencode auth login',
  versions: { tested: '1.18.33', before: '2.0.0', package: 'opencode-ai' },
  config: [
    anOption({
      id: 'agent',
      name: 'Agent',
      values: [aValue('plan', { name: 'Plan', planning: true }), aValue('build', { name: 'Build' })],
    }),
    anOption({
      id: 'permissions',
      name: 'Permissions',
      values: [aValue('ask', { name: 'Ask before changes' }), aValue('configured', { name: 'As set in OpenCode' })],
      live: false,
    }),
  ],
};

/** The bundled demo agent, with its examples. */
export const demo: AgentDescriptor = {
  ...claudeCode,
  id: 'demo',
  name: 'Demo',
  program: null,
  install: null,
  versions: null,
  capabilities: {
    ...claudeCode.capabilities,
    takes: { takes: 'words' },
    compact: false,
    stopHelper: false,
    folder: false,
    launchOverrides: false,
    continueInTerminal: false,
    ownSessions: false,
  },
  config: [modes, examples()],
};

/** The demo's config option for the example to play. */
export function examples(...values: ConfigValue[]): ConfigOption {
  return anOption({ id: 'example', name: 'Example', category: 'other', values, freeText: true, live: false });
}

/** The agents that the app knows, with the demo's examples. */
export function agentsWith(...values: ConfigValue[]): AgentDescriptor[] {
  return [claudeCode, { ...demo, config: [modes, examples(...values)] }];
}

export function aFound(changes: Partial<AgentFound> = {}): AgentFound {
  return { agent: claudeCode.id, program: null, problem: null, extras: defaultOptions.extras, ...changes };
}

/** The failure when Claude Code isn't found in any of these places. */
export function missing(...tried: Extract<AgentFailure, { failure: 'agent_missing' }>['tried']): AgentFailure {
  const { id: agent, install } = claudeCode;
  return { failure: 'agent_missing', agent, program: 'claude', tried, install };
}

export const demoFound = aFound({ agent: demo.id, program: 'built in' });

export function of(agent: AgentDescriptor): Pick<Session, 'origin' | 'config'> {
  return { origin: { machine: 'local', kind: 'started', agent: agent.id }, config: agent.config };
}

/** An agent's config options, with some current values replaced. */
export function withCurrent(agent: AgentDescriptor, current: Record<string, string>): ConfigOption[] {
  return agent.config.map((option) => ({ ...option, current: current[option.id] ?? option.current }));
}

/** The session fields of a client that only asks. */
export function inbound(channel: Extract<Origin, { kind: 'inbound' }>['channel'], client: string): Pick<Session, 'origin' | 'config'> {
  return { origin: { machine: 'local', kind: 'inbound', channel, client }, config: [] };
}
