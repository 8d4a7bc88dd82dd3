import { screen } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { EntryBody } from '../src/generated/wire';
import { quoteInto } from '../src/shared/quote';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, expectNoViolations, openPage, settle } from './open';

const file = { detail: 'edit', path: 'src/deep/main.rs', diff: '+x' } as const;
const tool = { kind: 'tool', name: 'Edit', toolKind: 'edit', summary: file.path, detail: file, status: 'done', output: null } as const;
const bodies = [
  { kind: 'user', text: 'Please do', attachments: [] },
  { kind: 'agent', text: 'First line\n\nsee [the guide](https://example.org/guide)' },
  tool,
] as unknown as EntryBody[];

async function open() {
  const session = aSession({ state: { state: 'idle' } });
  return openPage(new FakeBridge({ sessions: [session] }).with({ entries: { s1: bodies.map((body, index) => anEntry(index + 1, body)) } }));
}

type Opened = Awaited<ReturnType<typeof open>>;

const items = () => screen.queryAllByRole('menuitem').map((item) => item.textContent?.trim());
const rightClick = ({ user }: Opened, target: Element) => user.pointer({ keys: '[MouseRight]', target });

/** Whether the browser would show its own menu. */
function browserMenuOn(target: Element): boolean {
  return target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 5, clientY: 5 }));
}

test('a quote stands on lines of its own, and nothing of the draft is lost', () => {
  const insert = (draft: string, caret: number, quoted: string) => {
    const { at, text } = quoteInto(draft, caret, quoted);
    return draft.slice(0, at) + text + draft.slice(at);
  };
  expect(insert('', 0, 'one\n\ntwo\n')).toBe('> one\n>\n> two\n\n');
  expect(insert('draft', 5, 'one')).toBe('draft\n\n> one\n\n');
  expect(insert('a\nb', 2, 'one')).toBe('a\n\n> one\n\nb');
  expect(insert('a\n\nb', 3, 'one')).toBe('a\n\n> one\n\nb');
});

describe('the context menu', () => {
  test('of a message copies it, or quotes it at the caret of the draft', async () => {
    const opened = await open();
    await opened.user.type(composer(), 'My draft');
    await rightClick(opened, screen.getByText('First line', { selector: 'article *' }));
    expect(items()).toEqual(['Copy message', 'Quote in reply']);
    await expectNoViolations();
    await opened.user.click(screen.getByRole('menuitem', { name: 'Copy message' }));
    expect(await navigator.clipboard.readText()).toContain('First line');
    expect(items()).toEqual([]);
    await rightClick(opened, screen.getByText('Please do'));
    await opened.user.click(screen.getByRole('menuitem', { name: 'Quote in reply' }));
    expect(composer()).toHaveValue('My draft\n\n> Please do\n\n');
    expect(composer()).toHaveFocus();
    expect(composer().selectionStart).toBe(composer().value.length);
    expect(opened.store.state.messages['s1']).toBe(composer().value);
  });

  test('case_146 a quote can be undone, also in a field that nobody was in before', async () => {
    const opened = await open();
    await rightClick(opened, screen.getByText('Please do'));
    await opened.user.click(screen.getByRole('menuitem', { name: 'Quote in reply' }));
    expect(composer()).toHaveValue('> Please do\n\n');
    await opened.user.keyboard('{Control>}z{/Control}');
    expect(composer()).toHaveValue('');
    expect(opened.store.state.messages['s1'] ?? '').toBe('');
  });

  test('of a link copies its address, and that of a tool call its path', async () => {
    const opened = await open();
    await rightClick(opened, screen.getByRole('link', { name: 'the guide' }));
    expect(items()).toEqual(['Copy link', 'Copy message', 'Quote in reply']);
    await opened.user.click(screen.getByRole('menuitem', { name: 'Copy link' }));
    expect(await navigator.clipboard.readText()).toBe('https://example.org/guide');
    const line = document.querySelector('[data-kind="tool"] summary, [data-kind="run"] summary') as Element;
    await rightClick(opened, line);
    expect(items().at(-1)).toBe('Copy path');
    await opened.user.click(screen.getByRole('menuitem', { name: 'Copy path' }));
    expect(await navigator.clipboard.readText()).toBe(file.path);
  });

  test('of selected text copies or quotes only that', async () => {
    const opened = await open();
    const text = screen.getByText('First line', { selector: 'article *' });
    document.getSelection()?.selectAllChildren(text);
    browserMenuOn(text);
    await settle();
    expect(items()).toEqual(['Copy', 'Quote in reply']);
    await opened.user.click(screen.getByRole('menuitem', { name: 'Quote in reply' }));
    expect(composer()).toHaveValue('> First line\n\n');
    document.getSelection()?.removeAllRanges();
  });

  test('opens by Shift+F10 and the Menu key at what has the focus', async () => {
    const opened = await open();
    const line = document.querySelector<HTMLElement>('[data-kind="tool"] summary, [data-kind="run"] summary');
    for (const keys of ['{Shift>}{F10}{/Shift}', '{ContextMenu}']) {
      line?.focus();
      await opened.user.keyboard(keys);
      expect(items().at(-1)).toBe('Copy path');
      await opened.user.keyboard('{Escape}');
      expect(items()).toEqual([]);
      expect(line).toHaveFocus();
    }
    document.querySelector<HTMLElement>('nav [data-session="s1"]')?.focus();
    await opened.user.keyboard('{Shift>}{F10}{/Shift}');
    expect(items()).toContain('Pin');
  });

  test('is never the browser’s own, except in text fields, and stays away where there is nothing to do', async () => {
    const opened = await open();
    await rightClick(opened, document.querySelector('main') as Element);
    expect(items()).toEqual([]);
    for (const target of [
      document.body,
      document.querySelector('main'),
      document.querySelector('header'),
      screen.getByText('First line', { selector: 'article *' }),
    ]) {
      expect(browserMenuOn(target as Element)).toBe(false);
    }
    expect(browserMenuOn(composer())).toBe(true);
  });

  test('of a button is not covered by its tooltip, nor are the buttons below the message field by one of the field', async () => {
    const opened = await open();
    expect(composer()).not.toHaveAttribute('title');
    expect(composer()).toHaveAccessibleDescription(/Enter to send/);
    const more = screen.getByRole('button', { name: 'Actions for api' });
    expect(more).toHaveAttribute('title');
    await opened.user.click(more);
    expect(more).not.toHaveAttribute('title');
    await opened.user.keyboard('{Escape}');
    expect(more).toHaveAttribute('title');
  });

  test('leaves what one reads where it is when it closes', async () => {
    const opened = await open();
    await rightClick(opened, screen.getByText('First line', { selector: 'article *' }));
    const focus = vi.spyOn(HTMLElement.prototype, 'focus');
    await opened.user.keyboard('{Escape}');
    expect(items()).toEqual([]);
    expect(focus.mock.calls).toEqual([[{ preventScroll: true }]]);
    expect(document.querySelector('main')).toContainElement(document.activeElement as HTMLElement);
  });
});
