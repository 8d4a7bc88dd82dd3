import type { AgentDescriptor, AgentFailure, FolderError, SearchedLocation, ProgramError } from '../../generated/wire';
import { nameOfAgent } from '../agentNames';
import { type MessageKey, t } from '../messages';
import { list } from '../messages/formats';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';

const programHints = {
  missing: 'failure.hint_missing',
  forbidden: 'failure.hint_forbidden',
  unfit: 'failure.hint_unfit',
  exhausted: 'failure.hint_exhausted',
  broken_link: 'failure.hint_broken_link',
  timed_out: 'failure.hint_timed_out',
} as const satisfies Record<ProgramError, MessageKey>;

/** Why an agent couldn't start or failed, and how to fix it. */
export function wordsOfFailure(failure: AgentFailure, agents: readonly AgentDescriptor[]): string {
  switch (failure.failure) {
    case 'agent_missing':
      return lines(wordsOfMissing(failure, agents), wordsOfSearch(failure));
    case 'folder_unusable':
      return t('failure.folder', { path: failure.path, problem: wordsOfFolder(failure.problem) });
    case 'not_started': {
      const { program, error, problem } = failure;
      return t('failure.not_started', { program, error: visibly(error), hint: t(programHints[problem]) });
    }
    case 'exited':
      return lines(t('failure.exited', { how: wordsOfExit(failure) }), ...saidLast(failure.said), t(`next.${failure.next}`));
    case 'interrupt_ignored':
      return lines(t('failure.interrupt_ignored', { seconds: failure.seconds }), t(`next.${failure.next}`));
    case 'output_lost':
      return lines(t('failure.output_lost'), t(`next.${failure.next}`));
    case 'session_unknown':
      return t('failure.session_unknown');
    case 'start_refused':
      return lines(t(`failure.refused_${failure.why}`), ...saidLast(failure.said));
    case 'worktree_not_made':
      return lines(t('failure.worktree_not_made'), ...saidLast(failure.error));
    case 'setup_failed': {
      const { code, said } = failure;
      const failed = code === null ? t('failure.setup_failed') : t('failure.setup_failed_code', { code: String(code) });
      return lines(failed, ...saidLast(said), t('failure.setup_next'));
    }
    case 'desk_failed':
      return t('failure.desk_failed');
  }
}

export type AgentMissing = Extract<AgentFailure, { failure: 'agent_missing' }>;

/** That an agent's program wasn't found, and how to install it if that is known. */
function wordsOfMissing(failure: AgentMissing, agents: readonly AgentDescriptor[]): string {
  const { agent, program } = failure;
  const command = installCommand(failure, agents);
  const hint = command === null ? '' : t('failure.install', { agent: nameOfAgent(agents, agent), command });
  return t('failure.agent_missing', { program, hint }).trimEnd();
}

/** The command that installs an agent; null if none is known. */
function installCommand({ agent, install }: AgentMissing, agents: readonly AgentDescriptor[]): string | null {
  return install ?? agents.find((one) => one.id === agent)?.install ?? null;
}

/** Where an agent's program was searched for. */
export function wordsOfSearch({ tried }: AgentMissing): string {
  return t('failure.searched', { tried: list(tried.map(wordsOfPlace)) });
}

const lines = (...all: string[]) => all.join('\n');

function saidLast(said: string): string[] {
  return said === '' ? [] : [t('failure.said_last'), visibly(said)];
}

function wordsOfExit({ code, signal }: Extract<AgentFailure, { failure: 'exited' }>): string {
  if (code !== null) return t('failure.exit_code', { code: String(code) });
  return signal === null ? t('failure.exit_unknown') : t('failure.exit_signal', { signal: String(signal) });
}

export function wordsOfPlace(looked: SearchedLocation): string {
  if (looked.place === 'file') return looked.path;
  return looked.value === '' ? t('failure.path_empty') : t('failure.path', { value: looked.value });
}

const folderErrorWords: UnionWords<FolderError, 'problem'> = {
  missing: 'folder.missing',
  not_a_folder: 'folder.not_a_folder',
  forbidden: 'folder.forbidden',
  not_absolute: 'folder.not_absolute',
  timed_out: ({ seconds }) => t('folder.timed_out', { seconds }),
  other: 'folder.other',
};

/** What is wrong with a folder, as the end of a sentence. */
export function wordsOfFolder(problem: FolderError): string {
  return wordsOfMember(folderErrorWords, 'problem', problem);
}
