import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { StorageNotice } from '../src/generated/wire';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage } from './open';

const kept = '/data/desk.db.damaged-1';
const setAside: StorageNotice = { storage: 'set_aside', kept };

describe('a disk that accepts nothing', () => {
  const full = { trouble: 'full', path: '/data/desk.db' } as const;

  test('case_132 the banner says what is not stored, and goes when everything is', async () => {
    const { bridge } = await openPage(new FakeBridge());
    await bridge.push({ change: 'outage', outage: { error: full, entries: 0, lost: 0 } });
    const banner = screen.getByText(/Nothing is being stored: the disk is full; free up space/);
    expect(banner).toBeVisible();
    expect(banner).not.toHaveTextContent('wait and');
    await bridge.push({ change: 'outage', outage: { error: full, entries: 350, lost: 1 } });
    expect(screen.getByText(/350 entries wait and are shown once they’re stored. 1 entry is lost/)).toBeVisible();
    await bridge.push({ change: 'outage', outage: null });
    expect(screen.queryByText(/Nothing is being stored/)).toBeNull();
  });

  test('a page that is opened meanwhile says it, too', async () => {
    await openPage(new FakeBridge({ outage: { error: full, entries: 1, lost: 0 } }));
    expect(screen.getByText(/1 entry waits and is shown once it’s stored/)).toBeVisible();
  });

  test('the transcript says what is missing', async () => {
    const { bridge } = await openPage(new FakeBridge());
    const body = { kind: 'notice', notice: { notice: 'entries_lost', count: 3 } } as const;
    await bridge.push({ change: 'entry', session: 's1', entry: { n: 1, at: 1, body } });
    expect(screen.getByText(/3 entries are missing here/)).toBeVisible();
  });
});

describe('what was set aside', () => {
  test('case_131 a damaged database stays named until its sessions are recovered', async () => {
    const { bridge, user } = await openPage(new FakeBridge({ storage: [setAside] }));
    bridge.on('recover_database', () => ({ sessions: 2, complete: false }));
    expect(screen.getByText(/moved to \/data\/desk.db.damaged-1/)).toBeVisible();
    await user.click(button('Recover sessions'));
    expect(bridge.sent('recover_database')).toEqual([{ kept }]);
    await bridge.push({ change: 'storage', notices: [] });
    expect(screen.queryByText(/moved to/)).toBeNull();
    expect(screen.getByText(/2 sessions were recovered. Part of the damaged file can’t be read/)).toBeVisible();
    await user.click(button('Close message'));
    expect(screen.queryByText(/were recovered/)).toBeNull();
  });

  test('the reason is said if nothing can be read, and the file stays named', async () => {
    const bridge = new FakeBridge({ storage: [setAside] });
    const trouble = { trouble: 'damaged', path: kept, error: 'no database' } as const;
    bridge.fail('recover_database', { code: 'storage_unread', detail: { detail: 'storage', trouble } });
    const { user } = await openPage(bridge);
    await user.click(button('Recover sessions'));
    expect(screen.getByRole('alert')).toHaveTextContent(/couldn’t be read: the file .* is damaged/);
    expect(screen.getByText(/moved to/)).toBeVisible();
  });

  test('damage that is found while the app runs is said, with what the next start does', async () => {
    const { bridge } = await openPage(new FakeBridge());
    await bridge.push({ change: 'storage', notices: [{ storage: 'damaged', file: '/data/desk.db' }] });
    expect(screen.getByText(/database \/data\/desk.db is damaged. At the next start, the file is set aside/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Recover sessions' })).toBeNull();
    expect(button('Don’t show again')).toBeVisible();
  });

  test('records that can’t be read are counted until the user has dealt with it', async () => {
    const notice: StorageNotice = { storage: 'unreadable', count: 3 };
    const { bridge, user } = await openPage(new FakeBridge({ storage: [notice] }));
    expect(screen.getByText(/3 records in the database can’t be read/)).toBeVisible();
    await user.click(button('Don’t show again'));
    expect(bridge.sent('settle_storage')).toEqual([{ notice }]);
  });
});
