/** What the update feed accepts, its order, and what each channel offers. */
import { describe, expect, it } from 'vitest';
import {
  byKind,
  byVersion,
  type FeedFile,
  type FeedVersion,
  findOffer,
  isInstallable,
  requireFeedVersion,
  requireFileName,
  requirePublishable,
} from '../../../server/updates/update-feed.rules.ts';
import { updateFileKinds } from '../../../shared/api/update-feed.ts';

const file = (name: string, kind: FeedFile['kind'], sha256 = 'a'): FeedFile => ({
  name,
  kind,
  bytes: 1,
  sha256,
  sha512: '',
  block_map_bytes: null,
});
const release = (version: string, ...files: FeedFile[]): FeedVersion => ({
  version,
  percent: 100,
  manifest: null,
  released_at_ms: 0,
  published_at_ms: 0,
  files,
});
const zip = file('App.zip', 'macos_zip');
const map = file('App.zip.blockmap', 'block_map');
const setup = file('Setup.exe', 'windows_x64');
const setupMap = file('Setup.exe.blockmap', 'block_map');
const otherZip = file('App.zip', 'macos_zip', 'b');
const conflict = (message: string) => expect.objectContaining({ code: 'CONFLICT', message });
const invalid = (message: string) => expect.objectContaining({ code: 'VALIDATION_ERROR', message });

describe('the name of a file', () => {
  it.each([
    'a',
    'App Setup 4.2.0.exe',
    'App_4.2.0-(arm64)+1@2~3.AppImage',
    'Größe und 世界.dmg',
    'manifest.jws.txt',
    'a'.repeat(150),
    `${'ä'.repeat(31)}aaaa`,
  ])('may be %s', (name) => {
    expect(() => requireFileName(name)).not.toThrow();
  });

  it.each([
    '',
    '.hidden',
    '-rf',
    '../a',
    'a/b',
    'a\\b',
    'a?b',
    'a%2e',
    'a.',
    'a ',
    ' a',
    'a\n',
    'a\u0000b',
    'a'.repeat(151),
    `${'ä'.repeat(31)}aaaaa`,
  ])('must not be %j', (name) => {
    expect(() => requireFileName(name)).toThrow(
      invalid(
        `The update feed cannot have a file named ${JSON.stringify(name)}: use up to 150 letters, digits, spaces and . _ + ( ) @ ~ -`,
      ),
    );
  });

  it('cannot be that of the manifest', () => {
    expect(() => requireFileName('manifest.jws')).toThrow(
      invalid('A file named manifest.jws would stand in the place of the manifest.'),
    );
  });
});

describe('the version', () => {
  it.each(['4.2.0', '4.2.0-beta.1', '4.2.0+7'])('may be %s', (version) => {
    expect(() => requireFeedVersion(version)).not.toThrow();
  });

  it.each(['', '4.2', 'v4.2.0'])('must not be %j', (version) => {
    expect(() => requireFeedVersion(version)).toThrow(
      invalid('A version in the update feed must be as semver.org says, such as 4.2.0.'),
    );
  });
});

describe('the feed lists', () => {
  it('the newest version first', () => {
    const sorted = ['1.9.0', '1.10.0', '2.0.0-beta', '2.0.0'].map((version) => ({ version })).sort(byVersion);
    expect(sorted.map(({ version }) => version)).toStrictEqual(['2.0.0', '2.0.0-beta', '1.10.0', '1.9.0']);
    expect(byVersion({ version: '1.0.0' }, { version: '1.0.0+2' })).toBe(0);
  });

  it.each([
    ['?', '1.0.0'],
    ['1.0.0', '?'],
  ])('%s and %s, of which one is not a version, in any order', (a, b) => {
    expect(byVersion({ version: a }, { version: b })).toBe(0);
  });

  it('the files by kind, and those of one kind by name', () => {
    const files = updateFileKinds.map((kind) => file('x', kind));
    const maps = [file('y', 'block_map'), file('z', 'block_map')];
    expect([...maps, ...files].reverse().sort(byKind)).toStrictEqual([...files, ...maps]);
    expect([...files, ...maps].sort(byKind)).toStrictEqual([...files, ...maps]);
  });

  it('separate block maps as files that are not installed', () => {
    expect(updateFileKinds.filter((kind) => !isInstallable(kind))).toStrictEqual(['block_map']);
  });
});

describe('a channel offers', () => {
  const linux = file('a.AppImage', 'linux_amd64');
  const deb = file('a.deb', 'linux_deb');
  const newest = release('3.0.0', setup, setupMap);
  const older = release('2.0.0', zip, linux, deb, map);
  const oldest = release('1.0.0', setup, zip, linux);
  const offer = (channel: Parameters<typeof findOffer>[1], canDownload = (_: FeedFile) => true) =>
    findOffer([newest, older, oldest], channel, canDownload);

  it('the newest version that has files for it, with only those files', () => {
    expect(offer('latest.yml')).toStrictEqual({ version: newest, files: [setup] });
    expect(offer('latest-mac.yml')).toStrictEqual({ version: older, files: [zip] });
    expect(offer('latest-linux.yml')).toStrictEqual({ version: older, files: [linux, deb] });
  });

  it('nothing if no version has files for it', () => {
    expect(offer('latest-linux-arm64.yml')).toBeUndefined();
  });

  it('only what can be downloaded', () => {
    expect(offer('latest-linux.yml', (wanted) => wanted !== linux)).toStrictEqual({ version: older, files: [deb] });
    expect(offer('latest.yml', (wanted) => !newest.files.includes(wanted))).toBeUndefined();
    expect(offer('latest-mac.yml', () => false)).toBeUndefined();
  });
});

describe('publishing', () => {
  const feed = [release('2.0.0', zip, map), release('1.0.0', setup)];

  it.each<[string, string, FeedFile[], readonly FeedVersion[]]>([
    ['a first version', '1.0.0', [zip, map], []],
    ['a newer version', '2.0.1', [otherZip], feed],
    ['another platform of the newest version', '2.0.0', [setup], feed],
    ['another platform of an older version', '1.0.0', [zip], feed],
    ['the same files again', '2.0.0', [zip, map], feed],
    ['a second block map', '2.0.0', [setup, setupMap], feed],
    ['a block map after its file', '1.0.0', [setupMap], feed],
    ['no file', '2.0.0', [], feed],
  ])('is allowed: %s', (_, version, files, versions) => {
    expect(() => requirePublishable(version, files, versions)).not.toThrow();
  });

  const another = (name: string) =>
    conflict(`The update feed has another ${name} of 2.0.0 already. Publish the new file as a new version.`);
  const unpaired = (name: string) =>
    invalid(`${name} is not the block map of a file of this version: that is FILE.blockmap.`);
  it.each<[string, string, FeedFile[], unknown]>([
    [
      'a version between those of the feed',
      '1.5.0',
      [zip],
      conflict('The update feed offers 2.0.0 already, which is newer. Withdraw it first.'),
    ],
    [
      'a version that differs only in its build',
      '1.0.0+1',
      [zip],
      conflict('The update feed has 1.0.0 already, which devices take for the same version.'),
    ],
    ['other bytes under the same name', '2.0.0', [otherZip], another('App.zip')],
    ['another kind under the same name', '2.0.0', [file('App.zip', 'macos_arm64')], another('App.zip')],
    ['the same bytes under another name', '2.0.0', [file('Other.zip', 'macos_zip')], another('App.zip')],
    [
      'another block map of the same name',
      '2.0.0',
      [file('App.zip.blockmap', 'block_map', 'b')],
      another('App.zip.blockmap'),
    ],
    ['one of several files with other bytes', '2.0.0', [setup, otherZip], another('App.zip')],
    [
      'two files of one name',
      '3.0.0',
      [setup, zip, file('Setup.exe', 'linux_deb')],
      invalid('Two of the files are named Setup.exe.'),
    ],
    ['a block map without its file', '3.0.0', [setup, map], unpaired('App.zip.blockmap')],
    ['a block map of another version', '2.0.0', [setupMap], unpaired('Setup.exe.blockmap')],
    ['a block map with another ending', '3.0.0', [zip, file('App.zip.map', 'block_map')], unpaired('App.zip.map')],
    [
      'a block map of a block map',
      '2.0.0',
      [file('App.zip.blockmap.blockmap', 'block_map')],
      unpaired('App.zip.blockmap.blockmap'),
    ],
  ])('is refused: %s', (_, version, files, error) => {
    expect(() => requirePublishable(version, files, feed)).toThrow(error as Error);
  });
});
