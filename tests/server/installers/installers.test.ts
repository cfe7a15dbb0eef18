/** `GET /binary-hash` and what an admin publishes there, with its own form of 404 if nothing is published. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { hour } from '../../harness/fake-clock.ts';
import { sentence, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { isoFromNow } from '../../harness/users.ts';

const server = sharedApp();

const hashOf = (digit: string) => `sha256:${digit.repeat(64)}`;

function publish(version: string, ...parameters: string[]) {
  return server.admin('installer', 'publish', version, ...parameters);
}

async function published() {
  const { status, body } = await server.call('installerHashes');
  expect(status).toBe(200);
  return body;
}

describe('without a published version', () => {
  it('the response is a 404 with exactly error and message', async () => {
    await server.admin('installer', 'clear');
    const { status, body } = await server.call('installerHashes');
    expect(status).toBe(404);
    expect(body).toStrictEqual({ error: sentence, message: sentence });
  });
});

describe('a published version', () => {
  it('is answered with exactly the documented fields', async () => {
    await publish('1.0.0', '--windows-x64', hashOf('a'), '--macos-arm64', hashOf('b'), '--linux-amd64', hashOf('c'));
    expect(await published()).toStrictEqual({
      version: '1.0.0',
      hashes: { windows_x64: hashOf('a'), macos_arm64: hashOf('b'), linux_amd64: hashOf('c') },
      updated_at: timestamp,
    });
  });

  it('has fields and platforms in a fixed order, whatever order they were published in', async () => {
    await publish('1.0.1', '--linux-amd64', hashOf('c'), '--windows-x64', hashOf('a'), '--macos-arm64', hashOf('b'));
    const { text } = await server.call('installerHashes');
    expect(text).toBe(
      JSON.stringify({
        version: '1.0.1',
        hashes: { windows_x64: hashOf('a'), macos_arm64: hashOf('b'), linux_amd64: hashOf('c') },
        updated_at: isoFromNow(server, 0),
      }),
    );
  });

  it('has the SHA-256 of the given file', async () => {
    const file = join(server.dataFolder, 'installer.bin');
    const content = Buffer.alloc(3_000_001, 'latchkey');
    writeFileSync(file, content);
    await publish('1.1.0', '--linux-amd64', file);
    const hex = createHash('sha256').update(content).digest('hex');
    expect((await published()).hashes).toStrictEqual({ linux_amd64: `sha256:${hex}` });
  });

  it('keeps the hashes of its other platforms', async () => {
    await publish('1.2.0', '--windows-x64', hashOf('1'));
    await publish('1.2.0', '--macos-arm64', hashOf('2'));
    await publish('1.2.0', '--windows-x64', hashOf('3'));
    expect(await published()).toMatchObject({
      version: '1.2.0',
      hashes: { windows_x64: hashOf('3'), macos_arm64: hashOf('2') },
    });
  });

  it('drops the hashes of the previous version', async () => {
    await publish('1.3.0', '--windows-x64', hashOf('1'), '--macos-arm64', hashOf('2'));
    await publish('1.4.0', '--linux-amd64', hashOf('3'));
    expect(await published()).toStrictEqual({
      version: '1.4.0',
      hashes: { linux_amd64: hashOf('3') },
      updated_at: timestamp,
    });
  });

  it('says when it was last changed', async () => {
    await publish('1.5.0', '--linux-amd64', hashOf('4'));
    expect((await published()).updated_at).toBe(isoFromNow(server, 0));
    server.clock.advance(hour);
    await publish('1.5.0', '--linux-amd64', hashOf('5'));
    expect((await published()).updated_at).toBe(isoFromNow(server, 0));
  });

  it('has hashes in lower case, however they were given', async () => {
    await publish('1.6.0', '--linux-amd64', `sha256:${'AB'.repeat(32)}`);
    expect((await published()).hashes).toStrictEqual({ linux_amd64: `sha256:${'ab'.repeat(32)}` });
  });

  it('disappears once it is cleared', async () => {
    await publish('1.7.0', '--linux-amd64', hashOf('6'));
    for (const _twice of [1, 2]) await server.admin('installer', 'clear');
    expect((await server.call('installerHashes')).status).toBe(404);
  });

  it('requires no authentication, and ignores an invalid token', async () => {
    await publish('1.8.0', '--linux-amd64', hashOf('7'));
    expect((await server.call('installerHashes', { token: 'rubbish' })).status).toBe(200);
  });
});

describe('publishing', () => {
  it('accepts hex without the prefix', async () => {
    const { hashes } = await server.services.installers.publish('1.9.0', { linux_amd64: 'AB'.repeat(32) }, byCommand);
    expect(hashes.linux_amd64).toBe(`sha256:${'ab'.repeat(32)}`);
  });

  it.each([
    { version: '', hashes: { linux_amd64: hashOf('a') } },
    { version: ' ', hashes: { linux_amd64: hashOf('a') } },
    { version: 'x'.repeat(101), hashes: { linux_amd64: hashOf('a') } },
    { version: '1.0.0', hashes: {} },
    { version: '1.0.0', hashes: { linux_amd64: 'sha256:abc' } },
  ])('answers VALIDATION_ERROR for $version $hashes, and changes nothing', async ({ version, hashes }) => {
    const { installers } = server.services;
    await installers.clear(byCommand);
    await expect(installers.publish(version, hashes, byCommand)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await installers.get()).toBeUndefined();
  });
});

describe('a file of an earlier version', () => {
  const find = async (digit: string) => (await server.call('installerByHash', { at: [digit.repeat(64)] })).body;

  it('stays known after the next version is published', async () => {
    await publish('4.1.0', '--windows-x64', hashOf('1'), '--linux-amd64', hashOf('2'));
    const at = isoFromNow(server, 0);
    server.clock.advance(hour);
    await publish('4.2.0', '--linux-amd64', hashOf('3'));
    expect(await find('1')).toStrictEqual({ known: true, version: '4.1.0', platform: 'windows_x64', published_at: at });
    expect(await find('3')).toMatchObject({ known: true, version: '4.2.0', platform: 'linux_amd64' });
    expect(await find('9')).toStrictEqual({ known: false });
  });

  it('is unknown if its version was withdrawn or the file was replaced', async () => {
    await publish('5.0.0', '--linux-amd64', hashOf('4'));
    await publish('5.0.0', '--linux-amd64', hashOf('5'));
    expect([await find('4'), await find('5')]).toMatchObject([{ known: false }, { known: true }]);
    await server.admin('installer', 'clear');
    expect(await find('5')).toStrictEqual({ known: false });
    expect(await find('3')).toMatchObject({ known: true, version: '4.2.0' });
  });

  it('can only be looked up by its SHA-256 in lower case', async () => {
    for (const sha256 of ['AB'.repeat(32), 'ab', `sha256:${'a'.repeat(64)}`]) {
      const { status, body } = await server.call('installerByHash', { at: [sha256] });
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });
});
