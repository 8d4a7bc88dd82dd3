import { render } from '@testing-library/svelte';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { expect } from 'vitest';

import type { Request } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { type FakeBridge, settle } from '../src/testing/fakeBridge';
import App from '../src/view/App.svelte';

export { settle };

/** Opens the whole window over a fake bridge. */
export async function openPage(bridge: FakeBridge) {
  const page = createPage(bridge);
  const user = settling(userEvent.setup());
  const view = render(App, { page });
  await settle();
  const { store, commands } = page;
  return { bridge, store, commands, user, ...view };
}

/** A user who waits after each action until the window shows its effect. */
function settling(user: UserEvent): UserEvent {
  return new Proxy(user, {
    get: (target, name) => async (...input: unknown[]) => {
      const act = Reflect.get(target, name) as (...input: unknown[]) => Promise<unknown>;
      await act(...input);
      await settle();
    },
  });
}

/** A request as the app gives it back once it was answered with these ids. */
export function answered(
  request: Request,
  answers: { question: string; chosen?: string[]; other?: string }[],
  delivery: 'pending' | 'delivered' | { failed: string } = 'pending',
): Request {
  const how =
    typeof delivery === 'object'
      ? ({ delivery: 'failed', error: { undelivered: 'text', text: delivery.failed } } as const)
      : delivery === 'pending'
        ? ({ delivery: 'pending' } as const)
        : ({ delivery: 'delivered', at: 2 } as const);
  return {
    ...request,
    state: {
      state: 'ended',
      at: 1,
      delivery: how,
      outcome: {
        outcome: 'answered',
        answers: answers.map(({ question, chosen = [], other = null }) => ({
          question,
          chosen,
          other,
          note: null,
          secretGiven: false,
        })),
      },
    },
  };
}

/** Fails with the rules that are broken and where. */
export async function expectNoViolations(): Promise<void> {
  const { violations } = await axe.run(document.body, {
    // Contrast needs layout, which only a real window has.
    rules: { 'color-contrast': { enabled: false } },
  });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  expect(found).toEqual([]);
}
