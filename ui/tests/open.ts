import { render, screen, within } from '@testing-library/svelte';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, vi } from 'vitest';

import { createPage } from '../src/store/page';
import { FakeBridge, settle } from '../src/testing/fakeBridge';
import App from '../src/view/App.svelte';

export { settle };

/** Opens the window with a fake bridge. */
export async function openPage(bridge: FakeBridge) {
  const page = createPage(bridge);
  const user = settling(userEvent.setup({ delay: null }));
  const view = render(App, { page });
  await settle();
  const { store, commands } = page;
  return { bridge, store, commands, user, ...view };
}

/** A user who waits after each action until the window shows its effect. */
function settling(user: UserEvent): UserEvent {
  return new Proxy(user, {
    get:
      (target, name) =>
      async (...input: unknown[]) => {
        const act = Reflect.get(target, name) as (...input: unknown[]) => Promise<unknown>;
        await act(...input);
        await settle();
      },
  });
}

/** Lets the tests around this call skip time with `vi.advanceTimersByTimeAsync`; otherwise it passes as usual. */
export function skippableTime() {
  beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 1 }));
  afterEach(() => void vi.useRealTimers());
}

/** The CPU time of this process in milliseconds, which a busy machine doesn't lengthen. */
export const cpuMillis = () => process.cpuUsage().user / 1000;

/** A promise that the test settles. */
export function held<T = void>() {
  let give: (value: T) => void = () => undefined;
  let refuse: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => ([give, refuse] = [resolve, reject]));
  return { promise, give: (value: T) => give(value), refuse: (error: unknown) => refuse(error) };
}

export const button = (name: string | RegExp) => screen.getByRole('button', { name });
export const radio = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name });
export const checkbox = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });
export const panel = () => screen.getByRole('complementary', { name: 'Side' });
export const ownAnswer = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your own answer' });
export const composer = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message to the agent' });

export const texts = (elements: HTMLElement[]) => elements.map(({ textContent }) => textContent.trim());

/** Opens the form of a question that skips it with a message. */
export async function skipWithMessage(user: UserEvent) {
  await user.click(button('More ways to skip'));
  await user.click(screen.getByRole('menuitem', { name: 'Skip with message…' }));
}

/** Opens the window and its settings, at a category. */
export async function openSettings(bridge = new FakeBridge(), category = 'Appearance') {
  const opened = await openPage(bridge);
  await opened.user.click(button('Settings'));
  await showCategory(opened.user, category);
  return opened;
}

/** Shows another category of the settings. */
export async function showCategory(user: UserEvent, name: string): Promise<void> {
  await user.click(within(screen.getByRole('navigation', { name: 'Categories' })).getByRole('button', { name }));
}

/** Fails with the violated accessibility rules and their elements, of the whole page or of the part that a test is about. */
export async function expectNoViolations(part: Element = document.body): Promise<void> {
  const { violations } = await axe.run(part, {
    resultTypes: ['violations'],
    selectors: false,
    preload: false,
    // Contrast needs layout, which jsdom lacks.
    rules: { 'color-contrast': { enabled: false } },
  });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  expect(found).toEqual([]);
}
