import { fireEvent } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { anEntry, aQuestion, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, ownAnswer, settle } from './open';

const UNDO = '{Control>}z{/Control}';
const REDO = '{Control>}{Shift>}z{/Shift}{/Control}';

async function open(
  bridge = new FakeBridge({ sessions: [aSession({ id: 's1', place: 0 }), aSession({ id: 's2', name: 'web', place: 1 })] }),
) {
  const opened = await openPage(bridge);
  return { ...opened, message: () => opened.store.state.messages['s1'] ?? '' };
}

describe('case_146 undo and redo', () => {
  test('go back word by word, and forward again', async () => {
    const { user, message } = await open();
    await user.type(composer(), 'use the new api');
    await user.keyboard('{Backspace}{Backspace}{Backspace}');
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('use the new api');
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('use the new ');
    expect(message()).toBe('use the new ');
    await user.keyboard(UNDO + UNDO + UNDO + UNDO);
    expect(composer()).toHaveValue('');
    await user.keyboard(REDO + '{Control>}y{/Control}');
    expect(composer()).toHaveValue('use the ');
    expect(composer().selectionStart).toBe(8);
    await user.keyboard('old ');
    await user.keyboard(REDO);
    expect(composer()).toHaveValue('use the old ');
  });

  test('bring back a text that was cleared, and take away what was pasted', async () => {
    const { user, message } = await open();
    await user.type(composer(), 'keep me');
    await user.clear(composer());
    expect(message()).toBe('');
    await user.keyboard(UNDO);
    expect(message()).toBe('keep me');
    await user.paste(' and that');
    await user.paste(' too');
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('keep me and that');
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('keep me');
  });

  test('take an input method’s word as one change', async () => {
    const { user } = await open();
    composer().focus();
    for (const shown of ['n', 'ni', '你']) {
      composer().value = shown;
      await fireEvent(composer(), new InputEvent('input', { bubbles: true, isComposing: true, inputType: 'insertCompositionText' }));
    }
    await fireEvent.compositionEnd(composer());
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('');
    await user.keyboard(REDO);
    expect(composer()).toHaveValue('你');
  });

  test('bring nothing back that was sent, and nothing of another session', async () => {
    const { user, store } = await open();
    await user.type(composer(), 'sent{Enter}');
    expect(composer()).toHaveValue('');
    await user.keyboard(UNDO);
    expect(composer()).toHaveValue('');
    await user.type(composer(), 'begun');
    await user.clear(composer());
    store.dispatch({ type: 'session_selected', session: 's2' });
    await settle();
    composer().focus();
    await user.keyboard(UNDO + REDO);
    expect(composer()).toHaveValue('');
    expect(store.state.messages['s2'] ?? '').toBe('');
  });

  test('take nothing away from a text that comes from outside', async () => {
    const bridge = new FakeBridge({ sessions: [aSession({ id: 's1' })] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'user', text: 'as before', attachments: [] })];
    const { user } = await open(bridge);
    await user.type(composer(), 'sent{Enter}{ArrowUp}');
    expect(composer()).toHaveValue('as before');
    await user.keyboard(UNDO + REDO);
    expect(composer()).toHaveValue('as before');
  });

  test('work in the answer of a question, in a search field and for the system’s own menu', async () => {
    const { user, store } = await open(new FakeBridge({ requests: [aRequest({ questions: [aQuestion(1)] })] }));
    await user.type(ownAnswer(), 'mine');
    await user.clear(ownAnswer());
    await fireEvent(ownAnswer(), new InputEvent('beforeinput', { bubbles: true, cancelable: true, inputType: 'historyUndo' }));
    expect(ownAnswer()).toHaveValue('mine');
    expect(store.state.drafts['r1']?.answers['q1']?.other).toBe('mine');
    await user.click(button('Settings'));
    const search = document.querySelector<HTMLInputElement>('dialog input[type=search]')!;
    await user.type(search, 'keys');
    await user.clear(search);
    await user.keyboard(UNDO);
    expect(search).toHaveValue('keys');
  });
});
