import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import { readDiff } from '../src/shared/diff';
import Diff from '../src/shared/Diff.svelte';
import { highlighted } from '../src/shared/highlight';
import { outside, partsOf } from '../src/shared/links';
import { BlockReader, cutBlocks } from '../src/shared/markdown';
import Markdown from '../src/shared/Markdown.svelte';
import { cutLines } from '../src/shared/text';
import { visibly } from '../src/shared/visible';
import { anEntry } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage } from './open';

/** Adds a landmark, which the accessibility rules require. */
function asPage(container: HTMLElement): HTMLElement {
  container.setAttribute('role', 'main');
  return container;
}

describe('Markdown', () => {
  const show = (text: string) => asPage(render(Markdown, { text }).container);

  test('headings, lists, tables, quotes, and code become elements', async () => {
    const page = show(
      '# Title\n\nSome **bold** and `code`\n\n1. one\n2. two\n   - [x] inner\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```',
    );
    expect(screen.getByRole('heading', { name: 'Title', level: 2 })).toBeVisible();
    for (const name of ['strong', 'ol > li', 'ul > .task', 'blockquote', 'th', 'td', 'pre > code']) {
      expect(page.querySelector(name), name).not.toBeNull();
    }
    await expectNoViolations();
  });

  test('case_57_nothing_an_agent_writes_becomes_markup_or_loads', () => {
    const page = show(
      '<img src=x onerror=alert(1)>\n\n<style>*{}</style>\n\n![pixel](https://example.org/p.png) [a](data:text/html,x) <https://example.org>',
    );
    expect(page.querySelector('img, style, script, iframe, a, [src], [href], [id]')).toBeNull();
    expect(page).toHaveTextContent('<img src=x onerror=alert(1)>');
    expect(page).toHaveTextContent('Image: pixel');
    expect(page).toHaveTextContent('(data:text/html,x)');
  });

  test('case_57_what_cannot_be_seen_is_shown', () => {
    expect(visibly('\u001b[31mred\u001b[0m \u001b]0;t\u0007')).toBe('red ␛]0;t␇');
    expect(visibly('a\u202eb\u200bc\u{e0041}')).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+E0041⟩');
    expect(visibly('a\r\nb\tc')).toBe('a\nb\tc');
    expect(visibly(`Z${'\u0301'.repeat(20_000)}!`)).toBe(`Z${'\u0301'.repeat(16)}⟨marks cut: 19984⟩!`);
    expect(visibly('ก็ที่สุด e\u0301\u0323')).toBe('ก็ที่สุด e\u0301\u0323');
    expect(visibly('👩\u200d💻 ❤\ufe0f می\u200cخواهم')).toBe('👩\u200d💻 ❤\ufe0f می\u200cخواهم');
  });

  test('an underlined line is a heading, and a line between blank ones is a rule', () => {
    const page = show('Title\n=====\n\nsaid\n\n---\n\nPart\nof two lines\n---');
    expect([...page.querySelectorAll('h2, h3')].map((one) => one.textContent)).toEqual(['Title', 'Part\nof two lines']);
    expect(page.querySelectorAll('hr')).toHaveLength(1);
  });

  test('lines of a paragraph, an item, and a cell are one text each, with their breaks', () => {
    const page = show('one\n*two*\nthree\nfour \\* five\n\n- six\n  seven\n  1. eight\n     nine\n\n> ten\n> eleven');
    const texts = (name: string) =>
      [...page.querySelectorAll(name)].map((one) => [...one.childNodes].filter((node) => node.nodeType === 3 && node.textContent));
    expect(texts('p')[0]?.map((node) => node.textContent)).toEqual(['one\n', '\nthree\nfour ', '*', ' five']);
    expect(texts('ul > li')[0]?.map((node) => node.textContent)).toEqual(['six\nseven']);
    expect(texts('ol > li')[0]?.map((node) => node.textContent)).toEqual(['eight\nnine']);
    expect(texts('blockquote > p')[0]?.map((node) => node.textContent)).toEqual(['ten\neleven']);
  });

  test('growing text leaves earlier blocks unchanged', () => {
    const reader = new BlockReader();
    const before = reader.read('# One\n\nTwo is\n\nThree');
    const after = reader.read('# One\n\nTwo is\n\nThree goes on');
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
  });

  test('a blank line inside a fence, between items or before an indented line ends no block', () => {
    for (const text of ['```\na\n\nb\n```', '- a\n\n- b', '1. a\n\n   more']) {
      expect(cutBlocks(text), text).toHaveLength(1);
    }
  });

  const bombs: [string, string][] = [
    ['stars', '*'.repeat(100_000)],
    ['emphasis', '_a_'.repeat(30_000)],
    ['mail', `${'a.'.repeat(20_000)}@`],
    ['quotes', '>'.repeat(100_000)],
    ['numbers', '1. '.repeat(30_000)],
    ['brackets', '[![a](b)'.repeat(10_000)],
    ['paragraphs', `${'_a_'.repeat(1500)}\n\n`.repeat(50)],
    ['nested', Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n')],
    ['a megabyte', '**a** `b` [c](https://d)\n'.repeat(42_000)],
  ];
  test.each(bombs)('a bomb of %s is parsed in bounded time', (_, text) => {
    const start = performance.now();
    const blocks = new BlockReader().read(text);
    // The limit is 250 ms and one more block; a machine under load needs several times that.
    expect(performance.now() - start).toBeLessThan(1500);
    expect(blocks.map((block) => block.source.length).reduce((sum, size) => sum + size, 0)).toBeGreaterThan(0);
  });

  test('code is highlighted by its language, and stays plain if that is unknown', async () => {
    const runs = await highlighted('let a = "b"; // c', 'rust');
    expect(runs?.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['keyword', 'text', 'comment']));
    expect(runs?.map(({ text }) => text).join('')).toBe('let a = "b"; // c');
    expect(await highlighted('let', 'nothing')).toBeNull();
  });
});

describe('a link', () => {
  test('only web and mail addresses open outside', () => {
    expect(outside('https://example.org')).toBe('https://example.org/');
    expect(outside('mailto:ada@example.org')).toBe('mailto:ada@example.org');
    for (const href of ['javascript:alert(1)', 'file:///etc/passwd', 'src/a.ts', 'vscode://x', '//a']) {
      expect(outside(href), href).toBeNull();
    }
  });

  test('the host is distinguished from text that looks like one', () => {
    expect(partsOf('https://bank.example@evil.example/bank.example')).toEqual({
      before: 'https://bank.example@',
      host: 'evil.example',
      after: '/bank.example',
    });
    expect(partsOf(outside('https://ex\u0430mple.org') ?? '').host).toMatch(/^xn--/);
  });

  test('case_57_it_opens_outside_only_after_its_whole_address_was_shown', async () => {
    const bridge = new FakeBridge();
    bridge.entries['s1'] = [anEntry(1, { kind: 'agent', text: 'See [https://bank.example](https://user@xn--e1awd7f.example/a?b)' })];
    const { user } = await openPage(bridge);
    const link = screen.getByRole('link', { name: 'https://bank.example' });
    await user.click(link);
    const dialog = screen.getByRole('dialog', { name: 'Open external link?' });
    expect(dialog).toHaveTextContent('https://user@xn--e1awd7f.example/a?b');
    expect(dialog).toHaveTextContent('encoded (Punycode)');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bridge.opened).toEqual([]);
    await user.click(link);
    await user.click(screen.getByRole('button', { name: 'Open' }));
    expect(bridge.opened).toEqual(['https://user@xn--e1awd7f.example/a?b']);
  });
});

describe('a diff', () => {
  test('lines have their numbers on both sides', () => {
    expect(readDiff('@@ -3,2 +3,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n')).toEqual([
      { kind: 'place', before: null, after: null, text: '@@ -3,2 +3,2 @@' },
      { kind: 'same', before: 3, after: 3, text: 'a' },
      { kind: 'removed', before: 4, after: null, text: 'b' },
      { kind: 'added', before: null, after: 4, text: 'c' },
      { kind: 'note', before: null, after: null, text: '\\ No newline at end of file' },
    ]);
  });

  test('a long one is collapsed, and its changes don’t rely on color', async () => {
    const diff = `@@ -1,80 +1,80 @@\n${'-a\n+b\n'.repeat(40)}`;
    const page = asPage(render(Diff, { path: 'src/a.rs', diff }).container);
    expect(page.querySelectorAll('.line')).toHaveLength(60);
    expect(page).toHaveTextContent('40 lines added');
    expect(page.querySelector('del')).toHaveTextContent('a');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Show 21 more lines' }));
    expect(page.querySelectorAll('.line')).toHaveLength(81);
  });
});

test('a long text is cut by lines, and an endless line by its length', () => {
  expect(cutLines('a\nb\nc\n', 3)).toEqual({ shown: 'a\nb\nc\n', hidden: 0 });
  expect(cutLines('a\nb\nc\nd\n', 2)).toEqual({ shown: 'a\nb', hidden: 2 });
  expect(cutLines('a'.repeat(100_000), 200).shown).toHaveLength(64 * 1024);
});
