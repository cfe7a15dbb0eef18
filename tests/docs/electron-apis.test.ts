/** The table lists how each part of Electron that the app uses was checked, and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkedApis, findApisIn, findElectronApis, inUnitTest } from './electron-apis.ts';

const root = join(import.meta.dirname, '../..');

it('each API in use is in exactly one list of checks, and each listed one is in use', () => {
  expect(findElectronApis()).toEqual(checkedApis);
});

it.each(Object.entries(inUnitTest))('%s is in the unit test %s', (api, test) => {
  const name = /(?:'([\w-]+)'\)|\b(\w+))$/.exec(api)?.slice(1).find(Boolean) ?? api;
  const text = readFileSync(join(root, `tests/electron/${test}.test.ts`), 'utf8');
  expect(text.includes(name), `${name} in ${test}`).toBe(true);
});

it('finds members, events, constructors and destructured members, but not types, strings, comments or imports', () => {
  const source = [
    "import { app, net, session, Tray, type BrowserWindow } from 'electron';",
    "import { net as other } from './net.ts';",
    "app.on('activate', () => app.quit());",
    'app\n  .whenReady();',
    'const { defaultSession } = session;',
    "const text = 'app.latchkey.desktop'; // net.fetch",
    'let window: BrowserWindow; const tray: Tray = new Tray(image); deps.net.request();',
  ].join('\n');
  expect(findApisIn(source)).toEqual([
    "app.on('activate')",
    'app.quit',
    'app.whenReady',
    'session.defaultSession',
    'new Tray',
  ]);
});
