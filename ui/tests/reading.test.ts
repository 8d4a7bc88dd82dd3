import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import cases from '../../src-tauri/crates/domain/src/acting_line.json';
import { actingLine } from '../src/entities/approval/actingLine';
import { nothingRead, readMore, unreadOf } from '../src/entities/approval/readSoFar';
import { sight } from '../src/feature/panel/reading.svelte';
import { anApproval } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, settle } from './open';

/** Shows a part of a text of 1,000 pixels, which is 50 lines. */
function show(from: number, to: number) {
  sight.of = () => ({ width: 300, height: 1000, now: { from, to }, line: 20 });
  document.dispatchEvent(new Event('scroll'));
}

describe('case 105: a permission that is longer than the screen', () => {
  test('is allowed only once all of it was on screen, and says so', async () => {
    show(0, 400);
    const bridge = new FakeBridge({ approvals: [anApproval()] });
    const { user } = await openPage(bridge);
    const allow = () => button('Allow once');
    expect(allow()).toHaveAttribute('aria-disabled', 'true');
    expect(allow()).toHaveAccessibleDescription('30 lines not read yet. Read all of it to allow.');
    expect(screen.getByRole('group', { name: 'Request' })).toHaveAccessibleDescription(/30 lines not read yet/);
    await expectNoViolations();
    await user.click(allow());
    allow().focus();
    await user.keyboard('{Enter} ');
    expect(bridge.sent('decide_approval')).toEqual([]);
    // The end alone is not enough.
    show(600, 1000);
    await settle();
    expect(allow()).toHaveAccessibleDescription('10 lines not read yet. Read all of it to allow.');
    show(390, 610);
    await settle();
    expect(allow()).not.toHaveAttribute('aria-disabled');
    show(0, 400);
    await settle();
    await user.click(allow());
    expect(bridge.sent('decide_approval')).toHaveLength(1);
  });

  test('is denied at once', async () => {
    show(0, 400);
    const bridge = new FakeBridge({ approvals: [anApproval()] });
    const { user } = await openPage(bridge);
    await user.click(button('Deny'));
    expect(bridge.sent('decide_approval')).toHaveLength(1);
  });

  test('that was cut can only be denied', async () => {
    const subject = { detail: 'command', command: 'ls\n… [cut at 256 KiB]', description: null } as const;
    const bridge = new FakeBridge({ approvals: [anApproval({ subject })] });
    const { user } = await openPage(bridge);
    expect(button('Allow once')).toHaveAccessibleDescription(/can only be denied/);
    await user.click(button('Allow once'));
    expect(bridge.sent('decide_approval')).toEqual([]);
  });
});

describe('case 105: a text of many pages', () => {
  const LINES = 2100;
  const allow = () => button('Allow once');
  const request = () => screen.getByRole('group', { name: 'Request' });
  const folded = () => screen.queryByRole('button', { name: /^Show \d+ more lines/ });

  /** The panel shows 20 lines. */
  async function open() {
    sight.of = (text) => {
      const from = text.closest('.scroll-area')?.scrollTop ?? 0;
      const height = (folded() ? 2000 : LINES) * 20;
      return { width: 300, height, now: { from, to: Math.min(height, from + 400) }, line: 20 };
    };
    const content = Array.from({ length: LINES }, (_, at) => `line ${at}`).join('\n');
    const opened = await openPage(new FakeBridge({ approvals: [anApproval({ subject: { detail: 'write', path: '/a', content } })] }));
    request().focus();
    return opened;
  }

  const around = () => request().closest('.scroll-area') ?? document.body;

  async function scroll(line: number) {
    around().scrollTop = line * 20;
    around().dispatchEvent(new Event('scroll'));
    await settle();
  }

  test('is read at its end if the user scrolls there, but not what is folded', async () => {
    const { user } = await open();
    await user.keyboard('{End}');
    await scroll(1980);
    expect(allow()).toHaveAccessibleDescription('100 lines not read yet. Read all of it to allow.');
    await user.click(button('Show 100 more lines'));
    // The focus can scroll as well.
    await user.tab();
    await scroll(2080);
    expect(allow()).toHaveAccessibleDescription('80 lines not read yet. Read all of it to allow.');
    await user.pointer({ keys: '[MouseLeft>]', target: around() });
    await scroll(2000);
    expect(allow()).not.toHaveAttribute('aria-disabled');
  });

  test('is shown by one button, what is folded too', async () => {
    const { user } = await open();
    await scroll(1000);
    await user.click(button('Show all'));
    expect(folded()).toBeNull();
    expect(around().scrollTop).toBe(2080 * 20);
    expect(request()).toHaveFocus();
    expect(allow()).not.toHaveAttribute('aria-disabled');
  });

  test('turns by what can be seen of it', async () => {
    const { user } = await open();
    await user.keyboard('{PageDown}{PageDown}');
    expect(around().scrollTop).toBe(38 * 20);
    expect(allow()).toHaveAccessibleDescription('2,042 lines not read yet. Read all of it to allow.');
    await user.keyboard('{PageUp}');
    expect(around().scrollTop).toBe(19 * 20);
  });
});

test('case 105: another width begins again, and a text that was never shown is unread', () => {
  const read = readMore(nothingRead, 300, 100, { from: 0, to: 100 });
  expect(unreadOf(read)).toEqual([]);
  expect(unreadOf(readMore(read, 200, 150, { from: 0, to: 50 }))).toEqual([{ from: 50, to: 150 }]);
  expect(unreadOf(readMore(read, 200, 150, { from: 100, to: 150 }, true))).toEqual([{ from: 0, to: 100 }]);
  expect(unreadOf(nothingRead)).toHaveLength(1);
});

test.each(cases as [string, string][])('case 105: the line of %j that acts', (command, expected) => {
  const { line, more } = actingLine(command);
  expect(more > 0 ? `${line} [+${more} line${more > 1 ? 's' : ''}]` : line).toBe(expected);
});
