/**
 * Row 19 of the matrix: a page controlled by an attacker, and links from outside. The following are refused, change
 * nothing, and are logged without any of their content: calls of the main process from a foreign page or with invalid
 * arguments; navigation, windows and permissions; paths outside the app's folder; foreign links. Electron is replaced
 * by a stub that keeps the handlers.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandChannel } from '../../shared/ipc/channels.ts';
import { type CommandHandlers, commandNames, ipcSchema } from '../../shared/ipc/ipc-schema.ts';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import { succeed } from '../../shared/ipc/result.ts';
import { createFakePlatform } from '../electron/fake-platform.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { reportFigures } from './matrix-run.ts';

const row = 19;

type Handler = (...values: unknown[]) => unknown;

const electron = vi.hoisted(() => {
  const handlers = new Map<string, Handler>();
  const keep = (name: string) => (handler: Handler) => void handlers.set(name, handler);
  const on = (event: string, handler: Handler) => void handlers.set(event, handler);
  const modules = {
    app: { on },
    ipcMain: { handle: on },
    protocol: { handle: on },
    session: {
      defaultSession: {
        setPermissionRequestHandler: keep('permission request'),
        setPermissionCheckHandler: keep('permission check'),
      },
    },
  };
  return { handlers, on, modules };
});
vi.mock('electron', () => electron.modules);
const { registerCommands } = await import('../../electron/ipc/register-commands.ts');
const { appOrigin, appPage, serveApp } = await import('../../electron/windows/app-protocol.ts');
const { denyNavigation, denyPermissions } = await import('../../electron/windows/page-security.ts');
const { OpenRequests } = await import('../../electron/opening/open-requests.ts');

/** Part of everything that the attacker sends, so that no line of the log may contain it. */
const secret = 'SVC-7QK2-90AB-CDEF-GH1T';
const lines: string[] = [];
const note = (...entry: unknown[]) => void lines.push(JSON.stringify(entry));
const log = { info: note, warn: note };
const run = vi.fn(async () => succeed(null));
const contents = {
  on: electron.on,
  setWindowOpenHandler: (handler: Handler) => void electron.on('window.open', handler),
};
const window = { isDestroyed: () => false, webContents: contents };

function call(name: string, ...values: unknown[]): unknown {
  const handler = electron.handlers.get(name);
  if (!handler) throw new Error(`nothing handles ${name}`);
  return handler(...values);
}

/** Expects that `tried` attempts were refused: the log has a line for each, and none contains the secret. */
function expectLogged(tried: number, what: string): void {
  expect(lines, what).toHaveLength(tried);
  expect(lines.filter((line) => line.includes(secret) || line.includes('evil'))).toStrictEqual([]);
  reportFigures(row, { amount: 'all', figures: { [what]: tried } });
}

const parent = makeTemporaryFolder();
afterAll(() => removeFolder(parent));

beforeAll(() => {
  const folder = join(parent, 'renderer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), 'page');
  writeFileSync(join(folder, '..', 'secret.json'), secret);
  symlinkSync(join(folder, '..', 'secret.json'), join(folder, 'link.json'));
  const implementation = Object.fromEntries(commandNames.map((name) => [name, run]));
  registerCommands(
    implementation as unknown as CommandHandlers,
    {},
    { window, ownOrigin: appOrigin, now: () => 0, log },
  );
  denyPermissions(log);
  denyNavigation(appPage, log);
  serveApp(folder, log);
  call('web-contents-created', {}, contents);
});

beforeEach(() => {
  lines.length = 0;
  run.mockClear();
});

const ownPage = { sender: contents, senderFrame: { url: appPage, parent: null } };
const addresses = [
  `https://evil.example/?key=${secret}`,
  'http://127.0.0.1:8470/',
  'file:///etc/passwd',
  'data:text/html,<script>alert(1)</script>',
  'javascript:alert(1)',
  'blob:app://latchkey/1',
  'about:blank',
  'app://latchkey.evil.example/index.html',
  'app://evil/index.html',
  `latchkey://activate?key=${secret}`,
];

describe('a call of the main process', () => {
  it('is handled for each command of the schema, and for no other name', () => {
    const channels = [...electron.handlers.keys()].filter((name) => name.startsWith('latchkey:'));
    expect(channels.sort()).toStrictEqual(commandNames.map(commandChannel).sort());
  });

  it('is refused from another page, frame or window', async () => {
    const senders = [
      ...addresses.map((url) => ({ sender: contents, senderFrame: { url, parent: null } })),
      { sender: contents, senderFrame: { url: appPage, parent: {} } },
      { sender: {}, senderFrame: { url: appPage, parent: null } },
      { sender: contents, senderFrame: null },
    ];
    for (const name of commandNames) {
      for (const sender of senders) {
        const answer = await call(commandChannel(name), sender, undefined);
        expect(answer, name).toMatchObject({ ok: false, failure: { code: 'INTERNAL' } });
      }
    }
    expect(run).not.toHaveBeenCalled();
    expectLogged(commandNames.length * senders.length, 'calls by other pages');
  });

  it('is refused with an invalid argument', async () => {
    const valid = (name: (typeof commandNames)[number], input: unknown) =>
      ipcSchema[name].input.safeParse(input).success;
    const made = fc.sample(fc.anything({ withBigInt: true, withMap: true, withDate: true, withTypedArray: true }), 200);
    const inputs = [null, 0, '', [], { key: secret }, { __proto__: null }, 'x'.repeat(100_000), ...made];
    let tried = 0;
    for (const name of commandNames) {
      const wrong = inputs.filter((input) => !valid(name, input)).map((input) => [input]);
      for (const given of [...wrong, [undefined, secret], [undefined, {}, secret]]) {
        const answer = await call(commandChannel(name), ownPage, ...given);
        expect(answer, name).toMatchObject({ ok: false, failure: { code: 'VALIDATION_ERROR' } });
        tried += 1;
      }
    }
    expect(run).not.toHaveBeenCalled();
    expectLogged(tried, 'calls with wrong arguments');
  });
});

describe('the page', () => {
  it('gets no permissions', () => {
    const permissions = [
      ...['clipboard-read', 'clipboard-sanitized-write', 'display-capture', 'fileSystem', 'fullscreen', 'geolocation'],
      ...['hid', 'idle-detection', 'keyboardLock', 'media', 'mediaKeySystem', 'midi', 'midiSysex', 'notifications'],
      ...['openExternal', 'pointerLock', 'serial', 'speaker-selection', 'storage-access', 'unknown', 'usb'],
      'window-management',
    ];
    const answer = vi.fn();
    for (const permission of permissions) {
      call('permission request', contents, permission, answer);
      for (let times = 0; times < 3; times++) expect(call('permission check', contents, permission)).toBe(false);
    }
    expect(answer.mock.calls).toStrictEqual(permissions.map(() => [false]));
    // Each permission is both requested and checked.
    expectLogged(permissions.length * 2, 'permissions asked for and checked');
  });

  it('cannot navigate, embed or open anything', () => {
    const preventDefault = vi.fn();
    for (const url of addresses) {
      call('will-navigate', { preventDefault, url }, url);
      call('will-attach-webview', { preventDefault }, {}, { src: url });
      expect(call('window.open', { url })).toStrictEqual({ action: 'deny' });
    }
    expect(preventDefault).toHaveBeenCalledTimes(addresses.length * 2);
    expectLogged(addresses.length * 3, 'navigations, views and windows');
  });

  it('gets no file from outside its folder', async () => {
    const up = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00'];
    const between = ['/', '%2f', '%5c', '\\', '//', '%252f'];
    const targets = ['secret.json', 'etc/passwd', 'renderer/../secret.json'];
    const outside = up.flatMap((name) =>
      between.flatMap((separator) => targets.map((target) => `${name}${separator}${name}${separator}${target}`)),
    );
    const more = ['link.json', '/etc/passwd', '%2fetc%2fpasswd', 'C:%5csecret.json', '%E0%A4%A.js', 'index.html%00.js'];
    const hosts = [`app://evil/index.html`, 'app://latchkey.evil/index.html', 'app://latchkey:80/index.html'];
    const all = [...[...outside, ...more].map((path) => `${appOrigin}/${path}`), ...hosts];
    for (const url of all) {
      const response = (await call('app', { method: 'GET', url })) as Response;
      expect(response.status, url).toBe(404);
      expect(await response.text(), url).not.toContain(secret);
    }
    const written = (await call('app', { method: 'POST', url: appPage })) as Response;
    expect(written.status).toBe(404);
    expectLogged(all.length + 1, 'paths');
    expect(((await call('app', { method: 'GET', url: appPage })) as Response).status).toBe(200);
    expect(lines).toHaveLength(all.length + 1);
  });
});

describe('a link from outside', () => {
  it('activates nothing unless it is exactly one of ours', async () => {
    const { clock, random } = createFakePlatform();
    const client = {
      activateLicense: vi.fn(async () => succeed({ kind: 'activated', activations: 1, maxActivations: 1 } as const)),
    };
    const shown: (OpenRequest | null)[] = [];
    const show = (request: OpenRequest | null) => void shown.push(request);
    const requests = new OpenRequests({ scheme: 'latchkey', client, reveal: () => {}, show, clock, random, log });
    const own = [`activate?key=${secret}`, 'lease', 'open/devices'];
    const changes: readonly ((rest: string) => string)[] = [
      (rest) => `LATCHKEY://${rest}`,
      (rest) => `latchkey:${rest}`,
      (rest) => `latchkey:///${rest}`,
      (rest) => ` latchkey://${rest}`,
      (rest) => `latchkey://${rest}#evil`,
      (rest) => `latchkey://${rest}&server=https://evil.example`,
      (rest) => `latchkey://evil@${rest}`,
      (rest) => `latchkey://../${rest}`,
      (rest) => `latchkey://${rest}\n--evil`,
      (rest) => `latchkey://${rest}%00`,
      (rest) => `latchkey://${rest}${'+'.repeat(2000)}`,
      (rest) => `https://evil.example/?${rest}`,
      (rest) => `evil://${rest}`,
    ];
    const links = changes.flatMap((change) => own.map(change));
    for (const link of links) {
      await requests.open({ kind: 'link', link });
      expect(shown.at(-1), link).toMatchObject({ kind: 'unknown-link' });
      const id = requests.getOpenRequest()?.id ?? '';
      expect(await requests.activateFromLink({ id }), link).toMatchObject({ failure: { code: 'LINK_EXPIRED' } });
    }
    expect(client.activateLicense).not.toHaveBeenCalled();
    expectLogged(links.length, 'links');
  });
});
