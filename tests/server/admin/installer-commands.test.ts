/**
 * `admin installer`: files are hashed, the hashes of a version are kept together, and a running server uses them at
 * once.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../harness/admin.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { timestamp } from '../../harness/response-shapes.ts';
import { expectDocument, temporaryFolder } from '../../harness/test-admin.ts';

const server = sharedHttpServer();
const hashOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const hash = `sha256:${'0a'.repeat(32)}`;

describe('installer publish', () => {
  it('prints what /binary-hash returns from then on', async () => {
    const printed = expectDocument(
      await server.run(['installer', 'publish', '2.0.0', '--windows-x64', hash, '--json']),
    );
    expect(printed).toMatchObject({ version: '2.0.0', hashes: { windows_x64: hash }, updated_at: timestamp });
    expect((await server.call('installerHashes')).body).toMatchObject(printed);
  });

  it('hashes a file', async () => {
    const file = join(server.dataFolder, 'empty installer');
    writeFileSync(file, '');
    const printed = expectDocument(
      await server.run(['installer', 'publish', '2.1.0', '--linux-amd64', file, '--json']),
    );
    const ofNothing = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(printed).toMatchObject({ hashes: { linux_amd64: ofNothing } });
  });

  it('fails if the file cannot be read, and publishes nothing', async () => {
    await server.admin('installer', 'clear');
    const missing = join(server.dataFolder, 'missing');
    for (const file of [missing, server.dataFolder]) {
      const { stderr } = await server.run(['installer', 'publish', '2.2.0', '--linux-amd64', file, '--json']);
      expect(JSON.parse(stderr)).toStrictEqual({ error: expect.stringContaining(file), code: 'NOT_FOUND' });
    }
    expect((await server.call('installerHashes')).status).toBe(404);
  });
});

describe('installer publish of several platforms', () => {
  it('keeps the other platforms of the same version, and drops those of another version', async () => {
    await server.admin('installer', 'clear');
    const file = join(server.dataFolder, 'Latchkey 1.0.AppImage');
    writeFileSync(file, 'an installer');
    expect(await server.admin('installer', 'publish', '1.0.0', '--linux-amd64', file)).toStrictEqual({
      version: '1.0.0',
      hashes: { linux_amd64: hashOf('an installer') },
      updated_at: timestamp,
    });
    const upper = hashOf('exe').toUpperCase().replace('SHA', 'sha');
    expect((await server.admin('installer', 'publish', '1.0.0', '--windows-x64', upper)).hashes).toStrictEqual({
      windows_x64: hashOf('exe'),
      linux_amd64: hashOf('an installer'),
    });
    const next = await server.admin('installer', 'publish', '1.1.0', '--macos-arm64', hashOf('dmg'));
    expect(next).toMatchObject({ version: '1.1.0' });
    expect(next.hashes).toStrictEqual({ macos_arm64: hashOf('dmg') });
  });
});

describe('a relative file name', () => {
  it('is resolved from the folder where the command is run, even through npm', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'setup.exe'), 'relative');
    const words = ['installer', 'publish', '1.0.0', '--windows-x64', 'setup.exe', '--json'];
    const settings = { LATCHKEY_DATA: join(folder, 'data') };
    const direct = await runScript('server/admin/admin.ts', words, { settings, cwd: folder });
    expect(JSON.parse(direct.stdout).hashes).toEqual({ windows_x64: hashOf('relative') });

    const byNpm = { ...settings, npm_lifecycle_event: 'admin', INIT_CWD: folder };
    const moved = await runScript('server/admin/admin.ts', words, { settings: byNpm });
    expect(JSON.parse(moved.stdout).hashes).toEqual({ windows_x64: hashOf('relative') });
  });
});

describe('installer clear', () => {
  it('prints a document, and can be repeated', async () => {
    const cleared = expectDocument(await server.run(['installer', 'clear', '--json']));
    expect(cleared).toStrictEqual({ version: null, hashes: {}, updated_at: null });
    expectDocument(await server.run(['installer', 'clear', '--json']));
    expect((await server.call('installerHashes')).status).toBe(404);
  });
});
