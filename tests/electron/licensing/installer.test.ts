/** Verifying an installer: the results, the progress, and every failure. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemFiles } from '../../../electron/platform/files.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startTestClient } from './start-client.ts';

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

describe('verifying an installer', () => {
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
      failure: { code: 'INSTALLER_NOT_PUBLISHED' },
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
    expect(done).toMatchObject({ ok: false, failure: { code: 'FILE_UNREADABLE', fileProblem: 'missing' } });
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
    expect(await client.verifyInstallation()).toMatchObject({ ok: false, failure: { code: 'OWN_INSTALLER_UNKNOWN' } });
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
      expect(done).toMatchObject({ ok: false, failure: { code: 'NOT_A_FILE' } });
    }
    expect(await client.verifyInstaller({ path: file })).toEqual({ ok: true, value: null });
    expect(client.getState().installer.kind).toBe('genuine');
  });
});
