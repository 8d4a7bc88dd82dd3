import type { AgentFound, Effort, Session, SessionOptions } from '../../generated/wire';
import { t } from '../../shared/messages';
import { visits } from '../../shared/visitors';
import { effortWords, modeWords, policyWords } from '../../shared/words';
import { usualOptions, type StartChoice } from '../../store/desk.svelte';
import type { StartDraft } from '../../store/state';

/** Folders of the sessions that were started last, each once. */
export function recentFolders(sessions: readonly Session[], most: number): string[] {
  const newest = [...sessions].filter((session) => session.agent !== 'demo' && !visits(session)).sort((a, b) => b.startedAt - a.startedAt);
  return [...new Set(newest.map((session) => session.folder))].slice(0, most);
}

/** The end of a folder's path, by which it is known. */
export function folderName(path: string): string {
  return path.replace(/[\\/]+$/, '').split(/[\\/]/).at(-1) || path;
}

function orNone(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** What a draft asks for with one agent; what that agent does not have is left to it. */
export function choiceOf(draft: StartDraft, found: AgentFound | null, folder: string, example: string | null): StartChoice {
  const { agent } = draft;
  if (agent === 'demo') {
    const options = { ...usualOptions, example };
    return { agent, folder: null, prompt: t('start.demo_prompt'), name: null, options };
  }
  const has = <T>(all: readonly T[] | undefined, one: T | null) => (one !== null && all?.includes(one) ? one : null);
  const options: SessionOptions = {
    mode: has(found?.modes, draft.mode),
    model: orNone(draft.model),
    effort: has<Effort>(found?.efforts, draft.effort),
    questions: draft.questions,
    program: orNone(draft.program),
    bareToolUse: draft.bareToolUse,
    example: null,
    // What stands in the form, and nothing else, may be used.
    extras: found?.extras ?? usualOptions.extras,
  };
  const prompt = draft.prompt.trim() === '' ? null : draft.prompt;
  return { agent, folder: folder.trim(), prompt, name: orNone(draft.name), options };
}

/** What differs from the usual, in words. */
export function wordsOfOptions({ mode, model, effort, questions, program, bareToolUse }: SessionOptions): string[] {
  return [
    ...(mode ? [t(modeWords[mode])] : []),
    ...(model ? [t('start.differs_model', { model })] : []),
    ...(effort ? [t('start.differs_effort', { effort: t(effortWords[effort]) })] : []),
    ...(questions === 'always' ? [] : [t(policyWords[questions])]),
    ...(program ? [t('start.differs_program')] : []),
    ...(bareToolUse ? [t('start.bare')] : []),
  ];
}
