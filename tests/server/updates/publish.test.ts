/**
 * `installer publish --feed`, `rollout` and `withdraw`: what the channels offer after each, and what changes nothing.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { readPublisherKeys } from '../../../server/own-package.ts';
import { UpdateFeedService } from '../../../server/updates/update-feed.service.ts';
import { UpdateFiles } from '../../../server/updates/update-files.ts';
import { hour } from '../../harness/fake-clock.ts';
import { newPublisherKey, writeManifest, writeReleaseFile } from '../../harness/releases.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp, type TestApp } from '../../harness/start-app.ts';
import { createAdmin, expectFailure } from '../../harness/test-admin.ts';
import { isoFromNow } from '../../harness/users.ts';

const server = sharedApp();

beforeEach(async () => {
  for (const { version } of await server.services.updateFeed.list())
    await server.admin('installer', 'withdraw', version);
  await server.admin('installer', 'clear');
  server.clock.advance(hour);
});

const write = (version: string, name: string, content = `${name} ${version}`) =>
  writeReleaseFile(server.dataFolder, version, name, content);
const publish = (version: string, ...words: string[]) =>
  server.admin('installer', 'publish', version, '--feed', ...words);
const get = async (name: string) => {
  const { status, text } = await server.request('GET', `/updates/${name}`);
  return status === 200 ? text : status;
};
const exe = (version: string) => ['--windows-x64', write(version, `Latchkey-${version}.exe`)] as const;
const offered = async (channel = 'latest.yml') => /^version: (.*)$/m.exec(String(await get(channel)))?.[1];
const binaryHash = async () => (await server.call('installerHashes')).body;
/** Returns every file of the folder and every channel. */
async function everything() {
  const channels = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml', 'manifest.jws'];
  const texts = await Promise.all(channels.map(get));
  return { texts, hashes: await binaryHash(), files: readdirSync(join(server.dataFolder, 'updates')).sort() };
}

const nothing = [404, 404, 404, 404, 404];

describe('a server without an update', () => {
  it('answers 404 with the error envelope', async () => {
    for (const name of ['latest.yml', 'latest-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml', 'manifest.jws']) {
      const { status, body } = await server.request('GET', `/updates/${name}`);
      expect([status, body]).toEqual([404, envelope('NOT_FOUND')]);
    }
  });

  it('does so even if hashes are published', async () => {
    await server.admin('installer', 'publish', '1.0.0', '--windows-x64', `sha256:${'ab'.repeat(32)}`);
    expect(await get('latest.yml')).toBe(404);
  });
});

describe('a published version', () => {
  it('is offered by the channel of each of its platforms', async () => {
    const appImage = Buffer.concat([Buffer.from('ELF'), withBlockMap('{"version":"2","files":[]}')]);
    const linux = writeReleaseFile(server.dataFolder, '1.0.0', 'Latchkey.AppImage', appImage);
    const printed = await publish(
      '1.0.0',
      ...['--windows-x64', write('1.0.0', 'Latchkey Setup 1.0.0.exe')],
      ...['--macos-arm64', write('1.0.0', 'Latchkey.dmg'), '--macos-zip', write('1.0.0', 'Latchkey.zip')],
      ...['--linux-amd64', linux, '--linux-deb', write('1.0.0', 'latchkey.deb')],
      ...['--linux-arm64', write('1.0.0', 'Latchkey-arm64.AppImage')],
      ...['--blockmap', write('1.0.0', 'Latchkey.zip.blockmap')],
      ...['--blockmap', write('1.0.0', 'Latchkey Setup 1.0.0.exe.blockmap')],
    );
    const file = (name: string) => ({
      name,
      bytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sha512: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
    });
    expect(printed).toStrictEqual({
      version: '1.0.0',
      hashes: (await binaryHash()).hashes,
      updated_at: timestamp,
      feed: {
        files: [
          file('Latchkey Setup 1.0.0.exe'),
          file('Latchkey.zip'),
          file('Latchkey.dmg'),
          file('Latchkey.AppImage'),
          file('latchkey.deb'),
          file('Latchkey-arm64.AppImage'),
          file('Latchkey Setup 1.0.0.exe.blockmap'),
          file('Latchkey.zip.blockmap'),
        ],
        percent: 100,
        manifest: false,
      },
    });
    const urls = async (channel: string) =>
      [...String(await get(channel)).matchAll(/url: (.*)/g)].map(([, url]) => url);
    expect(await urls('latest.yml')).toEqual(['1.0.0/Latchkey%20Setup%201.0.0.exe']);
    expect(await urls('latest-mac.yml')).toEqual(['1.0.0/Latchkey.zip', '1.0.0/Latchkey.dmg']);
    expect(await urls('latest-linux.yml')).toEqual(['1.0.0/Latchkey.AppImage', '1.0.0/latchkey.deb']);
    expect(await urls('latest-linux-arm64.yml')).toEqual(['1.0.0/Latchkey-arm64.AppImage']);
    expect(await get('latest-linux.yml')).toContain(`blockMapSize: ${appImage.length - 3 - 4}\n`);
    expect(await get('latest-mac.yml')).not.toContain('blockMapSize');
    expect(await get('1.0.0/Latchkey.zip.blockmap')).toBe('Latchkey.zip.blockmap 1.0.0');
  });

  it('keeps its existing files when more are published later', async () => {
    await publish('1.0.0', ...exe('1.0.0'), '--percent', '30');
    await publish('1.0.0', '--macos-zip', write('1.0.0', 'Latchkey.zip'));
    expect(await publish('1.0.0', ...exe('1.0.0'))).toMatchObject({ feed: { percent: 30, files: [{}, {}] } });
    expect([await offered(), await offered('latest-mac.yml')]).toEqual(['1.0.0', '1.0.0']);
  });

  it('leaves platforms that it lacks at the previous version', async () => {
    await publish('1.0.0', ...exe('1.0.0'), '--macos-zip', write('1.0.0', 'Latchkey.zip'));
    await publish('1.1.0', ...exe('1.1.0'));
    expect([await offered(), await offered('latest-mac.yml')]).toEqual(['1.1.0', '1.0.0']);
    expect(await get('1.0.0/Latchkey-1.0.0.exe')).toBe('Latchkey-1.0.0.exe 1.0.0');
  });

  it('is not offered if its file is missing, until it is published again', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    const { feed } = await publish('1.1.0', ...exe('1.1.0'));
    const [{ sha256 = '' } = {}] = (feed as { files: { sha256?: string }[] }).files;
    rmSync(join(server.dataFolder, 'updates', sha256));
    expect(await offered()).toBe('1.0.0');
    await publish('1.1.0', ...exe('1.1.0'));
    expect([await offered(), await get('1.1.0/Latchkey-1.1.0.exe')]).toEqual(['1.1.0', 'Latchkey-1.1.0.exe 1.1.0']);
  });

  it('remains the one of /binary-hash if an older one is published again', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    await publish('1.1.0', ...exe('1.1.0'));
    await publish('1.0.0', ...exe('1.0.0'));
    expect([await offered(), (await binaryHash()).version]).toEqual(['1.1.0', '1.1.0']);
  });

  it('has a channel file with an ETag that caches must revalidate', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    const { headers } = await server.request('GET', '/updates/latest.yml?noCache=1f');
    expect(headers.get('cache-control')).toBe('no-cache');
    const etag = headers.get('etag') ?? '';
    const again = await server.request('GET', '/updates/latest.yml', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await server.request('HEAD', '/updates/latest.yml');
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      headers.get('content-length'),
    ]);
    await publish('1.1.0', ...exe('1.1.0'));
    expect((await server.request('GET', '/updates/latest.yml', { headers: { 'if-none-match': etag } })).status).toBe(
      200,
    );
  });

  it('is recorded once in the audit log', async () => {
    await publish('1.0.0', ...exe('1.0.0'), '--percent', '5');
    const { rows } = await server.services.auditList.readPage({ action: 'installer.publish' }, { limit: 2 });
    const hash = expect.stringMatching(/^sha256:/);
    const details = { feed: true, percent: 5, manifest: false, 'Latchkey-1.0.0.exe': hash };
    expect(rows[0]).toMatchObject({ at: isoFromNow(server, 0), target: 'installer 1.0.0', details });
    expect(rows[1]?.at).not.toBe(isoFromNow(server, 0));
  });

  it('removes the oldest version if there are ten others', async () => {
    for (let minor = 0; minor < 12; minor++) await publish(`1.${minor}.0`, ...exe(`1.${minor}.0`));
    expect(await get('1.1.0/Latchkey-1.1.0.exe')).toBe(404);
    expect(await get('1.2.0/Latchkey-1.2.0.exe')).toBe('Latchkey-1.2.0.exe 1.2.0');
    expect(readdirSync(join(server.dataFolder, 'updates'))).toHaveLength(10);
  });
});

describe('publishing is refused and changes nothing', () => {
  beforeEach(async () => {
    await publish('1.1.0', ...exe('1.1.0'), '--blockmap', write('1.1.0', 'Latchkey-1.1.0.exe.blockmap'));
  });

  it.each<[string, string, (at: TestApp) => string[], string]>([
    ['an older version', '1.0.9', () => [...exe('1.0.9')], 'CONFLICT'],
    ['a pre-release of the same', '1.1.0-beta.1', () => [...exe('1.1.0-beta.1')], 'CONFLICT'],
    ['another build of the same', '1.1.0+2', () => [...exe('1.1.0+2')], 'CONFLICT'],
    [
      'another file of that name',
      '1.1.0',
      () => ['--windows-x64', write('1.1.0', 'Latchkey-1.1.0.exe', 'x')],
      'CONFLICT',
    ],
    ['another file of that platform', '1.1.0', () => ['--windows-x64', write('1.1.0', 'b.exe')], 'CONFLICT'],
    [
      'that name for another platform',
      '1.1.0',
      () => ['--linux-deb', write('1.1.0', 'Latchkey-1.1.0.exe')],
      'CONFLICT',
    ],
    ['no version', '1.2', () => [...exe('1.2')], 'VALIDATION_ERROR'],
    ['a version with a v', 'v1.2.0', () => [...exe('v1.2.0')], 'VALIDATION_ERROR'],
    ['an empty file', '1.2.0', () => ['--windows-x64', write('1.2.0', 'a.exe', '')], 'VALIDATION_ERROR'],
    ['a hidden file', '1.2.0', () => ['--windows-x64', write('1.2.0', '.a.exe')], 'VALIDATION_ERROR'],
    ['a name with a line break', '1.2.0', () => ['--windows-x64', write('1.2.0', 'a\nb.exe')], 'VALIDATION_ERROR'],
    ['a block map alone', '1.2.0', () => ['--blockmap', write('1.2.0', 'a.exe.blockmap')], 'VALIDATION_ERROR'],
    ['a missing file', '1.2.0', ({ dataFolder }) => ['--windows-x64', join(dataFolder, 'missing.exe')], 'NOT_FOUND'],
    ['a folder', '1.2.0', ({ dataFolder }) => ['--windows-x64', dataFolder], 'NOT_FOUND'],
    ['one good file and a missing one', '1.2.0', () => [...exe('1.2.0'), '--linux-deb', '/missing.deb'], 'NOT_FOUND'],
    ['a missing manifest', '1.2.0', () => [...exe('1.2.0'), '--manifest', '/missing.jws'], 'NOT_FOUND'],
    [
      'two files of one name',
      '1.2.0',
      () => [...exe('1.2.0'), '--linux-deb', write('x', 'Latchkey-1.2.0.exe')],
      'VALIDATION_ERROR',
    ],
  ])('for %s', async (_, version, words, code) => {
    const before = await everything();
    await expect(publish(version, ...words(server))).rejects.toMatchObject({ code });
    expect(await everything()).toStrictEqual(before);
  });
});

describe('the manifest', () => {
  it('is served as it was signed, and provides the release date', async () => {
    const [option, file] = exe('1.0.0');
    const manifest = await writeManifest('1.0.0', [file], { releasedAtMs: Date.UTC(2026, 1, 3) });
    expect(await publish('1.0.0', option, file, '--manifest', manifest)).toMatchObject({ feed: { manifest: true } });
    expect(await get('manifest.jws')).toBe(readFileSync(manifest, 'utf8').trim());
    expect(await get('latest.yml')).toContain("releaseDate: '2026-02-03T00:00:00.000Z'\n");
  });

  it('of each version is kept next to its files while platforms have no newer version', async () => {
    const zip = write('1.0.0', 'mac-arm64.zip');
    const first = await writeManifest('1.0.0', [zip]);
    await publish('1.0.0', '--macos-zip', zip, '--manifest', first);
    const [option, file] = exe('1.1.0');
    const second = await writeManifest('1.1.0', [file]);
    await publish('1.1.0', option, file, '--manifest', second);
    expect([await offered('latest-mac.yml'), await offered()]).toEqual(['1.0.0', '1.1.0']);
    expect(await get('1.0.0/manifest.jws')).toBe(readFileSync(first, 'utf8').trim());
    expect(await get('1.1.0/manifest.jws')).toBe(await get('manifest.jws'));
    for (const nowhere of ['1.0.1/manifest.jws', '%00/manifest.jws']) expect(await get(nowhere)).toBe(404);
    await server.admin('installer', 'withdraw', '1.0.0');
    expect(await get('1.0.0/manifest.jws')).toBe(404);
  });

  it('has a file name that no other file may use', async () => {
    const file = write('1.0.0', 'manifest.jws');
    await expect(publish('1.0.0', '--windows-x64', file)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await everything()).texts).toEqual(nothing);
  });

  it('may list files that are published later, but must list every published file', async () => {
    const [first, second] = [exe('1.0.0'), ['--macos-zip', write('1.0.0', 'mac-arm64.zip')] as const];
    await publish('1.0.0', ...first, '--manifest', await writeManifest('1.0.0', [first[1], second[1]]));
    await publish('1.0.0', ...second);
    const third = ['--linux-deb', write('1.0.0', 'a.deb')] as const;
    await expect(publish('1.0.0', ...third)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(
      publish('1.0.0', ...third, '--manifest', await writeManifest('1.0.0', [third[1]])),
    ).rejects.toMatchObject({ message: expect.stringContaining('Latchkey-1.0.0.exe') });
    await publish('1.0.0', ...third, '--manifest', await writeManifest('1.0.0', [first[1], second[1], third[1]]));
  });

  it('is required once a previous version had one', async () => {
    const first = exe('1.0.0');
    await publish('1.0.0', ...first, '--manifest', await writeManifest('1.0.0', [first[1]]));
    const before = await everything();
    await expect(publish('1.1.0', ...exe('1.1.0'))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('--manifest'),
    });
    expect(await everything()).toStrictEqual(before);
  });

  it('is refused if it is invalid or for other files, platforms or versions', async () => {
    const [option, file] = exe('1.0.0');
    const other = await writeManifest('1.0.0', [write('other', 'Latchkey-1.0.0.exe', 'another content')]);
    const unlisted = await writeManifest('1.0.0', [write('1.0.0', 'b.exe')]);
    const ofVersion = await writeManifest('1.0.1', [file]);
    const deb = write('1.0.0', 'a.deb');
    const rubbish = write('1.0.0', 'rubbish.jws');
    for (const [source, manifest] of [
      [[option, file], other],
      [[option, file], unlisted],
      [[option, file], ofVersion],
      [[option, file], rubbish],
      [[option, file], file],
      [['--linux-arm64', deb], await writeManifest('1.0.0', [deb])],
    ] as const) {
      await expect(publish('1.0.0', ...source, '--manifest', manifest)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
      expect((await everything()).texts).toEqual(nothing);
    }
  });

  it('is verified and required if the publisher’s keys are configured', async () => {
    const [ours, theirs] = [newPublisherKey(), newPublisherKey()];
    const { database, clock, services, dataFolder } = server;
    const feed = new UpdateFeedService({
      ...{ database, clock, installers: services.installers, auditLog: services.auditLog },
      files: new UpdateFiles(join(dataFolder, 'updates')),
      publisherKeys: { keys: [ours.publicJwk] },
    });
    const [, path] = exe('1.0.0');
    const publishWith = async (manifest: string | undefined) => {
      const text = manifest === undefined ? undefined : readFileSync(manifest, 'utf8').trim();
      const files = [{ kind: 'windows_x64', path }] as const;
      return feed.publish({ version: '1.0.0', files, manifest: text, percent: undefined }, byCommand);
    };
    for (const manifest of [undefined, await writeManifest('1.0.0', [path], { key: theirs })]) {
      await expect(publishWith(manifest)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    await publishWith(await writeManifest('1.0.0', [path], { key: ours }));
    expect(await offered()).toBe('1.0.0');
    expect(readPublisherKeys()).toStrictEqual({ keys: [] });
  });
});

describe('a rollout', () => {
  it('states the share of devices in percent for a version', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    expect(await get('latest.yml')).not.toContain('stagingPercentage');
    for (const percent of [0, 25, 99]) {
      const printed = await server.admin('installer', 'rollout', '1.0.0', '--percent', String(percent));
      expect(printed).toMatchObject({ version: '1.0.0', feed: { percent } });
      expect(await get('latest.yml')).toMatch(new RegExp(`^stagingPercentage: ${percent}\n`, 'm'));
    }
    await server.admin('installer', 'rollout', '1.0.0', '--percent', '100');
    expect(await get('latest.yml')).not.toContain('stagingPercentage');
  });

  it('of a version that is not in the feed answers NOT_FOUND', async () => {
    for (const words of [
      ['rollout', '1.0.0', '--percent', '5'],
      ['withdraw', '1.0.0'],
    ]) {
      expectFailure(await createAdmin().runHere(['installer', ...words, '--json']), 'NOT_FOUND');
    }
  });
});

describe('a withdrawal', () => {
  it('offers the previous version again with its hashes, and removes the withdrawn files', async () => {
    const first = await publish('1.0.0', ...exe('1.0.0'));
    const hashes = await binaryHash();
    const yml = await get('latest.yml');
    server.clock.advance(hour);
    const withdrawn = await publish('1.1.0', ...exe('1.1.0'));
    expect(await server.admin('installer', 'withdraw', '1.1.0')).toStrictEqual(first);
    expect([await get('latest.yml'), await binaryHash()]).toStrictEqual([yml, hashes]);
    expect(await get('1.1.0/Latchkey-1.1.0.exe')).toBe(404);
    expect(readdirSync(join(server.dataFolder, 'updates'))).toHaveLength(1);
    const [sha256 = ''] = Object.values(withdrawn.hashes as Record<string, string>).map((hash) => hash.slice(7));
    expect((await server.call('installerByHash', { at: [sha256] })).body).toStrictEqual({ known: false });
  });

  it('of the only version leaves nothing on offer', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    const printed = await server.admin('installer', 'withdraw', '1.0.0');
    expect(printed).toStrictEqual({ version: null, hashes: {}, updated_at: null, feed: null });
    expect((await everything()).texts).toEqual(nothing);
    expect((await server.call('installerHashes')).status).toBe(404);
  });

  it('of an older version leaves the newest on offer', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    const newest = await publish('1.1.0', ...exe('1.1.0'));
    expect(await server.admin('installer', 'withdraw', '1.0.0')).toStrictEqual(newest);
    expect(await offered()).toBe('1.1.0');
  });

  it('leaves the hashes of a version that was published without the feed', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    await server.admin('installer', 'publish', '2.0.0', '--linux-amd64', `sha256:${'ab'.repeat(32)}`);
    await server.admin('installer', 'withdraw', '1.0.0');
    expect(await binaryHash()).toMatchObject({ version: '2.0.0' });
  });

  it('allows the version to be published again with other files', async () => {
    await publish('1.0.0', ...exe('1.0.0'));
    await server.admin('installer', 'withdraw', '1.0.0');
    await publish('1.0.0', '--windows-x64', write('1.0.0', 'Latchkey-1.0.0.exe', 'corrected'));
    expect(await get('1.0.0/Latchkey-1.0.0.exe')).toBe('corrected');
  });
});

/** Appends a block map, as electron-builder does at the end of an AppImage. */
function withBlockMap(json: string): Buffer {
  const deflated = deflateRawSync(json);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(deflated.length);
  return Buffer.concat([deflated, length]);
}
