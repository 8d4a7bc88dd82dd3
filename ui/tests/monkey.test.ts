import { cleanup, render } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import type { Approval, Question, Request } from '../src/generated/wire';
import { arming } from '../src/shared/arming';
import { createPage } from '../src/store/page';
import { anApproval, aQuestion, aRequest, aSession, NOW } from '../src/testing/builders';
import { ModelApp } from '../src/testing/modelApp';
import App from '../src/view/App.svelte';
import { openDialog, Watch } from './monkeyWatch';
import { numbers } from './numbers';

/*
 * Random keys, clicks, and text, while agents ask, withdraw, and end. A failing run prints its seed and its last steps; to
 * repeat it, run `MONKEY_SEED=… npx vitest run tests/monkey`. `MONKEY_SEEDS=100` walks further.
 */
const { MONKEY_SEED, MONKEY_SEEDS } = process.env;
const seeds = MONKEY_SEED ? [Number(MONKEY_SEED)] : Array.from({ length: Number(MONKEY_SEEDS ?? 3) }, (_, n) => n + 1);
const STEPS = 250;
const STEPS_TOLD = 40;
const DELAY = 500;
const SESSIONS = ['s1', 's2', 's3'] as const;

const WALK = '{Control>}j{/Control}';

const KEYS = [
  ...['1', '2', '3', '4', '9', '1', '2'],
  ...['{ArrowDown}', '{ArrowUp}', '{Enter}', '{Enter}', '{Enter}', ' '],
  ...['{Control>}{Enter}{/Control}', '{Control>}{Enter}{/Control}', '{Shift>}{Enter}{/Shift}'],
  ...['{Alt>}{ArrowRight}{/Alt}', '{Alt>}{ArrowLeft}{/Alt}'],
  ...['n', 'u', '/', '?', 'x', 'a', '{Escape}', '{Tab}'],
  ...[WALK, '{Control>}k{/Control}', '{Control>}2{/Control}'],
];

/** Everything that can be clicked. Found by tag name, which is fast enough for every step. */
function controls(): HTMLElement[] {
  const [panel] = document.getElementsByTagName('aside');
  const inPanel = ['button', 'input', 'summary', 'section'].flatMap((tag) => within(panel, tag));
  const [inbox] = document.getElementsByClassName('inbox');
  const rows = [...document.getElementsByClassName('row')].filter((row) => 'session' in (row as HTMLElement).dataset);
  const [composer] = document.getElementsByClassName('composer');
  const [transcript] = document.getElementsByClassName('session');
  const all = [
    ...inPanel,
    ...within(inbox, 'button'),
    ...within(inbox, 'input'),
    ...rows,
    ...document.querySelectorAll('[data-inbox]'),
    ...within(composer, 'button').filter((one) => !one.hasAttribute('aria-label')),
    ...(transcript?.getElementsByClassName('open') ?? []),
    ...[...document.getElementsByClassName('resume')].flatMap((one) => within(one, 'button')),
  ];
  return (all as HTMLElement[]).filter((one) => !(one as HTMLButtonElement).disabled);
}

function fields(): HTMLTextAreaElement[] {
  return [...document.getElementsByTagName('textarea')].filter((field) => !field.disabled);
}

function within(around: Element | undefined, tag: string): HTMLElement[] {
  return [...(around?.getElementsByTagName(tag) ?? [])] as HTMLElement[];
}

/** Runs all pending tasks. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What a step is called, and what it does. */
type Step = [told: string, act: () => Promise<void>];

class Monkey {
  readonly steps: string[] = [];
  readonly #below: (bound: number) => number;
  readonly #model = new ModelApp(SESSIONS.map((id, place) => aSession({ id, name: `work ${id}`, place })));
  readonly #watch = new Watch(this.#model);
  readonly #user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  #page = createPage(this.#model);
  #view: { unmount: () => void } | null = null;
  #count = 0;
  #typed = 0;

  constructor(seed: number) {
    this.#below = numbers(seed);
    const mostlyOn = () => (this.#below(4) === 0 ? 'off' : 'on');
    this.#model.set({ quickAnswer: mostlyOn(), autoAdvance: mostlyOn() });
    this.#model.luck = () => ({
      millis: this.#below(2) === 0 ? 0 : this.#below(250),
      fails: this.#below(12) > 0 ? 'no' : this.#below(2) === 0 ? 'refused' : 'reply_lost',
    });
  }

  async open(): Promise<void> {
    this.#page = createPage(this.#model);
    this.#watch.store = this.#page.store;
    this.#view = render(App, { page: this.#page });
    await this.#settle();
  }

  async step(): Promise<void> {
    const [told, act] = this.#pick();
    this.steps.push(told);
    await act();
    await this.#settle();
    this.#watch.check();
  }

  async end(): Promise<void> {
    this.steps.push('the end');
    await this.#pass(5000);
    this.#watch.check();
    for (const session of SESSIONS) {
      this.#page.store.dispatch({ type: 'session_selected', session });
      await this.#pass(100);
      this.#watch.checkLeftWords(session);
    }
  }

  close(): void {
    this.#view?.unmount();
    this.#watch.close();
  }

  #one<T>(of: readonly T[]): T | undefined {
    return of[this.#below(of.length)];
  }

  #pick(): Step {
    const at = this.#below(100);
    // Move to a question now and then, so that the keys have an effect.
    const near = document.activeElement?.closest('[data-card], [data-missed], dialog') != null;
    if (at < 30) return this.#key(!near && this.#below(3) === 0 ? WALK : (this.#one(KEYS) ?? 'x'));
    if (at < 50) return this.#click();
    if (at < 66) return this.#type();
    if (at < 77) return this.#wait(this.#one([0, 50, 200, 400, 800, 3100]) ?? 0);
    if (at < 85) return this.#arrive();
    if (at < 88) return this.#leave();
    if (at < 92) return this.#quiet('an end is handed over', () => this.#model.deliverNext(this.#below(5) > 0));
    if (at < 94) return this.#permission();
    if (at < 96) return this.#session();
    if (at < 97) return this.#reload();
    if (at < 98) return this.#quiet('frames are missed', () => this.#model.gap());
    if (at < 99) return this.#notification();
    return this.#quiet('the agent writes', () => this.#model.write(this.#one(SESSIONS) ?? 's1', { kind: 'agent', text: 'On it.' }));
  }

  #key(key: string): Step {
    return this.#during(`key ${key}`, async () => {
      this.#intoDialog();
      const { activeElement } = document;
      // Append text, so that earlier tokens stay intact.
      if (activeElement instanceof HTMLTextAreaElement) toEnd(activeElement);
      this.#watch.expectKey(key, activeElement ?? document.body);
      await this.#user.keyboard(key);
      if (document.activeElement instanceof HTMLTextAreaElement) toEnd(document.activeElement);
      if (key === '{Escape}') openDialog()?.close();
    });
  }

  #click(): Step {
    // An open dialog blocks clicks elsewhere.
    if (openDialog()) return this.#key('{Escape}');
    const control =
      this.#one(this.#below(2) === 0 ? within(document.getElementsByClassName('form')[0], 'input') : []) ?? this.#one(controls());
    if (!control) return this.#wait(10);
    return this.#during(`click ${told(control)}`, async () => {
      this.#watch.expectClick(control);
      const { name } = control as HTMLInputElement;
      const group = [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')].filter((input) => name && input.name === name);
      const before = group.find(({ checked }) => checked);
      await this.#press(control);
      // A refused click leaves a radio group as it was; jsdom leaves it without a choice.
      if (before && !group.some(({ checked }) => checked)) before.checked = true;
    });
  }

  #type(): Step {
    if (openDialog()) return this.#key('{Escape}');
    const at = document.activeElement;
    const here = at instanceof HTMLTextAreaElement && this.#below(2) === 0;
    const all = fields();
    const own = all.filter((field) => field.dataset['composer'] === undefined);
    const field = here ? at : this.#one(own.length > 0 && this.#below(4) > 0 ? own : all);
    if (!field) return this.#wait(10);
    this.#typed += 1;
    const token = `q${letters(this.#typed)}`;
    return this.#during(`type ${token} into ${told(field)}`, async () => {
      if (!here) await this.#press(field);
      await turn();
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLTextAreaElement)) return;
      toEnd(activeElement);
      this.#watch.typed(token, activeElement);
      await this.#user.keyboard(token.slice(0, 1));
      await this.#user.paste(token.slice(1));
    });
  }

  #wait(millis: number): Step {
    return [`wait ${millis} ms`, () => this.#watch.quietly(() => this.#pass(millis))];
  }

  /** An action of the user. */
  #during(what: string, act: () => Promise<void>): Step {
    return [what, () => this.#watch.during(act)];
  }

  #quiet(what: string, act: () => void): Step {
    const happens = async () => {
      act();
      await this.#settle();
    };
    return [what, () => this.#watch.quietly(happens)];
  }

  #arrive(): Step {
    const session = this.#one(SESSIONS.filter((id) => this.#model.isRunning(id)));
    if (session === undefined || this.#model.open(session).length > 3) return this.#leave();
    this.#count += 1;
    const id = `r${String(this.#count).padStart(4, '0')}`;
    const count = this.#one([1, 1, 1, 2, 3]) ?? 1;
    const questions = Array.from({ length: count }, (_, index) => this.#question(index + 1));
    const request = aRequest({ id, session, nativeRef: `n-${id}`, askedAt: Date.now(), questions });
    return this.#quiet(`${id} of ${kindsOf(request)} comes in ${session}`, () => this.#model.ask(request));
  }

  #question(place: number): Question {
    const kind = this.#one(['single', 'single', 'single', 'multi', 'text', 'confirm'] as const) ?? 'single';
    const options = kind === 'text' ? [] : kind === 'confirm' ? ['Yes', 'No'] : ['One', 'Two', 'Three'];
    const allowsOther = kind !== 'confirm' && kind !== 'text' && this.#below(4) > 0;
    return aQuestion(place, { kind, options, allowsOther });
  }

  #leave(): Step {
    const request = this.#one(SESSIONS.flatMap((session) => this.#model.open(session)));
    if (!request) return this.#wait(10);
    return this.#below(3) === 0
      ? this.#quiet(`${request.id} expires`, () => this.#model.expire(request.id))
      : this.#quiet(`${request.id} is withdrawn`, () => this.#model.withdraw(request.id, { why: 'by_agent' }));
  }

  #permission(): Step {
    const { approvals } = this.#model.snapshot;
    const open = approvals.filter(({ state }) => state.state === 'open');
    const gone = this.#one(open);
    if (gone && (open.length > 2 || this.#below(3) === 0)) {
      return this.#quiet(`${gone.id} is withdrawn`, () => this.#model.withdrawApproval(gone.id));
    }
    const session = this.#one(SESSIONS.filter((id) => this.#model.isRunning(id)));
    if (session === undefined) return this.#wait(10);
    this.#count += 1;
    const id = `a${String(this.#count).padStart(4, '0')}`;
    const changes: Partial<Approval> = { id, session, nativeRef: `n-${id}`, askedAt: Date.now() };
    return this.#quiet(`${id} comes in ${session}`, () => this.#model.askPermission(anApproval(changes)));
  }

  #session(): Step {
    const session = this.#one(SESSIONS) ?? 's1';
    if (!this.#model.isRunning(session)) {
      return this.#quiet(`${session} goes on`, () => this.#model.resume(session));
    }
    if (this.#below(3) > 0) return this.#arrive();
    return this.#quiet(`${session} ends`, () => this.#model.endSession(session, 'agent_ended'));
  }

  #reload(): Step {
    return [
      'the window is loaded anew',
      async () => {
        const { luck } = this.#model;
        this.#model.luck = () => ({ millis: 0, fails: 'no' });
        window.dispatchEvent(new Event('pagehide'));
        this.#view?.unmount();
        await this.#settle();
        this.#model.archiveEnded();
        await this.open();
        this.#model.luck = luck;
      },
    ];
  }

  #notification(): Step {
    const request = this.#one(this.#model.snapshot.requests);
    if (!request || openDialog()) return this.#wait(10);
    return this.#during(`click on the notification of ${request.id}`, async () => {
      this.#model.openDeepLink(request.id);
      await turn();
    });
  }

  /** Focuses an opened dialog, as a browser does. */
  #intoDialog(): void {
    const dialog = openDialog();
    if (!dialog || dialog.contains(document.activeElement)) return;
    dialog.querySelector<HTMLElement>('input, button')?.focus();
  }

  /** Clicks without moving the mouse, which is faster. */
  async #press(target: HTMLElement): Promise<void> {
    await this.#user.pointer({ keys: '[MouseLeft]', target });
  }

  async #pass(millis: number): Promise<void> {
    for (let left = millis; left > 0; left -= 100) {
      vi.advanceTimersByTime(Math.min(left, 100));
      await turn();
    }
  }

  async #settle(): Promise<void> {
    await turn();
    vi.advanceTimersByTime(1);
    await turn();
  }
}

function toEnd(field: HTMLTextAreaElement): void {
  field.setSelectionRange(field.value.length, field.value.length);
}

function letters(n: number): string {
  return [26 * 26, 26, 1].map((weight) => String.fromCharCode(97 + (Math.floor(n / weight) % 26))).join('');
}

function kindsOf({ questions }: Request): string {
  return questions.map(({ kind }) => kind).join('+');
}

function told(element: HTMLElement): string {
  const card = element.closest<HTMLElement>('[data-card], [data-missed], [data-kept], [data-session-view]');
  const about = card && (card.dataset['card'] ?? card.dataset['missed'] ?? card.dataset['kept'] ?? card.dataset['sessionView']);
  const name =
    element.getAttribute('aria-label') ?? (element.textContent?.trim().replace(/\s+/g, ' ').slice(0, 30) || element.getAttribute('value'));
  return `${element.tagName.toLowerCase()} “${name ?? ''}”${about ? ` of ${about}` : ''}`;
}

async function run(seed: number): Promise<void> {
  // In every second run, what comes by itself takes keys and clicks only after its delay.
  arming.delay = seed % 2 === 0 ? DELAY : 0;
  vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const monkey = new Monkey(seed);
  try {
    await monkey.open();
    for (let step = 0; step < STEPS; step += 1) await monkey.step();
    await monkey.end();
  } catch (thrown) {
    const all = monkey.steps.length;
    const last = monkey.steps.slice(-STEPS_TOLD).map((step, index) => `${Math.max(0, all - STEPS_TOLD) + index + 1}. ${step}`);
    throw new Error(`Seed ${seed}, step ${all}: ${String(thrown)}\n${last.join('\n')}`, { cause: thrown });
  } finally {
    monkey.close();
  }
  expect(monkey.steps.length).toBeGreaterThan(STEPS);
}

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test.each(seeds)('case 106 random keys, clicks and arrivals break no promise: seed %i', { timeout: 300_000 }, run);
