import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, test } from 'vitest';

import type { Attachment, RefusedWhy } from '../src/generated/wire';
import { readUnsent, storeUnsent } from '../src/store/sync/unsentMessages';
import { demo, of } from '../src/testing/agents';
import { anEntry, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage, settle } from './open';

const attached = () => screen.queryByRole('list', { name: 'Attachments' });

const image = (n = 1): Attachment => ({
  attachment: 'image',
  image: String(n).repeat(64),
  format: 'png',
  name: `shot ${n}.png`,
  bytes: 2_400_000,
});
const file: Attachment = { attachment: 'file', path: '/home/ada/notes of mine.txt', bytes: 12 };

const idle = (changes = {}) => new FakeBridge({ sessions: [aSession({ state: { state: 'idle' }, ...changes })] });

const pasted = (name: string, content: string, type = 'image/png') => new File([content], name, { type });

async function paste(files: File[], text = '') {
  const clipboardData = { files, getData: (type: string) => (type === 'text/plain' ? text : '') };
  const went = await fireEvent.paste(composer(), { clipboardData });
  await settle();
  return went;
}

beforeEach(() => localStorage.clear());

describe('pasting', () => {
  test('an image is sent to the app with its bytes, then with the message', async () => {
    const { bridge, user } = await openPage(idle().on('attach_image', () => ({ attached: [image()], refused: [] })));
    await paste([pasted('shot 1.png', 'abc')]);
    await screen.findByText('2.3 MB');
    expect(bridge.sent('attach_image')).toMatchObject([{ session: 's1', name: 'shot 1.png', data: 'YWJj' }]);
    expect(within(attached()!).getByText('2.3 MB')).toBeVisible();
    await expectNoViolations();
    await user.type(composer(), 'look{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{ text: 'look', attachments: [image()] }]);
    expect(attached()).toBeNull();
    expect(composer()).toHaveValue('');
  });

  test('what the event lacks is read from the clipboard by the app', async () => {
    const { bridge } = await openPage(idle().with({ clipboard: { attached: [image()], refused: [] } }));
    expect(await paste([])).toBe(false);
    await screen.findByText('2.3 MB');
    expect(bridge.pastes).toBe(1);
  });

  test('copied files are attached, and text is pasted, even if it only looks like them or an image of it is there, too', async () => {
    const { bridge } = await openPage(idle());
    expect(await paste([], 'a\n/srv/b.txt')).toBe(true);
    expect(await paste([pasted('cells.png', 'abc')], 'a\tb')).toBe(true);
    expect([bridge.pastes, bridge.sent('attach_image').length]).toEqual([0, 0]);
    expect(await paste([], '/srv/a.txt\n/srv/b c.txt')).toBe(false);
    expect(composer()).toHaveValue('/srv/a.txt\n/srv/b c.txt');
    bridge.clipboard = { attached: [file], refused: [] };
    expect(await paste([], '/home/ada/notes of mine.txt')).toBe(false);
    expect(within(attached()!).getAllByRole('listitem')).toHaveLength(1);
    expect(composer()).toHaveValue('/srv/a.txt\n/srv/b c.txt');
  });

  test('files that are too large aren’t read, and each refusal says why', async () => {
    const why = (name: string, given: RefusedWhy) => ({ name, why: given });
    const bridge = idle().on('attach_image', ({ name }) => ({ attached: [], refused: [why(name, { why: 'unknown_kind' })] }));
    await openPage(bridge);
    const large = pasted('large.png', 'x');
    Object.defineProperty(large, 'size', { value: 9 * 1024 * 1024 });
    await paste([large, pasted('notes.txt', 'words', 'text/plain')]);
    await screen.findByText(/notes.txt isn’t a PNG, JPEG, GIF, or WebP image./);
    expect(screen.getByRole('alert')).toHaveTextContent('large.png is too large. Images can be up to 8 MB.');
    expect(bridge.sent('attach_image')).toHaveLength(1);
  });

  test('of too many files, the first ones are attached and the others are named', async () => {
    let n = 0;
    await openPage(idle().on('attach_image', () => ({ attached: [image((n += 1))], refused: [] })));
    await paste(Array.from({ length: 9 }, (_, index) => pasted(`${index}.png`, 'x')));
    await waitFor(() => expect(within(attached()!).getAllByRole('listitem')).toHaveLength(8));
    expect(screen.getByRole('alert')).toHaveTextContent('8.png wasn’t attached: a message can have up to 8 attachments.');
  });
});

describe('case 122: a text that is too long for a message', () => {
  const long = 'é'.repeat(128 * 1024 + 1);
  const stored: Attachment = { attachment: 'file', path: '/data/images/s1/message-1.txt', bytes: 262_146 };
  const write = async (text: string) => {
    await fireEvent.input(composer(), { target: { value: text } });
    await settle();
  };

  test('is offered as a file before it is sent, and goes out as one', async () => {
    const { bridge, user } = await openPage(idle().on('attach_text', () => ({ attached: [stored], refused: [] })));
    await write(long.slice(1));
    expect(screen.queryByText(/too long for a message/)).toBeNull();
    await write(long);
    expect(screen.getByRole('alert')).toHaveTextContent('256 kB; the limit is 256 kB');
    await fireEvent.keyDown(composer(), { key: 'Enter' });
    expect(bridge.sent('send_message')).toHaveLength(0);
    await user.click(button('Attach as a file'));
    expect(bridge.sent('attach_text')).toMatchObject([{ session: 's1', text: long }]);
    expect(attached()).toHaveTextContent('message-1.txt');
    expect(composer()).toHaveValue('');
    expect(composer()).toHaveFocus();
    await user.keyboard('look{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{ text: 'look', attachments: [stored] }]);
  });

  test('stays in the composer if it can’t be stored', async () => {
    const { user } = await openPage(idle().fail('attach_text', { code: 'storage', message: 'the disk is full' }));
    await write(long);
    await user.click(button('Attach as a file'));
    expect(composer()).toHaveValue(long);
    expect(attached()).toBeNull();
    expect(screen.getByText(/the disk is full/)).toBeVisible();
  });
});

describe('choosing and dropping', () => {
  test('chosen files can be removed by keyboard, and the focus stays nearby', async () => {
    const { bridge, user } = await openPage(idle().with({ files: { attached: [image(), file], refused: [] } }));
    await user.click(button('Attach files'));
    expect(within(attached()!).getAllByRole('listitem')).toHaveLength(2);
    button('Remove shot 1.png').focus();
    await user.keyboard('{Enter}');
    expect(bridge.sent('discard_attachments')).toMatchObject([{ session: 's1', attachments: [image()] }]);
    expect(button('Remove notes of mine.txt')).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(attached()).toBeNull();
    expect(composer()).toHaveFocus();
    expect(bridge.sent('discard_attachments')).toHaveLength(1);
  });

  test('dropped files are attached once, and the drop target says where', async () => {
    const { bridge } = await openPage(idle().with({ files: { attached: [file], refused: [{ name: 'src', why: { why: 'folder' } }] } }));
    bridge.dragFiles('over');
    await settle();
    expect(screen.getByText('Drop to attach')).toBeVisible();
    bridge.dragFiles('dropped');
    await settle();
    bridge.dragFiles('dropped');
    await settle();
    expect(screen.queryByText('Drop to attach')).toBeNull();
    expect(bridge.drops).toBe(2);
    expect(within(attached()!).getAllByRole('listitem')).toHaveLength(1);
    expect(screen.getByRole('alert')).toHaveTextContent('src is a folder. Mention its path in the message instead.');
  });

  test('an agent that accepts only text has no button and refuses dropped files', async () => {
    const { bridge } = await openPage(idle(of(demo)).with({ files: { attached: [file], refused: [] } }));
    expect(screen.queryByRole('button', { name: 'Attach files' })).toBeNull();
    bridge.dragFiles('dropped');
    await settle();
    expect(screen.getByRole('alert')).toHaveTextContent('This agent accepts text only, so files can’t be attached.');
    expect(bridge.drops).toBe(0);
    expect(attached()).toBeNull();
    await paste([pasted('shot.png', 'abc')]);
    expect(bridge.sent('attach_image')).toEqual([]);
  });
});

describe('an attachment', () => {
  test('can be sent without text, also in reply to a question', async () => {
    const bridge = idle();
    bridge.snapshot.requests.push(aRequest());
    bridge.files = { attached: [image()], refused: [] };
    const { user } = await openPage(bridge);
    expect(button('Reply in chat')).toBeDisabled();
    await user.click(button('Attach files'));
    await user.click(button('Reply in chat'));
    await user.click(button('Send now'));
    expect(bridge.sent('send_message')).toMatchObject([{ text: '', attachments: [image()], closes: ['r1'] }]);
  });

  test('stays with the text if the message is rejected', async () => {
    const bridge = idle().fail('send_message', { code: 'attachment_gone', message: 'notes of mine.txt' });
    bridge.files = { attached: [file], refused: [] };
    const { user } = await openPage(bridge);
    await user.click(button('Attach files'));
    await user.type(composer(), 'look{Enter}');
    expect(screen.getByText(/^Nothing was sent: .*notes of mine.txt no longer exists/)).toBeVisible();
    expect(within(attached()!).getAllByRole('listitem')).toHaveLength(1);
    expect(composer()).toHaveValue('look');
  });

  test('is restored with the unsent message, without invalid entries', () => {
    storeUnsent({ messages: { s1: 'look', s2: '' }, attached: { s1: [image(), file], s2: [] } });
    expect(readUnsent()).toEqual({ messages: { s1: 'look' }, attached: { s1: [image(), file] } });
    localStorage.setItem('askdesk.attached', JSON.stringify({ s1: [{ attachment: 'image' }], s2: 'x', s3: [file] }));
    expect(readUnsent().attached).toEqual({ s3: [file] });
  });

  test('is shown with a message in the queue and in the transcript', async () => {
    const queue = [{ id: 'm1', text: '', attachments: [file] }];
    const bridge = new FakeBridge({ sessions: [aSession({ queue })] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'user', text: '', attachments: [image()] })];
    await openPage(bridge);
    const waiting = screen.getByRole('region', { name: 'Queued messages' });
    expect(waiting).toHaveTextContent('notes of mine.txt');
    const transcript = screen.getByRole('region', { name: 'Transcript of api' });
    expect(transcript).toHaveTextContent('shot 1.png');
    const picture = transcript.querySelector('img');
    expect(picture).toHaveAttribute('src', `kept-image://localhost/s1.${'1'.repeat(64)}`);
    expect(within(transcript).queryByRole('button', { name: /Remove/ })).toBeNull();
    await fireEvent.error(picture!);
    expect(within(transcript).getByText('Can’t be displayed')).toBeVisible();
  });
});
