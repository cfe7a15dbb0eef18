/** Requests opened from outside are held for the window; a link's license key never leaves the main process. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { OpenRequests } from '../../../electron/opening/open-requests.ts';
import type { OpenRequest } from '../../../shared/ipc/open-request.ts';
import { fail, succeed } from '../../../shared/ipc/result.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const key = 'SVC-7QK2-90AB-CDEF-GH1T';
const link = `latchkey://activate?key=${key.toLowerCase()}`;
const activated = { kind: 'activated', activations: 1, maxActivations: 3 } as const;
const atLimit = {
  kind: 'device-limit-reached',
  maxActivations: 1,
  placeFreeAt: null,
  replacement: { kind: 'not-listed' },
} as const;

function setUp() {
  const { clock, random } = createFakePlatform();
  const logged: unknown[] = [];
  const log = { info: (...entry: unknown[]) => logged.push(entry), warn: (...entry: unknown[]) => logged.push(entry) };
  const shown: (OpenRequest | null)[] = [];
  const client = { activateLicense: vi.fn(async () => succeed<typeof activated | typeof atLimit>(activated)) };
  const reveal = vi.fn();
  const show = (request: OpenRequest | null) => void shown.push(request);
  const requests = new OpenRequests({ scheme: 'latchkey', client, reveal, show, clock, random, log });
  return { requests, client, clock, logged, shown, reveal };
}

const openLink = ({ requests }: ReturnType<typeof setUp>, opened: string) =>
  requests.open({ kind: 'link', link: opened });
const idOf = ({ requests }: ReturnType<typeof setUp>) => requests.getOpenRequest()?.id ?? '';

describe('a link with a license key', () => {
  it('shows the window a preview and sends nothing before the user agrees', async () => {
    const test = setUp();
    await openLink(test, link);
    expect(test.reveal).toHaveBeenCalledOnce();
    expect(test.shown).toEqual([{ kind: 'activate', id: idOf(test), keyPreview: 'SVC-7QK2...GH1T' }]);
    expect(JSON.stringify([test.shown, test.logged])).not.toMatch(/90AB|90ab/);
    expect(test.client.activateLicense).not.toHaveBeenCalled();
    expect(await test.requests.activateFromLink({ id: idOf(test) })).toEqual(succeed(activated));
    expect(test.client.activateLicense.mock.calls).toEqual([[{ licenseKey: key }]]);
    expect(test.shown.at(-1)).toBeNull();
  });

  it('is kept at the device limit, for use with a device to replace', async () => {
    const test = setUp();
    await openLink(test, link);
    const id = idOf(test);
    test.client.activateLicense.mockResolvedValueOnce(succeed(atLimit));
    await test.requests.activateFromLink({ id });
    expect(idOf(test)).toBe(id);
    await test.requests.activateFromLink({ id, replaces: 'a-2' });
    expect(test.client.activateLicense).toHaveBeenLastCalledWith({ licenseKey: key, replaces: 'a-2' });
    expect(test.requests.getOpenRequest()).toBeNull();
  });

  it('is kept after a failure, so that the user can try again', async () => {
    const test = setUp();
    await openLink(test, link);
    const failure = fail({ code: 'SERVER_UNREACHABLE', message: '', at: '' });
    test.client.activateLicense.mockResolvedValueOnce(failure as never);
    expect(await test.requests.activateFromLink({ id: idOf(test) })).toEqual(failure);
    expect(test.requests.getOpenRequest()).not.toBeNull();
  });

  it('is kept for ten minutes, so that the user can sign in first', async () => {
    const test = setUp();
    await openLink(test, link);
    const id = idOf(test);
    await test.clock.advance(10 * 60_000 - 1);
    expect(idOf(test)).toBe(id);
    await test.clock.advance(1);
    expect(test.shown.at(-1)).toBeNull();
    expect(await test.requests.activateFromLink({ id })).toMatchObject({ failure: { code: 'LINK_EXPIRED' } });
    expect(test.client.activateLicense).not.toHaveBeenCalled();
  });

  it('is not used after the machine has slept for longer than that', async () => {
    const test = setUp();
    await openLink(test, link);
    test.clock.sleep(11 * 60_000);
    expect(await test.requests.activateFromLink({ id: idOf(test) })).toMatchObject({
      failure: { code: 'LINK_EXPIRED' },
    });
  });

  it('is discarded when the user cancels', async () => {
    const test = setUp();
    await openLink(test, link);
    const id = idOf(test);
    test.requests.closeOpenRequest({ id });
    expect(test.clock.pendingTimers()).toBe(0);
    expect(await test.requests.activateFromLink({ id })).toMatchObject({ ok: false });
  });

  it('is kept while notifications, the tray or other links open places and files', async () => {
    const test = setUp();
    await openLink(test, link);
    const id = idOf(test);
    await openLink(test, 'latchkey://open/settings');
    await openLink(test, 'latchkey://open/nowhere');
    expect(test.shown.slice(1)).toMatchObject([{ kind: 'place', place: 'settings' }, { kind: 'unknown-link' }]);
    for (const request of test.shown.slice(1)) test.requests.closeOpenRequest({ id: request?.id ?? '' });
    expect(idOf(test)).toBe(id);
    expect(await test.requests.activateFromLink({ id })).toEqual(succeed(activated));
    await openLink(test, 'latchkey://open/settings');
    expect(test.requests.getOpenRequest()).toMatchObject({ kind: 'place' });
  });

  it('never activates with the key of a different link than the one shown', async () => {
    const test = setUp();
    await openLink(test, link);
    const id = idOf(test);
    await openLink(test, 'latchkey://activate?key=SVC-0000-0000-0000-0001');
    expect(await test.requests.activateFromLink({ id })).toMatchObject({ failure: { code: 'LINK_EXPIRED' } });
    test.requests.closeOpenRequest({ id });
    expect(test.requests.getOpenRequest()).toMatchObject({ kind: 'activate', keyPreview: 'SVC-0000...0001' });
    expect(test.clock.pendingTimers()).toBe(1);
  });
});

describe('another link', () => {
  it('names a place, or asks to import a lease', async () => {
    const test = setUp();
    await openLink(test, 'latchkey://open/api-key');
    await openLink(test, 'latchkey://lease');
    expect(test.shown).toMatchObject([
      { kind: 'place', place: 'api-key' },
      { kind: 'import-lease', file: null },
    ]);
    expect(test.logged).toEqual([]);
  });

  it('that is invalid adds one line to the log, without the link', async () => {
    const test = setUp();
    await openLink(test, `${link}&server=https://evil.example`);
    expect(test.shown).toMatchObject([{ kind: 'unknown-link' }]);
    expect(test.logged).toEqual([['a link was opened that is not one of ours']]);
  });

  it('is not opened if the same arguments contain a second one', async () => {
    const test = setUp();
    expect(test.requests.openArguments([link, 'latchkey://lease'], '/')).toBe(true);
    await settle();
    expect(test.shown).toMatchObject([{ kind: 'unknown-link' }]);
    expect(test.requests.openArguments(['.', '--hidden'], '/')).toBe(false);
  });
});

describe('a lease file', () => {
  const write = (name: string, text: string) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, text);
    return path;
  };
  const open = async (path: string) => {
    const test = setUp();
    await test.requests.open({ kind: 'file', path });
    return test.shown;
  };

  it('comes with its name and text', async () => {
    expect(await open(write('Studio Mac.lease', 'a.b.c\n'))).toMatchObject([
      { kind: 'import-lease', file: { name: 'Studio Mac.lease', text: 'a.b.c\n' } },
    ]);
  });

  it('is read no further than the maximum length of a lease', async () => {
    const [request] = await open(write('large.lease', 'x'.repeat(100_000)));
    expect(request?.kind === 'import-lease' && request.file?.text.length).toBe(16 * 1024 + 1);
  });

  it('that is missing, a folder or a pipe is reported as unreadable', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder.lease'));
    execFileSync('mkfifo', [join(folder, 'pipe.lease')]);
    for (const name of ['folder.lease', 'pipe.lease']) {
      expect(await open(join(folder, name))).toEqual([
        { kind: 'unreadable-file', id: expect.any(String), fileName: name },
      ]);
    }
    expect(await open(join(folder, 'missing.lease'))).toMatchObject([
      { kind: 'unreadable-file', fileName: 'missing.lease', fileProblem: 'missing' },
    ]);
  });

  it('is the only kind of file that is opened', async () => {
    expect(await open(write('notes.txt', 'a.b.c'))).toMatchObject([{ kind: 'unknown-link' }]);
  });

  it('is superseded by what is opened while it is being read', async () => {
    const test = setUp();
    const reading = test.requests.open({ kind: 'file', path: write('slow.lease', 'a.b.c') });
    await openLink(test, 'latchkey://open/devices');
    await reading;
    expect(test.shown).toMatchObject([{ kind: 'place', place: 'devices' }]);
  });
});
