/** What the app reads from an update feed, and whether it takes what is offered. */
import { describe, expect, it } from 'vitest';
import { decideUpdate, findOffered, isNewer, readUpdateChannel } from '../../../electron/licensing/update-offer.ts';
import { type UpdateManifestClaims, updateManifestIssuer } from '../../../shared/update-manifest.ts';

const channelText = `version: 2.0.0
files:
  - url: 2.0.0/Latchkey%202.0.0.AppImage
    sha512: abc
    blockMapSize: 4711
    size: 90000000
  - url: 2.0.0/latchkey.deb
    sha512: def
path: 2.0.0/Latchkey%202.0.0.AppImage
sha512: abc
stagingPercentage: 25
releaseDate: '2026-11-01T00:00:00.000Z'
`;
const files = [
  { path: '2.0.0/Latchkey%202.0.0.AppImage', blockMapBytes: 4711 },
  { path: '2.0.0/latchkey.deb', blockMapBytes: null },
];
const channel = { version: '2.0.0', percent: 25, path: '2.0.0/Latchkey%202.0.0.AppImage', files };

function signed(name: string, platform = 'linux_amd64') {
  return { name, platform, bytes: 1, sha256: 'a'.repeat(64), sha512: `${'A'.repeat(86)}==` };
}

function manifestOf(...of: UpdateManifestClaims['files']): UpdateManifestClaims {
  return { iss: updateManifestIssuer, version: '2.0.0', released_at: 1, files: of, previous: [] };
}

describe('a channel file', () => {
  it('has a version, a percentage, a path and files', () => {
    expect(readUpdateChannel(channelText)).toEqual(channel);
  });

  it('needs only a version: then it is offered to all, and has no files', () => {
    expect(readUpdateChannel('version: 2.0.0')).toEqual({ version: '2.0.0', percent: 100, path: null, files: [] });
  });

  it('is read line by line: neither an indented percentage nor a size inside another field counts', () => {
    const text = channelText
      .replace('stagingPercentage', '  stagingPercentage')
      .replace('sha512: def', 'sha512: def    blockMapSize: 5');
    expect(readUpdateChannel(text)).toEqual({ ...channel, percent: 100 });
  });

  it.each([
    '',
    'no version',
    'version: v2',
    'version: 2.0.0 beta',
    ' version: 2.0.0',
    `version: 2.0.0-${'x'.repeat(95)}`,
  ])('without a valid version is none: %j', (text) => expect(readUpdateChannel(text)).toBeNull());

  it.each([
    ['0', 0],
    ['100', 100],
    ['101', 100],
    ['999', 100],
    ['1000', 100],
    ['-1', 100],
    ['12.5', 100],
  ])('with the percentage %s is offered to %i %%', (percent, expected) => {
    expect(readUpdateChannel(`version: 2.0.0\nstagingPercentage: ${percent}\n`)?.percent).toBe(expected);
  });

  it.each([
    ['2.0.0/Latchkey.exe', true],
    ['2.0.0-beta.1/Latchkey_(x64)~1.exe', true],
    ['%E2%82%AC/a', true],
    ['Latchkey.exe', false],
    ['../Latchkey.exe', false],
    ['2..0/Latchkey.exe', false],
    ['/2.0.0/Latchkey.exe', false],
    ['https://other.org/2.0.0/Latchkey.exe', false],
    ['2.0.0/a/Latchkey.exe', false],
    ['2.0.0/Latchkey.exe?x', false],
    ['2.0.0/%e2', false],
    ['2.0.0/a b', false],
    ['2.0.0/', false],
  ])('has the path %s only if it is below the feed: %s', (path, isPath) => {
    expect(readUpdateChannel(`version: 2.0.0\npath: ${path}\n`)?.path).toBe(isPath ? path : null);
  });

  it.each([
    ['  - url: a\n    blockMapSize: 123456789\n', [{ path: 'a', blockMapBytes: 123_456_789 }]],
    ['  - url: a\n    blockMapSize: 1234567890\n', [{ path: 'a', blockMapBytes: null }]],
    ['  - url: a\n    blockMapSize: x\n', [{ path: 'a', blockMapBytes: null }]],
    ['  - url: a\n   blockMapSize: 1\n', [{ path: 'a', blockMapBytes: null }]],
    ['  - url: a\nblockMapSize: 1\n', [{ path: 'a', blockMapBytes: null }]],
    ['  - url: a b\n', []],
    [`  - url: ${'a'.repeat(500)}\n`, [{ path: 'a'.repeat(500), blockMapBytes: null }]],
    [`  - url: ${'a'.repeat(501)}\n`, []],
    ['- url: a\n', []],
  ])('reads its files line by line: %j', (text, expected) => {
    expect(readUpdateChannel(`version: 2.0.0\nfiles:\n${text}`)?.files).toEqual(expected);
  });
});

describe('the files that are offered', () => {
  it('are those that are signed for this platform, at their place in the feed, in its order', () => {
    const [image, deb] = [signed('Latchkey 2.0.0.AppImage'), signed('latchkey.deb')];
    expect(findOffered(channel, manifestOf(deb, image), 'linux_amd64')).toEqual([
      { ...image, ...files[0] },
      { ...deb, ...files[1] },
    ]);
  });

  it.each<[string, UpdateManifestClaims['files'][number]]>([
    ['another platform', signed('latchkey.deb', 'linux_arm64')],
    ['another name', signed('latchkey.rpm')],
    ['a name that no address can have', signed('\ud800.deb')],
  ])('are not those signed for %s', (_, file) => {
    expect(findOffered(channel, manifestOf(file), 'linux_amd64')).toEqual([]);
  });

  it('are none at the place of another version', () => {
    const manifest = { ...manifestOf(signed('latchkey.deb')), version: '2.0.1' };
    expect(findOffered(channel, manifest, 'linux_amd64')).toEqual([]);
  });
});

describe('an offered version', () => {
  const question = {
    current: '1.0.0',
    channel,
    manifest: manifestOf(signed('latchkey.deb')),
    platform: 'linux_amd64',
    highestSeen: null,
    rolloutFraction: 0.2,
    isManual: false,
  };

  it.each<[string, Partial<typeof question> | Record<string, unknown>, string | null, string | null]>([
    ['is available', {}, '2.0.0', null],
    ['is available without keys, and says so', { manifest: null }, '2.0.0', 'no-keys'],
    ['is refused if there is none', { manifest: null, channel: null }, null, 'refused'],
    ['is refused if it is no version', { manifest: { ...question.manifest, version: 'two' } }, null, 'refused'],
    ['is older than one that was seen', { highestSeen: '2.0.1' }, null, 'older-than-seen'],
    ['is the newest one that was seen', { highestSeen: '2.0.0' }, '2.0.0', null],
    ['was seen by a version that is running', { current: '3.0.0', highestSeen: '3.0.0' }, null, 'up-to-date'],
    ['is up to date if it is running', { current: '2.0.0' }, null, 'up-to-date'],
    ['is up to date if a newer one is running', { current: '2.0.1' }, null, 'up-to-date'],
    ['is for another platform', { platform: 'linux_arm64' }, null, 'not-for-this-platform'],
    ['is not in the channel', { channel: null }, null, 'not-for-this-platform'],
    ['is not the one in the channel', { channel: { ...channel, version: '2.0.1' } }, null, 'not-for-this-platform'],
    ['is stopped', { channel: { ...channel, percent: 0 } }, null, 'stopped'],
    ['is stopped also by hand', { channel: { ...channel, percent: 0 }, isManual: true }, null, 'stopped'],
    ['is not yet for this device', { rolloutFraction: 0.25 }, null, 'not-rolled-out'],
    ['is for this device by hand', { rolloutFraction: 0.25, isManual: true }, '2.0.0', null],
    ['is for this device', { rolloutFraction: 0.2499 }, '2.0.0', null],
  ])('%s', (_, more, available, reason) => {
    expect(decideUpdate({ ...question, ...more })).toEqual({ available, reason });
  });

  it.each([
    ['2.0.0', '1.9.9', true],
    ['1.9.9', '2.0.0', false],
    ['2.0.0', '2.0.0', false],
    ['2.0.0', 'none', true],
    ['none', '2.0.0', false],
    ['none', 'none', false],
  ])('%s is newer than %s: %s', (a, b, expected) => {
    expect(isNewer(a, b)).toBe(expected);
  });
});
