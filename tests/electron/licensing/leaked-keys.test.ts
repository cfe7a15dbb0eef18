/** Scanning for leaked keys through the client: what is read, what is reported, and what never leaves the client. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { formatLicenseKey } from '../../../shared/formats/license-key.ts';
import type { KeyScanProgress } from '../../../shared/ipc/key-scan.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { startActivated, startTestClient } from './start-client.ts';

const apiKey = formatApiKey('AbCd-1234_efGH5678ijKL90');
const otherKey = formatApiKey('ZyXw-1234_efGH5678ijKL90');
const licenseKey = formatLicenseKey([10, 11, 1, 2, 12, 13, 3, 4, 14, 15, 5, 6, 16, 17, 7]);
const utf8 = (text: string) => new TextEncoder().encode(text);

async function startWithFiles(files: Record<string, Uint8Array>) {
  const testClient = await startTestClient();
  for (const [path, content] of Object.entries(files)) testClient.platform.contents.set(path, content);
  return testClient;
}

async function* stream(...pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

describe('a scan', () => {
  it('reports each key by file and line, with only a preview of it', async () => {
    const { client } = await startWithFiles({
      '/home/ada/logs/b.log': utf8(`one\ntwo ${apiKey}\n${licenseKey}\n`),
      '/home/ada/logs/a.log': utf8(`${otherKey}\n`),
      '/home/ada/logs/c.bin': utf8(`\0${apiKey}`),
      '/home/ada/other.log': utf8(apiKey),
    });
    const scanned = await client.scanForKeys({ paths: ['/home/ada/logs'] });
    expect(scanned).toMatchObject({
      ok: true,
      value: {
        keys: [
          { id: 1, file: '/home/ada/logs/a.log', line: 1, column: 1, kind: 'api_key', preview: 'svc_live_ZyXw' },
          {
            id: 2,
            file: '/home/ada/logs/b.log',
            line: 2,
            column: 5,
            kind: 'api_key',
            preview: 'svc_live_AbCd',
            reported: false,
          },
          {
            file: '/home/ada/logs/b.log',
            line: 3,
            column: 1,
            kind: 'license_key',
            preview: expect.stringMatching(/^SVC-.{4}\.{3}.{4}$/),
          },
        ],
        files: 2,
        skipped: 1,
        unreadable: 0,
        limit: null,
      },
    });
    expect(client.getState().keyScan).toMatchObject({ kind: 'done', files: 2, keys: [{}, {}, {}] });
  });

  it('finds the same key in a text, a stream or UTF-16', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`ü ${apiKey}`, 'utf16le')]);
    const { client } = await startWithFiles({ '/utf16.txt': utf16 });
    const found = { value: { keys: [{ column: 3, preview: 'svc_live_AbCd' }] } };
    expect(await client.scanForKeys({ text: `ü ${apiKey}` })).toMatchObject(found);
    expect(await client.scanForKeys({ paths: ['/utf16.txt'] })).toMatchObject(found);
    const bytes = utf8(`ü ${apiKey}`);
    for (let at = 0; at <= bytes.length; at++) {
      const pieces = stream(bytes.subarray(0, at), bytes.subarray(at));
      expect(await client.scanForKeys({ bytes: pieces })).toMatchObject(found);
    }
  });

  it('leaves no key in the state, the stores or the log, and sends nothing', async () => {
    const { client, platform } = await startWithFiles({ '/a.log': utf8(`${apiKey} ${licenseKey}`) });
    const requests = platform.http.requests.length;
    await client.scanForKeys({ paths: ['/a.log'] });
    const kept = JSON.stringify([client.getState(), platform.plain.writes, platform.secrets.writes, platform.logged]);
    expect(kept).toContain('svc_live_AbCd');
    for (const key of [apiKey, licenseKey]) expect(kept).not.toContain(key);
    expect(platform.http.requests).toHaveLength(requests);
  });

  it('of an unreadable path fails with the reason, and counts one among several paths', async () => {
    const { client } = await startWithFiles({ '/a.log': utf8('nothing') });
    const message = 'The file or folder cannot be read.';
    const failure = { code: 'FILE_UNREADABLE', fileProblem: 'missing', message };
    expect(await client.scanForKeys({ paths: ['/gone'] })).toMatchObject({ failure });
    expect(client.getState().keyScan).toMatchObject({ kind: 'failed', failure });
    expect(await client.scanForKeys({ paths: ['/gone', '/a.log'] })).toMatchObject({
      value: { files: 1, unreadable: 1 },
    });
  });

  it('of a file that cannot be read fails with the reason of the system', async () => {
    const { client, platform } = await startWithFiles({ '/a.log': utf8('nothing') });
    const readFile = async () =>
      ({ kind: 'unreadable', error: Object.assign(new Error('no'), { code: 'EACCES' }) }) as const;
    Object.assign(platform.files, { readFile });
    const failure = { code: 'FILE_UNREADABLE', fileProblem: 'no-permission' };
    expect(await client.scanForKeys({ paths: ['/a.log'] })).toMatchObject({ failure });
  });

  it('stops at 1,000 keys, and reports that', async () => {
    const { client } = await startTestClient();
    const all = await client.scanForKeys({ text: `${apiKey}\n`.repeat(1000) });
    expect(all).toMatchObject({ value: { limit: null } });
    const more = await client.scanForKeys({ text: `${apiKey}\n`.repeat(1001) });
    expect(more).toMatchObject({ value: { limit: 'keys' } });
    expect(more.ok && more.value.keys).toHaveLength(1000);
  });

  it('stops at 100,000 files, and reports that', async () => {
    const platform = createFakePlatform();
    const walk = async function* () {
      for (let number = 0; ; number++) yield { kind: 'file' as const, path: `/${number}` };
    };
    const readFile = async () => ({ kind: 'read' as const });
    Object.assign(platform, { files: { ...platform.files, walk, readFile } });
    const { client } = await startTestClient(platform);
    expect(await client.scanForKeys({ paths: ['/'] })).toMatchObject({ value: { limit: 'files', files: 100_000 } });
  });

  it('reports its progress, and can be canceled by its signal, by the command and by the next scan', async () => {
    const { client } = await startWithFiles({ '/a/1': utf8(apiKey), '/a/2': utf8(apiKey) });
    const progress: KeyScanProgress[] = [];
    const canceled = { ok: false, failure: { code: 'CANCELED' } };
    const controller = new AbortController();
    const first = client.scanForKeys(
      { paths: ['/a'] },
      {
        signal: controller.signal,
        onProgress: (each) => {
          progress.push(each);
          controller.abort();
        },
      },
    );
    expect(client.getState().keyScan).toMatchObject({ kind: 'scanning', files: 0 });
    expect(await first).toMatchObject(canceled);
    expect(progress).toEqual([{ files: 0, bytes: apiKey.length, found: 0, file: '/a/1' }]);
    expect(client.getState().keyScan).toEqual({ kind: 'idle' });

    const second = client.scanForKeys({ paths: ['/a'] });
    const third = client.scanForKeys({ paths: ['/a'] });
    expect(await second).toMatchObject(canceled);
    expect(await third).toMatchObject({ ok: true });

    const fourth = client.scanForKeys({ paths: ['/a'] });
    await client.cancelKeyScan();
    expect(await fourth).toMatchObject(canceled);
  });

  it('shows its progress at most ten times a second, and tells subscribers', async () => {
    const platform = createFakePlatform();
    const { client } = await startTestClient(platform);
    expect(client.getState().keyScan).toEqual({ kind: 'idle' });
    const progress: number[] = [];
    const shown: unknown[] = [];
    const pieces = (async function* () {
      for (const waitMs of [0, 0, 99, 1, 0]) {
        await platform.clock.advance(waitMs);
        yield utf8('a');
        shown.push(client.getState().keyScan);
      }
    })();
    const states: string[] = [];
    client.subscribe(({ keyScan }) => states.push(keyScan.kind));
    await client.scanForKeys({ bytes: pieces }, { onProgress: ({ bytes }) => progress.push(bytes) });
    expect(progress).toEqual([1, 4]);
    const scanning = { kind: 'scanning', files: 0, found: 0, file: null };
    expect(shown.slice(0, 3)).toEqual([1, 1, 1].map((bytes) => ({ ...scanning, bytes })));
    expect(shown.slice(3, 4)).toEqual([{ ...scanning, bytes: 4 }]);
    await platform.clock.advance(0);
    expect(states.at(-1)).toBe('done');
  });

  it('does not begin if its signal is already aborted', async () => {
    const { client } = await startWithFiles({ '/a': utf8(apiKey) });
    const failure = { code: 'CANCELED', message: 'The scan was canceled.' };
    expect(await client.scanForKeys({ paths: ['/a'] }, { signal: AbortSignal.abort() })).toMatchObject({ failure });
    expect(client.getState().keyScan).toEqual({ kind: 'idle' });
  });

  it('is not canceled by the signal of an earlier one, which is let go when that ends', async () => {
    const { client } = await startWithFiles({ '/a': utf8(apiKey) });
    const controller = new AbortController();
    const earlier = client.scanForKeys({ paths: ['/a'] }, { signal: controller.signal });
    const later = client.scanForKeys({ paths: ['/a'] });
    controller.abort();
    expect(await earlier).toMatchObject({ failure: { code: 'CANCELED' } });
    expect(await later).toMatchObject({ ok: true });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('that ends as the next one begins does not end that one', async () => {
    const { client } = await startTestClient();
    for (let turns = 0; turns < 20; turns++) {
      const earlier = client.scanForKeys({ text: apiKey });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      expect(await client.scanForKeys({ text: otherKey })).toMatchObject({ ok: true });
      await earlier;
      expect(client.getState().keyScan).toMatchObject({ kind: 'done', keys: [{ preview: 'svc_live_ZyXw' }] });
    }
  });

  it('can be canceled even if the disk never responds', async () => {
    const platform = createFakePlatform();
    const readFile = () => new Promise<never>(() => {});
    Object.assign(platform, { files: { ...platform.files, readFile } });
    platform.contents.set('/a', utf8(apiKey));
    const { client } = await startTestClient(platform);
    const scan = client.scanForKeys({ paths: ['/a'] });
    await client.cancelKeyScan();
    expect(await scan).toMatchObject({ failure: { code: 'CANCELED' } });
    const superseded = client.scanForKeys({ paths: ['/a'] });
    expect(await client.scanForKeys({ text: '' })).toMatchObject({ ok: true });
    expect(await superseded).toMatchObject({ failure: { code: 'CANCELED' } });
  });

  it('of 100 MB without a key takes little memory', async () => {
    const { client } = await startTestClient();
    const piece = utf8(
      '2026-03-03 09:00:00 INFO svc_live_ is a prefix, SVC-0000 too; nothing else here\n'.repeat(3000),
    );
    const pieces = Math.ceil(100_000_000 / piece.length);
    let highest = 0;
    const before = process.memoryUsage().rss;
    const bytes = (async function* () {
      for (let number = 0; number < pieces; number++) {
        if (number % 20 === 0) highest = Math.max(highest, process.memoryUsage().rss);
        yield piece;
      }
    })();
    expect(await client.scanForKeys({ bytes })).toMatchObject({ value: { keys: [], bytes: pieces * piece.length } });
    expect(highest - before).toBeLessThan(80_000_000);
  });
});

describe('reporting a key that was found', () => {
  it('sends only that key, marks every occurrence, and checks the user’s own key', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /metrics/api-key/report', { json: { success: true } });
    const scanned = await client.scanForKeys({ text: `${apiKey}\n${otherKey}\n${apiKey}` });
    const [first] = scanned.ok ? scanned.value.keys : [];
    const asked = platform.http.to('/metrics/api-key/status').length;
    expect(await client.reportLeakedKey({ id: first?.id ?? 0 })).toEqual({ ok: true, value: null });
    const sent = platform.http.to('/metrics/api-key/report').map(({ body }) => JSON.parse(body ?? ''));
    expect(sent).toEqual([{ api_key: apiKey }]);
    expect(client.getState().keyScan).toMatchObject({
      keys: [{ reported: true }, { reported: false }, { reported: true }],
    });
    expect(platform.http.to('/metrics/api-key/status')).toHaveLength(asked + 1);
    expect(client.getState().activity[0]).toMatchObject({ kind: 'leaked-key-reported', detail: 'svc_live_AbCd' });
    expect(JSON.stringify([client.getState(), platform.logged, platform.secrets.writes])).not.toContain(apiKey);
  });

  it('works without anybody signed in, and fails if the server does not support it', async () => {
    const { client, platform } = await startTestClient();
    const scanned = await client.scanForKeys({ text: apiKey });
    const id = scanned.ok ? (scanned.value.keys[0]?.id ?? 0) : 0;
    expect(await client.reportLeakedKey({ id })).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState().keyScan).toMatchObject({ keys: [{ reported: false }] });
    platform.http.on('POST /metrics/api-key/report', { json: { success: true } });
    expect(await client.reportLeakedKey({ id })).toMatchObject({ ok: true });
    expect(platform.http.to('/metrics/api-key/status')).toEqual([]);
  });

  it('marks nothing if a scan without results has begun before the answer', async () => {
    const { client, platform } = await startTestClient();
    const scanned = await client.scanForKeys({ text: apiKey });
    const id = scanned.ok ? (scanned.value.keys[0]?.id ?? 0) : 0;
    const release = platform.http.hold('POST /metrics/api-key/report');
    const reporting = client.reportLeakedKey({ id });
    await expect.poll(() => platform.http.to('/metrics/api-key/report')).toHaveLength(1);
    const readFile = () => new Promise<never>(() => {});
    Object.assign(platform.files, { readFile });
    platform.contents.set('/a', utf8(apiKey));
    void client.scanForKeys({ paths: ['/a'] });
    release({ json: { success: true } });
    expect(await reporting).toEqual({ ok: true, value: null });
    expect(client.getState().keyScan).toMatchObject({ kind: 'scanning', found: 0 });
  });

  it('is not possible for a license key or a key of an earlier scan', async () => {
    const { client, platform } = await startTestClient();
    const earlier = await client.scanForKeys({ text: apiKey });
    const later = await client.scanForKeys({ text: licenseKey });
    for (const scanned of [earlier, later]) {
      const id = scanned.ok ? (scanned.value.keys[0]?.id ?? 0) : 0;
      const message = 'The last scan found no API key of this number.';
      expect(await client.reportLeakedKey({ id })).toMatchObject({ failure: { code: 'NOT_FOUND', message } });
    }
    expect(platform.http.to('/metrics/api-key/report')).toEqual([]);
  });

  it('is no longer possible after the session, and the next user sees none of it', async () => {
    const { client } = await startActivated();
    await client.scanForKeys({ text: apiKey });
    await client.signOut({ allDevices: false });
    expect(client.getState().keyScan).toEqual({ kind: 'idle' });
  });
});
