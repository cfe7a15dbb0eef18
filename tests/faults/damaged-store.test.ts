/**
 * Each file of a profile, damaged: the app starts, reports what it could not read, keeps the bytes, enables nothing
 * that was off before, and works again once the user has signed in.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProfileFolder, StoredDesktop, StoredWorld } from './stored-desktop.ts';

const folder = makeProfileFolder();
const world = new StoredWorld();
const [working, revoked] = [join(folder, 'working'), join(folder, 'revoked')];

/** The files of the template by content; the name of a license document depends on the account. */
const kinds = [
  'key',
  'session',
  'license',
  'lease-keys',
  'lease-account',
  'lease-request',
  'timeline',
  'settings',
] as const;
type Kind = (typeof kinds)[number];

/** The refresh token of the working template. */
let refreshToken = '';

/** Brings the server back into the state in which the templates were stored. */
function goOnline(): void {
  world.server.refreshToken = refreshToken;
  world.goOnline();
}

beforeAll(async () => {
  const desktop = await StoredDesktop.start(world, working);
  await desktop.recover();
  await desktop.client.requestLease();
  await desktop.client.generateApiKey({ replace: true });
  await desktop.client.renameDevice({ name: 'Bench 7' });
  await desktop.client.changeSettings({ heartbeatIntervalSeconds: 600 });
  await desktop.client.syncNow();
  await desktop.stop();
  refreshToken = world.server.refreshToken;
  cpSync(working, revoked, { recursive: true });
  world.server.invalidCode = 'LICENSE_REVOKED';
  const later = await StoredDesktop.start(world, revoked);
  await later.client.syncNow();
  expect([later.licenseKind, later.on]).toEqual(['blocked', []]);
  await later.stop();
  world.server.invalidCode = null;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pathOf(profile: string, kind: Kind): string {
  if (kind === 'settings') return join(profile, 'settings.json');
  if (kind === 'key') return join(profile, 'secrets', 'key');
  const names = readdirSync(join(profile, 'secrets'));
  const pattern = kind === 'license' ? /^license-[0-9a-f]{32}\.json$/ : new RegExp(`^${kind}\\.json$`);
  return join(profile, 'secrets', names.find((name) => pattern.test(name)) ?? `no ${kind}`);
}

type Damage = { readonly name: string; readonly damage: (path: string) => void };

/** Returns damages that cut the file after every sixteenth byte, or at 64 places of a longer one. */
function cuts(content: Buffer): Damage[] {
  const step = Math.max(16, Math.ceil(content.length / 64));
  return Array.from({ length: Math.ceil(content.length / step) }, (_, index) => ({
    name: `cut after ${index * step} bytes`,
    damage: (path) => writeFileSync(path, content.subarray(0, index * step)),
  }));
}

/** Returns damages that flip one bit each, spread over the file. */
function flips(content: Buffer): Damage[] {
  const places = Math.min(content.length, 48);
  return Array.from({ length: places }, (_, index) => {
    const at = Math.floor((index * content.length) / places);
    const bit = index % 8;
    const flipped = Buffer.from(content);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
    return { name: `bit ${bit} of byte ${at} flipped`, damage: (path) => writeFileSync(path, flipped) };
  });
}

const replaceBy = (content: string): Damage => ({
  name: `replaced by ${JSON.stringify(content.slice(0, 20))}`,
  damage: (path) => writeFileSync(path, content),
});

/** Returns damages that replace the file. Any object is valid as settings, so settings are not replaced by one. */
function replacements(kind: Kind): Damage[] {
  const texts = ['null', '[]', '"text"', '5', '\0'.repeat(64)];
  const objects = kind === 'settings' ? [] : ['{}', '{"version":1}', '{"version":99}'];
  const byFolder = (path: string) => {
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'kept');
  };
  return [...[...texts, ...objects].map(replaceBy), { name: 'replaced by a folder', damage: byFolder }];
}

/** Returns the content of a file or folder for comparison. */
function contentOf(path: string): string {
  if (!statSync(path).isDirectory()) return `file ${readFileSync(path).toString('base64')}`;
  return `folder ${readdirSync(path)}`;
}

/** Returns the content of the file and of its copies that were set aside. */
function keptContents(path: string): string[] {
  const folderOf = join(path, '..');
  const names = readdirSync(folderOf).filter((name) => name.startsWith(basename(path)) && !name.endsWith('.new'));
  return names.map((name) => contentOf(join(folderOf, name)));
}

let copies = 0;

function copyOf(template: string): string {
  const copy = join(folder, `copy-${copies++}`);
  cpSync(template, copy, { recursive: true });
  return copy;
}

async function expectRecovery(kind: Kind, { name, damage }: Damage, before: readonly string[]): Promise<void> {
  const why = `${kind}: ${name}`;
  const profile = copyOf(working);
  const path = pathOf(profile, kind);
  damage(path);
  const damaged = contentOf(path);

  world.goOffline();
  const offline = await StoredDesktop.start(world, profile);
  expect(before, why).toEqual(expect.arrayContaining(offline.on));
  const status = await offline.status();
  const isSignedOut = status.session === 'signed-out';
  expect(status.session_ended, why).toBe(isSignedOut ? 'store-unreadable' : null);
  // A flipped bit may be harmless. Then the file was read, and may be overwritten.
  const names = status.store.unreadable.join();
  const isRead = !names.includes(basename(path)) && kind !== 'key';
  if (!name.startsWith('bit ')) expect(isRead && kind !== 'lease-request', `${why} is said: ${names}`).toBe(false);
  if (kind === 'session' && !isRead) expect(isSignedOut, why).toBe(true);
  if (!isRead) expect(keptContents(path), `${why} is kept`).toContain(damaged);

  goOnline();
  await offline.recover();
  expect([offline.sessionKind, offline.licenseKind], why).toEqual(['signed-in', 'works']);
  expect(offline.on, why).toEqual(before);
  await offline.client.changeSettings({ heartbeatIntervalSeconds: 900 });
  expect(await offline.client.requestLease(), why).toMatchObject({ ok: true });
  await offline.stop();
  if (!isRead) expect(keptContents(path), `${why} is kept afterwards`).toContain(damaged);

  world.goOffline();
  const again = await StoredDesktop.start(world, profile);
  expect([again.sessionKind, again.licenseKind, again.on], why).toEqual(['signed-in', 'works', before]);
  await again.stop();
  rmSync(profile, { recursive: true });
}

describe('a damaged profile', () => {
  const featuresOn = async () => {
    const desktop = await StoredDesktop.start(world, copyOf(working));
    const { on } = desktop;
    await desktop.stop();
    return on;
  };

  describe.each(kinds)('%s', (kind) => {
    it.each([
      ['cut', cuts],
      ['with one bit flipped', flips],
      ['replaced by something else', () => replacements(kind)],
    ])('%s requires at most a new sign-in', async (_, damagesOf) => {
      const before = await featuresOn();
      expect(before.length).toBeGreaterThan(3);
      const damages = damagesOf(readFileSync(pathOf(working, kind)));
      for (const damage of damages) await expectRecovery(kind, damage, before);
    });

    it('does not re-enable anything that the server has ended', async () => {
      world.goOffline();
      const content = readFileSync(pathOf(revoked, kind));
      const some = cuts(content).filter((_, index) => index % 8 === 0);
      for (const { name, damage } of [...some, ...flips(content), ...replacements(kind)]) {
        const profile = copyOf(revoked);
        damage(pathOf(profile, kind));
        const desktop = await StoredDesktop.start(world, profile);
        expect(desktop.on, `${kind}: ${name}`).toEqual([]);
        await desktop.stop();
        rmSync(profile, { recursive: true });
      }
    });
  });
});
