/** "Remove data" deletes everything that the app has stored, and nothing else. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { removeProfileData } from '../../electron/remove-data.ts';
import { temporaryFolder } from './temporary-folder.ts';

const licensing = join(import.meta.dirname, '../../electron/licensing');

/** Creates a profile with these files. */
function profileWith(files: readonly string[]): string {
  const profile = temporaryFolder();
  for (const name of ['secrets', 'logs', 'updates', 'Cache']) mkdirSync(join(profile, name));
  for (const file of files) writeFileSync(join(profile, file), 'x');
  return profile;
}

const own = [
  'settings.json',
  'settings.json.unreadable-2026-01-02T00-00-00Z',
  'settings.json.tmp-7352000000a1b2c3',
  'secrets/session.json',
  `secrets/license-${'0123456789abcdef'.repeat(2)}.json`,
  'secrets/timeline.json',
  'secrets/device-id.json.unreadable-2026-01-02T00-00-00Z',
  'secrets/key',
  'secrets/key.unreadable-2026-01-02T00-00-00Z',
  'logs/latchkey.log',
  'logs/latchkey.log.1',
  'updates/app-update.yml',
];

it('removes settings, secrets, the key file, logs and what was set aside as unreadable', async () => {
  const profile = profileWith(own);
  expect(await removeProfileData(profile)).toEqual([]);
  expect(readdirSync(profile)).toEqual(['Cache']);
});

it('removes every document that the licensing client keeps in the secret store', async () => {
  const sources = readdirSync(licensing).map((name) => readFileSync(join(licensing, name), 'utf8'));
  const names = sources
    .filter((source) => /secrets\.write\(|new KeptDocument\(/.test(source))
    .flatMap((source) => source.match(/(?<=documentName = '|secrets, log, name: ')[a-z-]+/g) ?? []);
  expect(names).toEqual(expect.arrayContaining(['session', 'timeline', 'lease-account', 'ended-session']));
  const profile = profileWith(names.map((name) => `secrets/${name}.json`));
  await removeProfileData(profile);
  expect(readdirSync(profile)).not.toContain('secrets');
});

it('keeps files of other programs in a folder that the user chose as the profile', async () => {
  const others = [
    'notes.json',
    ...['settings.json5', 'settings.json.bak', 'settings.json.unreadable-notes', 'my-settings.json'],
    ...['logs/other.log', 'logs/latchkey.log.txt', 'logs/my-latchkey.log'],
    ...['updates/photo.png', 'updates/app-update.yml.bak', 'updates/my-app-update.yml'],
    ...['service-account.json', 'key.pem', 'session.json.bak', 'license-team.json', 'my-session.json'].map(
      (name) => `secrets/${name}`,
    ),
    'Cache/data_0',
  ];
  const profile = profileWith([...own, ...others]);
  expect(await removeProfileData(profile)).toEqual([]);
  const found = readdirSync(profile, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(found.map(({ name }) => name).sort()).toEqual(others.map((path) => basename(path)).sort());
});

it('removes downloaded updates, which are not in the profile', async () => {
  const cache = temporaryFolder();
  const downloads = join(cache, 'latchkey-updater');
  mkdirSync(join(downloads, 'pending'), { recursive: true });
  writeFileSync(join(downloads, 'pending', 'Latchkey.AppImage'), 'x');
  expect(await removeProfileData(profileWith([]), downloads)).toEqual([]);
  expect(readdirSync(cache)).toEqual([]);
});

it('names what could not be removed', async () => {
  const profile = profileWith([]);
  mkdirSync(join(profile, 'logs', 'latchkey.log'));
  expect(await removeProfileData(profile)).toEqual([join(profile, 'logs', 'latchkey.log')]);
});

it('has nothing to do in an empty or missing profile', async () => {
  const folder = temporaryFolder();
  expect(await removeProfileData(folder)).toEqual([]);
  expect(await removeProfileData(join(folder, 'missing'))).toEqual([]);
});
