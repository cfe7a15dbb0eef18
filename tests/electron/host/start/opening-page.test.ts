/** The page with the one-time address: only its owner can read it, and nothing else in the profile is touched. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeOpeningPage, writeOpeningPage } from '../../../../electron/host/start/opening-page.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

it('is written again for each address, and removed with its folder', () => {
  const profile = temporaryFolder();
  for (const address of ['http://one.localhost:1/?token=a', 'http://two.localhost:2/?token=b']) {
    const path = writeOpeningPage(profile, address);
    expect(readFileSync(path, 'utf8')).toContain(`url=${address}"`);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  removeOpeningPage(writeOpeningPage(profile, 'http://three.localhost:3/'));
  expect(existsSync(join(profile, 'open'))).toBe(false);
});

it('leaves the files in a folder of that name that the user has already', () => {
  const profile = temporaryFolder();
  mkdirSync(join(profile, 'open'));
  const own = join(profile, 'open', 'notes.txt');
  writeFileSync(own, 'x');
  const path = writeOpeningPage(profile, 'http://one.localhost:1/');
  expect(existsSync(own)).toBe(true);
  removeOpeningPage(path);
  expect([existsSync(own), existsSync(path)]).toEqual([true, false]);
});
