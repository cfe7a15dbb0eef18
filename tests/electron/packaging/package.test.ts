/**
 * An app packed by electron-builder has hardened fuses and contains nothing else; anything else fails the packaging.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIfChanged } from '../../../electron/host/start/build-if-changed.ts';
import { checkPackage } from '../../../electron/packaging/check-package.ts';
import { repository } from '../../harness/environment.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { type Packed, packApp } from './pack-app.ts';

const folders: string[] = [];

function makeFolder(): string {
  const folder = makeTemporaryFolder();
  folders.push(folder);
  return folder;
}

beforeAll(() => buildIfChanged(repository, () => undefined));
afterAll(() => folders.forEach(removeFolder));

describe('a packed app', () => {
  let packed: Packed;

  beforeAll(async () => {
    packed = await packApp(makeFolder());
  });

  it('passes the check that each installer gets', async () => {
    expect(packed).toMatchObject({ code: 0 });
    expect(await checkPackage(packed.appFolder)).toEqual([]);
  });

  it('runs neither as Node nor under a debugger, and loads only the archive, whose integrity it checks', async () => {
    const wire = await getCurrentFuseWire(join(packed.appFolder, 'latchkey-desktop'));
    const { version: _version, ...fuses } = wire;
    expect(String.fromCharCode(...Object.values(fuses).map(Number))).toBe('010011000');
  });

  it('has the languages of the window, and the folder for downloaded updates', () => {
    expect(readdirSync(join(packed.appFolder, 'locales')).sort()).toEqual(['de.pak', 'en-US.pak', 'ja.pak']);
    expect(readFileSync(join(packed.appFolder, 'resources/app-update.yml'), 'utf8')).toContain('updaterCacheDirName');
  });
});

it('a stray file fails the packaging with a message', async () => {
  const { code, output } = await packApp(makeFolder(), ['CHANGELOG.md']);
  expect(code).not.toBe(0);
  expect(output).toContain('The archive holds CHANGELOG.md, which the app does not need');
});
