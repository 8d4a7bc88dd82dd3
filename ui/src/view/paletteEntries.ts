import { nameOfApproval } from '../entities/approval/approvalWords';
import { spokenText } from '../entities/request/questionNames';
import { needsYou, wordsOfCounts, wordsOfFace } from '../entities/session/sessionWords';
import type { Entry } from '../feature/palette/entry';
import { type Row, rowsOf } from '../feature/settings/rows';
import { CLIENTS, sectionIcons, SECTIONS } from '../feature/settings/sections';
import type { Approval, Request, Session, Setting } from '../generated/wire';
import { actions, type Offer } from '../shared/actions.svelte';
import { shortcut } from '../shared/keys';
import { type PlainKey, t } from '../shared/messages';
import { inEnglish } from '../shared/messages/english';
import type { Commands } from '../store/page';
import { faceOf, openApprovals, openRequests, waitingOf } from '../store/select';
import { type Age, byAge } from '../store/sessionIndex';
import { listedSessions } from '../store/sidebar';
import { lastSession } from '../store/navigation';
import type { State } from '../store/state';

/** Everything that the palette finds, in the order of its groups. */
export function paletteEntries(state: State, commands: Commands, offers: readonly Offer[]): Entry[] {
  return [
    ...requestEntries(state, commands),
    ...sessionEntries(state, commands),
    ...offers.map(actionEntry),
    ...settingEntries(state, commands),
  ];
}

/** What is waiting in all sessions, oldest first. */
function requestEntries(state: State, commands: Commands): Entry[] {
  const waiting = state.sessions.flatMap((session) => [
    ...openRequests(state, session.id).map((request) => ({ ...aged(request), ...requestEntry(session, request, commands) })),
    ...openApprovals(state, session.id).map((approval) => ({ ...aged(approval), ...approvalEntry(session, approval, commands) })),
  ]);
  return waiting.sort(byAge);
}

const aged = ({ askedAt }: Age) => ({ askedAt });

function requestEntry(session: Session, request: Request, commands: Commands): Entry {
  return {
    id: request.id,
    group: 'needs_you',
    icon: 'ask',
    name: spokenText(request.questions[0]),
    about: session.name,
    state: t('question.title'),
    run: () => void commands.navigation.showRequest(request),
  };
}

/** Only shows the request: the palette decides nothing. */
function approvalEntry(session: Session, approval: Approval, commands: Commands): Entry {
  return {
    id: approval.id,
    group: 'needs_you',
    icon: 'shield',
    name: nameOfApproval(approval),
    about: session.name,
    state: t('approval.title'),
    run: () => void commands.navigation.showApproval(approval),
  };
}

function sessionEntries(state: State, commands: Commands): Entry[] {
  const last = lastSession(state);
  const entries = listedSessions(state).map((session: Session, index): Entry => {
    const face = faceOf(state, session);
    return {
      id: session.id,
      group: 'sessions',
      icon: face,
      face,
      name: session.name,
      about: session.folder,
      state: needsYou(face) ? `${wordsOfFace(session, face)}: ${wordsOfCounts(waitingOf(state, session.id))}` : wordsOfFace(session, face),
      ...(index < 9 && { keys: shortcut(String(index + 1)) }),
      preselected: session.id === last,
      run: () => void commands.navigation.showSession(session.id),
    };
  });
  return [...entries.filter(({ preselected }) => preselected), ...entries.filter(({ preselected }) => !preselected)];
}

function actionEntry(offer: Offer, index: number): Entry {
  const action: { words: PlainKey; icon: string; keys?: string; typed?: true } = actions[offer.id];
  return {
    id: `${offer.id} ${index}`,
    group: 'actions',
    icon: offer.current ? 'check' : action.icon,
    name: offer.name ?? t(action.words),
    ...(offer.current && { state: t('palette.current') }),
    typed: action.typed === true,
    aliases: [inEnglish(action.words), ...(offer.alias ? [offer.alias] : [])],
    ...(offer.about && { about: offer.about }),
    ...(action.keys && { keys: action.keys }),
    run: offer.run,
  };
}

/** The categories of the settings, then every row. */
function settingEntries(state: State, commands: Commands): Entry[] {
  if (!state.settings) return [];
  const rows = rowsOf(state.settings.settings, state.agentsKnown, state.openIn.found);
  const lead = (at: string) => () => commands.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings', at } });
  const group = 'settings' as const;
  const sections = SECTIONS.filter((section) => section === CLIENTS || rows.some((row) => row.section === section));
  return [
    ...sections.map((section) => ({
      group,
      icon: sectionIcons[section],
      id: section,
      name: t(section),
      about: t('settings.title'),
      aliases: [inEnglish(section)],
      run: lead(section),
    })),
    ...rows.map((row) => ({
      group,
      icon: sectionIcons[row.section],
      id: `setting ${row.id}`,
      name: row.name,
      about: aboutRow(row),
      aliases: [inEnglish(row.section), inEnglish(`settings.${row.id}` as PlainKey)],
      run: lead(row.id),
    })),
    ...rows.flatMap((row) => valueEntries(row, (change) => void commands.settings.changeReported(change))),
  ];
}

/** The values of a setting that has a few; choosing one sets it. */
function valueEntries(row: Row, set: (change: Setting) => void): Entry[] {
  if (row.kind !== 'choice' && row.kind !== 'switch') return [];
  const values =
    row.kind === 'choice'
      ? row.choices.map((choice) => ({ ...choice, isCurrent: choice.value === row.current, change: () => choice.change }))
      : [true, false].map((on) => ({
          value: on ? 'on' : 'off',
          words: t(on ? 'palette.on' : 'palette.off'),
          isCurrent: row.on === on,
          change: () => row.change(on),
        }));
  return values.map(({ value, words, isCurrent, change }) => ({
    group: 'settings',
    icon: isCurrent ? 'check' : sectionIcons[row.section],
    id: `value ${row.id} ${value}`,
    name: t('option.is', { option: row.name, value: words }),
    about: t(row.section),
    aliases: [inEnglish(`settings.${row.id}` as PlainKey), inEnglish(`settings.${row.id}.${value}` as PlainKey)],
    typed: true,
    ...(isCurrent && { state: t('palette.current') }),
    run: () => void (isCurrent || set(change())),
  }));
}

/** The category and, if it is one of a few, the value. */
function aboutRow(row: Row): string {
  const value = row.kind === 'choice' ? row.choices.find((choice) => choice.value === row.current)?.words : undefined;
  return value === undefined ? t(row.section) : `${t(row.section)} · ${value}`;
}
