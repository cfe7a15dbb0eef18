/** Verifying an installer: the results, the progress, and every failure. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../electron/licensing/platform.ts';
import { systemFiles } from '../../../electron/platform/files.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startSignedIn, startTestClient } from './start-client.ts';

const content = new Uint8Array(4096).fill(7);
const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`;
const path = '/home/ada/Downloads/latchkey-4.2.0.AppImage';

async function startWithFile() {
  const testClient = await startTestClient();
  testClient.platform.contents.set(path, content);
  const publish = (hashes: Record<string, string>) =>
    testClient.platform.http.on('GET /binary-hash', {
      json: { version: '4.2.0', hashes, updated_at: '2026-03-03T09:00:00.000Z' },
    });
  return { ...testClient, publish };
}

type HashOptions = Parameters<Files['hashFile']>[1];

/** Starts a client whose file is hashed step by step, by the test. */
async function startHashing() {
  const fake = createFakePlatform();
  const hashing: (HashOptions & { finish(sha256: string): void })[] = [];
  const hashFile: Files['hashFile'] = (_path, options) =>
    new Promise((resolve) => {
      const finish = (sha256: string) => resolve({ kind: 'hashed', sha256, bytes: content.length });
      hashing.push({ ...options, finish });
    });
  const testClient = await startTestClient({ ...fake, files: { ...fake.files, hashFile } });
  fake.http.on('GET /binary-hash', {
    json: { version: '4.2.0', hashes: { linux_amd64: hash }, updated_at: '2026-03-03T09:00:00.000Z' },
  });
  const verify = async () => {
    const done = testClient.client.verifyInstaller({ path });
    await settle();
    const started = hashing.at(-1);
    if (started === undefined) throw new Error('the file is not being hashed');
    return { done, ...started };
  };
  return { ...testClient, verify };
}

describe('verifying an installer', () => {
  it('shows no result after a start with a stored sign-in', async () => {
    const { restart } = await startSignedIn();
    const { client } = await restart();
    expect(client.getState().installer).toEqual({ kind: 'idle' });
  });

  it('shows how fast it is, and nothing more once it was canceled', async () => {
    const { client, platform, verify } = await startHashing();
    expect(client.getState().installer).toEqual({ kind: 'idle' });
    const { done, onProgress, signal } = await verify();
    const shown: unknown[] = [];
    client.subscribe(({ installer }) => shown.push(installer));
    const progress = { kind: 'verifying', fileName: 'latchkey-4.2.0.AppImage', totalBytes: 4096 };
    onProgress(1, 4096);
    expect(client.getState().installer).toEqual({ ...progress, doneBytes: 1, bytesPerSecond: 0 });
    await platform.clock.advance(2000);
    onProgress(3000, 4096);
    await platform.clock.advance(1000);
    expect(shown.at(-1)).toEqual({ ...progress, doneBytes: 3000, bytesPerSecond: 1500 });
    await client.cancelVerification();
    expect(signal.aborted).toBe(true);
    onProgress(4000, 4096);
    expect(client.getState().installer).toEqual({ kind: 'idle' });
    expect(await done).toMatchObject({ failure: { code: 'CANCELED', message: expect.stringMatching(/canceled/) } });
  });

  it('compares a hash however the platform writes it', async () => {
    const { client, platform, verify } = await startHashing();
    const upperCase = await verify();
    upperCase.finish(hash.slice('sha256:'.length).toUpperCase());
    expect(await upperCase.done).toMatchObject({ ok: true });
    expect(client.getState().installer).toMatchObject({ kind: 'genuine', hash });
    platform.http.on('GET /binary-hash/unknown', { json: { known: false } });
    const malformed = await verify();
    malformed.finish('unknown');
    await malformed.done;
    expect(client.getState().installer).toMatchObject({ kind: 'not-genuine', hash: 'sha256:unknown' });
  });

  it('is canceled by a second one, and while the server looks for earlier versions', async () => {
    const { client, platform, verify } = await startHashing();
    const canceled = { ok: false, failure: { code: 'CANCELED' } };
    const first = await verify();
    const second = await verify();
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
    expect(await first.done).toMatchObject(canceled);
    expect(client.getState().installer.kind).toBe('verifying');
    second.finish('0'.repeat(64));
    platform.http.on(`GET /binary-hash/${'0'.repeat(64)}`, () => new Promise<never>(() => {}));
    await settle();
    await client.cancelVerification();
    expect(await second.done).toMatchObject(canceled);
    expect(client.getState().installer).toEqual({ kind: 'idle' });
  });

  it('keeps its result when it is canceled afterwards', async () => {
    const { client, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    await client.verifyInstaller({ path });
    await client.cancelVerification();
    expect(client.getState().installer.kind).toBe('genuine');
  });

  it('is canceled by a sign-out, and its result is forgotten', async () => {
    const { client, platform } = await startSignedIn();
    platform.contents.set(path, content);
    platform.http.on('GET /binary-hash', () => new Promise<never>(() => {}));
    const done = client.verifyInstaller({ path });
    await settle();
    await client.signOut({ allDevices: false });
    expect(await done).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(client.getState().installer).toEqual({ kind: 'idle' });
  });

  it('recognizes it as genuine, and reports its platform and version', async () => {
    const { client, publish } = await startWithFile();
    publish({ windows_x64: `sha256:${'0'.repeat(64)}`, linux_amd64: hash });
    expect(await client.verifyInstaller({ path })).toEqual({ ok: true, value: null });
    expect(client.getState().installer).toMatchObject({
      kind: 'genuine',
      fileName: 'latchkey-4.2.0.AppImage',
      version: '4.2.0',
      platform: 'linux_amd64',
      hash,
    });
    expect(client.getState().activity[0]).toMatchObject({ kind: 'installer-genuine' });
  });

  it('detects a single changed byte', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    platform.contents.set(path, content.with(100, 8));
    expect(await client.verifyInstaller({ path: path.replaceAll('/', '\\') })).toMatchObject({ ok: false });
    await client.verifyInstaller({ path });
    expect(client.getState().installer).toMatchObject({ kind: 'not-genuine', version: '4.2.0' });
    expect(client.getState().activity[0]).toMatchObject({ kind: 'installer-not-genuine' });
  });

  it('recognizes a file of an earlier version as genuine, and names the published version', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ linux_amd64: `sha256:${'0'.repeat(64)}` });
    platform.http.on(`GET /binary-hash/${hash.slice('sha256:'.length)}`, {
      json: { known: true, version: '4.1.0', platform: 'linux_amd64', published_at: '2026-01-03T09:00:00.000Z' },
    });
    expect(await client.verifyInstaller({ path })).toEqual({ ok: true, value: null });
    expect(client.getState().installer).toMatchObject({
      kind: 'genuine',
      version: '4.1.0',
      newerVersion: '4.2.0',
      platform: 'linux_amd64',
    });
    platform.http.on(`GET /binary-hash/${hash.slice('sha256:'.length)}`, {
      json: { known: true, version: '4.2.0', platform: 'linux_amd64', published_at: '2026-01-03T09:00:00.000Z' },
    });
    await client.verifyInstaller({ path });
    expect(client.getState().installer).toMatchObject({ kind: 'genuine', version: '4.2.0', newerVersion: null });
  });

  it('reports whether the server knows earlier versions if the file is none of the published ones', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ linux_amd64: `sha256:${'0'.repeat(64)}` });
    await client.verifyInstaller({ path });
    expect(client.getState().installer).toMatchObject({ kind: 'not-genuine', version: '4.2.0', earlierKnown: false });
    platform.http.on(`GET /binary-hash/${hash.slice('sha256:'.length)}`, { json: { known: false } });
    await client.verifyInstaller({ path });
    expect(client.getState().installer).toMatchObject({ kind: 'not-genuine', earlierKnown: true });
  });

  it('reports nothing about the file while the server cannot tell', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ linux_amd64: `sha256:${'0'.repeat(64)}` });
    platform.http.on(`GET /binary-hash/${hash.slice('sha256:'.length)}`, { fails: 'timeout' });
    const done = client.verifyInstaller({ path });
    await platform.clock.advance(5000);
    expect(await done).toMatchObject({ ok: false, failure: { code: 'SERVER_UNREACHABLE' } });
    expect(client.getState().installer.kind).toBe('failed');
  });

  it('fails if nothing is published', async () => {
    const { client } = await startWithFile();
    expect(await client.verifyInstaller({ path })).toMatchObject({
      ok: false,
      failure: { code: 'INSTALLER_NOT_PUBLISHED', message: 'The server publishes no installer hashes.' },
    });
    expect(client.getState().installer.kind).toBe('not-published');
  });

  it('fails if the server cannot be reached, and reports nothing about the file', async () => {
    const { client, platform } = await startWithFile();
    platform.http.on('GET /binary-hash', { fails: 'timeout' });
    const done = client.verifyInstaller({ path });
    await platform.clock.advance(1000);
    expect(await done).toMatchObject({ ok: false, failure: { code: 'SERVER_UNREACHABLE' } });
    expect(client.getState().installer.kind).toBe('failed');
  });

  it('fails if the file cannot be read', async () => {
    const { client, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    const done = await client.verifyInstaller({ path: '/nowhere' });
    expect(done).toMatchObject({
      ok: false,
      failure: { code: 'FILE_UNREADABLE', message: 'The file cannot be read.' },
    });
    expect(done).toMatchObject({ failure: { fileProblem: 'missing' } });
    expect(JSON.stringify(done)).not.toContain('ENOENT');
  });

  it('says that a network share does not respond, where Windows says that the file is missing', async () => {
    const { client, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    const done = await client.verifyInstaller({ path: String.raw`\\files\setup\latchkey.exe` });
    expect(done).toMatchObject({ failure: { code: 'FILE_UNREADABLE', fileProblem: 'unreachable' } });
  });

  it('shows its progress and can be canceled', async () => {
    const { client, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    const done = client.verifyInstaller({ path });
    expect(client.getState().installer).toMatchObject({
      kind: 'verifying',
      fileName: 'latchkey-4.2.0.AppImage',
      doneBytes: 0,
    });
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(client.getState().installer).toMatchObject({ kind: 'verifying', doneBytes: 2048, totalBytes: 4096 });
    await client.cancelVerification();
    expect(client.getState().installer).toEqual({ kind: 'idle' });
    expect(await done).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(client.getState().installer).toEqual({ kind: 'idle' });
  });

  it('is superseded by a second verification', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ linux_amd64: hash });
    platform.contents.set('/other', content.with(0, 1));
    const first = client.verifyInstaller({ path: '/other' });
    await settle();
    const second = client.verifyInstaller({ path });
    await Promise.all([first, second]);
    expect(client.getState().installer).toMatchObject({ kind: 'genuine', fileName: 'latchkey-4.2.0.AppImage' });
  });

  it('verifies the installer of this installation if it is known', async () => {
    const { client, platform, publish } = await startWithFile();
    publish({ macos_arm64: hash });
    const failure = { code: 'OWN_INSTALLER_UNKNOWN', message: expect.stringMatching(/unknown/) };
    expect(await client.verifyInstallation()).toMatchObject({ ok: false, failure });
    expect(client.getState().installer).toMatchObject({ kind: 'failed', fileName: null, failure });
    platform.contents.set('/own/installer', content);
    expect(await client.verifyInstallation()).toMatchObject({ ok: true });
    expect(client.getState().installer).toMatchObject({ kind: 'genuine', platform: 'macos_arm64' });
  });

  it('can be canceled even if the file or the server never responds', async () => {
    const fake = createFakePlatform();
    const never = new Promise<never>(() => {});
    const platform = { ...fake, files: { ...fake.files, hashFile: () => never } };
    const { client } = await startTestClient(platform);
    for (const reply of [{ json: { version: '4.2.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' } }, never]) {
      platform.http.on('GET /binary-hash', () => reply);
      const done = client.verifyInstaller({ path });
      await settle();
      await client.cancelVerification();
      expect(await done).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
      expect(client.getState().installer).toEqual({ kind: 'idle' });
    }
  });

  it.skipIf(process.platform === 'win32')('rejects pipes and folders immediately, and still reads files', async () => {
    const fake = createFakePlatform();
    const platform = { ...fake, files: systemFiles };
    const { client } = await startTestClient(platform);
    const file = join(temporaryFolder(), 'latchkey.AppImage');
    writeFileSync(file, content);
    platform.http.on('GET /binary-hash', {
      json: { version: '4.2.0', hashes: { linux_amd64: hash }, updated_at: '2026-03-03T09:00:00.000Z' },
    });
    for (const other of [createPipe(), createPipe(), createPipe(), createPipe(), '/dev/null', temporaryFolder()]) {
      const done = await client.verifyInstaller({ path: other });
      const failure = { code: 'NOT_A_FILE', message: 'This is a folder or a device, not a file.' };
      expect(done).toMatchObject({ ok: false, failure });
    }
    expect(await client.verifyInstaller({ path: file })).toEqual({ ok: true, value: null });
    expect(client.getState().installer.kind).toBe('genuine');
  });
});
