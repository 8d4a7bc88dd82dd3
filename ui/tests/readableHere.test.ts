import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { COLUMNS_HERE, LINES_HERE, readableHere, sameHere, saidAbout } from '../src/entities/approval/readableHere';
import type { Approval, ToolDetail } from '../src/generated/wire';
import { visibly } from '../src/shared/visible';
import { anApproval, someOptions } from '../src/testing/builders';

const command = (text: string, description: string | null = null): ToolDetail => ({ detail: 'command', command: text, description });
const edit = (diff: string, path = 'src/a.rs'): ToolDetail => ({ detail: 'edit', path, diff });
const write = (content: string, path = 'src/a.rs'): ToolDetail => ({ detail: 'write', path, content });
const of = (subject: ToolDetail, changes: Partial<Approval> = {}) => readableHere(anApproval({ subject, ...changes }));
const many = (count: number, line: string) => Array.from({ length: count }, (_, n) => `${line} ${n + 1}`).join('\n');

const readable = { here: 'readable' } as const;
const hidden = { here: 'hidden_characters' } as const;
const cut = { here: 'cut' } as const;
const unknown = { here: 'unknown_tool' } as const;
const tooLong = (of: 'changed_lines' | 'lines' | 'characters', count: number) => ({ here: 'too_long', of, count }) as const;

describe('case_81 whether a request can be decided in the inbox', () => {
  test.each<[string, ReturnType<typeof of>, ToolDetail, Partial<Approval>?]>([
    ['a command', readable, command('pnpm db:migrate --env staging')],
    ['a command of four lines', readable, command(many(4, 'step'))],
    ['a command that ends in a line break', readable, command('ls\n')],
    ['a command of five lines', tooLong('lines', 5), command(many(5, 'step'))],
    ['empty lines between two commands', tooLong('lines', 6), command('ls\n\n\n\n\nrm -r build')],
    ['a description counts', tooLong('lines', 5), command(many(4, 'step'), 'Build it')],
    ['a description that arrives twice counts once', readable, command(many(3, 'step'), 'Build it'), { description: 'Build it' }],
    ['other parameters count', tooLong('lines', 5), command(many(2, 'step'), 'Build it\ntimeout: 9\nsandbox: off')],
    ['a line of four rows', readable, command('x'.repeat(4 * COLUMNS_HERE))],
    ['a line of more than four rows', tooLong('characters', 4 * COLUMNS_HERE + 1 + 4), command('x'.repeat(4 * COLUMNS_HERE + 1))],
    ['wide characters take two columns', tooLong('characters', 161 + 4), command('字'.repeat(161))],
    ['spaces that push the end away', tooLong('characters', 404 + 4), command(`ls${' '.repeat(400)}&&`)],
    ['tabs that push the end away', tooLong('characters', 44 + 4), command(`ls${'\t'.repeat(40)}&&`)],
    ['an empty command', unknown, command(' \n ')],
    ['a command that was cut off', cut, command('ls\n… [cut at 256 KiB]')],
    ['a description that was cut off', cut, command('ls'), { description: 'It is … [cut at 64 KiB]' }],
    ['a title that was cut off', cut, command('ls'), { title: 'Ba … [cut at 64 KiB]' }],
    ['a long title', tooLong('characters', 83), command('ls'), { title: 'B'.repeat(81) }],
    ['an address', readable, { detail: 'network', target: 'https://example.org' }],
    ['no address', unknown, { detail: 'network', target: '' }],
    ['a new file', readable, write('one\ntwo\n')],
    ['an empty file', readable, write('')],
    ['a file without a path', unknown, write('one', ' ')],
    ['a new file of 84 lines', tooLong('lines', 84), write(many(84, 'line'))],
    ['a path that does not fit', tooLong('characters', 81 + 3 + 4), write('one', 'p'.repeat(81))],
    ['a path that was cut off', cut, write('one', 'p\n… [cut at 256 KiB]')],
    ['a change of a line', readable, edit('@@ -1 +1 @@\n-old\n+new\n')],
    ['a change of two lines', readable, edit('@@ -1,2 +1,2 @@\n-old\n-older\n+new\n+newer\n')],
    ['a change of 84 lines', tooLong('changed_lines', 84), edit(`@@ -1,42 +1,42 @@\n${many(42, '-old')}\n${many(42, '+new')}`)],
    ['a small change in many lines', tooLong('lines', 7), edit('@@ -1,6 +1,6 @@\n a\n b\n c\n-old\n+new\n d\n e\n')],
    [
      'parameters beside the place of a change',
      tooLong('lines', 5),
      edit('@@ -1,2 +1,2 @@ replace_all: true\n-old\n-older\n+new\n+newer\n'),
    ],
    ['a change of nothing', unknown, edit('')],
    ['a plan', { here: 'plan' }, { detail: 'plan', plan: 'ok', path: null }],
    ['todos', unknown, { detail: 'todos', items: [{ text: 'Look', status: 'done' }] }],
    ['an unknown tool', unknown, { detail: 'other', input: '{}' }],
    ['an invisible character is spelled out', readable, command('rm\u200b -r build')],
    ['a bidirectional override is spelled out', readable, command('rm \u202e dliub')],
    ['a zero byte is spelled out', readable, command('rm\u0000')],
    ['a terminal color, which is removed', hidden, command('rm \u001b[8m-rf /\u001b[0m')],
    ['a carriage return, which is removed', hidden, command('ls\r\nrm')],
    ['a carriage return in a description', hidden, command('ls', 'List\r')],
    ['a space that is none', hidden, command('rm -r a\u00a0b')],
    ['a blank pattern', hidden, command('rm -r \u2800b')],
    ['a line separator', hidden, command('ls\u2028rm')],
    ['letters from right to left', hidden, command('rm שלום / x')],
    ['letters from right to left in a path', hidden, write('x', 'سلام.txt')],
    ['a joiner between letters', hidden, command('می\u200cخواهم')],
    ['stacked marks', hidden, command(`a${'\u0300'.repeat(5)}`)],
    ['an accent', readable, command('git commit -m "Café, näive ça"')],
    ['another language', readable, command('git commit -m "修复登录"')],
    ['what the agent says in another direction', readable, command('ls', 'רשימת קבצים')],
  ])('%s', (_, expected, subject, changes = {}) => {
    expect(of(subject, changes)).toEqual(expected);
  });

  test('what the agent says is shown once', () => {
    const said = (subject: ToolDetail, description: string | null) => saidAbout(anApproval({ subject, description }));
    expect(said(command('ls', 'List\ntimeout: 9'), 'List')).toEqual(['List\ntimeout: 9']);
    expect(said(command('ls', 'List'), 'Look around')).toEqual(['List', 'Look around']);
    expect(said(write('x'), ' ')).toEqual([]);
  });
});

describe('case_81 whatever an agent sends', () => {
  const odd = fc.constantFrom(
    ...'\u0000\u001b\r\n\t\u200b\u200d\u202e\u2066\u2028\u00a0\u2800\ufe0f\u3164אب字e\u0301',
    '\u{e0041}',
    '👩',
    '\u001b[8m',
    '… [cut at 64 KiB]',
  );
  const text = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(fc.oneof(odd, fc.string({ minLength: 1, maxLength: 12 })), { maxLength: 40 }).map((parts) => parts.join('')),
  );
  const subject: fc.Arbitrary<ToolDetail> = fc.oneof(
    fc.record({ detail: fc.constant('command' as const), command: text, description: fc.option(text) }),
    fc.record({ detail: fc.constant('write' as const), path: text, content: text }),
    fc.record({ detail: fc.constant('edit' as const), path: text, diff: text }),
    fc.record({ detail: fc.constant('network' as const), target: text }),
    fc.record({ detail: fc.constant('other' as const), input: text }),
    fc.record({ detail: fc.constant('plan' as const), plan: text, path: fc.option(text) }),
  );
  const approvals = fc.record({ title: text, description: fc.option(text), subject }).map((changes) => anApproval(changes));
  const exact = ({ title, subject }: Approval): string[] => {
    switch (subject.detail) {
      case 'command':
        return [title, subject.command];
      case 'write':
        return [title, subject.path, subject.content];
      case 'edit':
        return [title, subject.path, subject.diff];
      case 'network':
        return [title, subject.target];
      default:
        return [];
    }
  };

  /** Reads the characters that `visibly` has spelled out. */
  const spelled = (shown: string) =>
    shown
      .replace(/⟨U\+([0-9A-F]+)⟩/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
      .replace(/[\u2400-\u241f]/g, (picture) => String.fromCodePoint((picture.codePointAt(0) ?? 0) - 0x2400));

  test('what is readable has few lines, only visible characters, and lacks nothing', () => {
    let readable = 0;
    fc.assert(
      fc.property(approvals, (approval) => {
        if (readableHere(approval).here !== 'readable') return;
        readable += 1;
        const texts = exact(approval);
        expect(texts.length).toBeGreaterThan(0);
        for (const raw of texts) {
          const shown = visibly(raw);
          expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
          expect(spelled(shown)).toBe(raw);
          expect(shown.replace(/\n$/, '').split('\n').length).toBeLessThanOrEqual(LINES_HERE + 1);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(readable).toBeGreaterThan(20);
  });

  test('more text makes nothing readable', () => {
    const lines = fc.array(text, { minLength: 5, maxLength: 8 }).map((all) => all.join('\n'));
    let tooLong = 0;
    fc.assert(
      fc.property(lines, text, (start, rest) => {
        const before = of(command(`ls ${start}`));
        if (before.here !== 'too_long') return;
        tooLong += 1;
        expect(of(command(`ls ${start}${rest}`)).here).not.toBe('readable');
      }),
      { numRuns: 1_000 },
    );
    expect(tooLong).toBeGreaterThan(20);
  });

  test('requests are the same only if everything is, and only if they are readable', () => {
    const one = anApproval({ subject: command('ls', 'List') });
    expect(sameHere(anApproval({ ...one, id: 'a2', nativeRef: 'n9', description: 'For the other one', askedAt: 5 }))).toBe(sameHere(one));
    const others: Partial<Approval>[] = [
      { session: 's2' },
      { title: 'Shell' },
      { subject: command('ls ') },
      { subject: command('ls', 'List\nsandbox: off') },
      { options: someOptions({ id: 'r1', scope: 'session', label: { label: 'folder', paths: ['/'] } }) },
      { takesMessage: false },
    ];
    for (const change of others) expect(sameHere({ ...one, ...change })).not.toBe(sameHere(one));
    expect(sameHere(anApproval({ subject: { detail: 'other', input: '{}' } }))).toBeNull();
    expect(sameHere(anApproval({ subject: { detail: 'plan', plan: 'x', path: null } }))).toBeNull();
  });
});
