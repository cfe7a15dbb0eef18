/** The commands that need Electron: the clipboard, links, and the file dialogs. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'uqr';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../electron/i18n/messages.ts';
import type { ServerState, ThisDevice } from '../../shared/ipc/app-state.ts';
import type { LinkAddresses } from '../../shared/ipc/links.ts';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import { createFakePlatform } from './fake-platform.ts';
import { temporaryFolder } from './temporary-folder.ts';

const electron = vi.hoisted(() => ({
  app: { isPackaged: false, getAppPath: () => '/app', getPath: (name: string) => `/${name}` },
  clipboard: { readText: vi.fn(), writeText: vi.fn() },
  dialog: { showOpenDialog: vi.fn(), showSaveDialog: vi.fn() },
  shell: { openExternal: vi.fn(async () => {}), openPath: vi.fn(async (_path: string) => '') },
}));
vi.mock('electron', () => electron);
const { DesktopCommands } = await import('../../electron/desktop-commands.ts');

const leaseRequest = {
  license_key: 'SVC-7QK2-90AB-CDEF-GH1T',
  device_id: 'HW-01234567-89ABCDEF-01234567-89ABCDEF',
  device_name: 'Studio Mac',
  platform: 'macOS arm64',
};

let clipboardText = '';

beforeEach(() => {
  vi.clearAllMocks();
  clipboardText = '';
  electron.clipboard.readText.mockImplementation(async () => clipboardText);
  electron.clipboard.writeText.mockImplementation(async (text: string) => {
    clipboardText = text;
  });
});

const unknownServer: ServerState = {
  address: null,
  reachability: { kind: 'unknown' },
  lastAnswerAt: null,
  deviceList: 'unknown',
  leases: 'unknown',
  accountManagement: 'unknown',
  passwordReset: 'unknown',
  emailChange: 'unknown',
  offers: null,
};

type Options = {
  readonly apiKey?: string | null;
  readonly links?: LinkAddresses;
  readonly server?: Partial<ServerState>;
  readonly activationId?: string;
};

const nothingFound = { keys: [], files: 0, bytes: 0, skipped: 0, unreadable: 0, limit: null };

function setUp(options: Options = {}) {
  const { clock } = createFakePlatform();
  const client = {
    getState: () => ({
      server: { ...unknownServer, ...options.server },
      thisDevice: { activationId: options.activationId ?? null } as ThisDevice,
    }),
    releaseDevice: vi.fn(async (): Promise<Done> => succeed(null)),
    unsavedApiKey: () => options.apiKey ?? null,
    verifyInstaller: vi.fn(async () => succeed(null)),
    scanForKeys: vi.fn(async () => succeed(nothingFound)),
    historyCsv: vi.fn(async () => succeed('record,time\r\n')),
    accountJson: vi.fn(async () => succeed('{"account":{}}\n')),
    recordHistoryExport: vi.fn(),
    updates: { downloadAddress: null, cancel: vi.fn() },
    signOut: vi.fn(async () => fail({ code: 'SERVER_UNREACHABLE', message: '', at: '' })),
    requestLease: vi.fn(async () => succeed({ request: leaseRequest, fileName: 'latchkey-request-Studio Mac.json' })),
  };
  const quitAndRemoveData = vi.fn();
  const commands = new DesktopCommands({
    client,
    openRequests: { getOpenRequest: () => null, closeOpenRequest: vi.fn(), activateFromLink: vi.fn() },
    window: {} as Electron.BrowserWindow,
    links: options.links ?? {},
    messages: () => messagesByLanguage.de,
    clock,
    quitAndRemoveData,
  });
  return { commands, client, clock, quitAndRemoveData };
}

describe('copying the API key', () => {
  it('copies it to the clipboard and clears it after a minute', async () => {
    const { commands, clock } = setUp({ apiKey: 'svc_live_x' });
    expect(await commands.copyApiKey()).toEqual({ ok: true, value: null });
    await clock.advance(59_999);
    expect(clipboardText).toBe('svc_live_x');
    await clock.advance(1);
    expect(clipboardText).toBe('');
  });

  it('leaves anything that was copied since', async () => {
    const { commands, clock } = setUp({ apiKey: 'svc_live_x' });
    await commands.copyApiKey();
    clipboardText = 'something else';
    await clock.advance(60_000);
    expect(clipboardText).toBe('something else');
  });

  it('restarts the minute with each copy', async () => {
    const { commands, clock } = setUp({ apiKey: 'svc_live_x' });
    await commands.copyApiKey();
    await clock.advance(30_000);
    await commands.copyApiKey();
    expect(clock.pendingTimers()).toBe(1);
    await clock.advance(59_999);
    expect(clipboardText).toBe('svc_live_x');
  });

  it('fails if there is no new key', async () => {
    const { commands, clock } = setUp();
    expect(await commands.copyApiKey()).toMatchObject({ ok: false });
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe('opening a link', () => {
  it('opens the page of that name', async () => {
    const { commands } = setUp({ links: { plans: 'https://lab.example/plans' } });
    expect(await commands.openLink({ name: 'plans' })).toMatchObject({ ok: true });
    expect(electron.shell.openExternal).toHaveBeenCalledWith('https://lab.example/plans');
  });

  it('opens nothing if there is no such page or its address is not https', async () => {
    const { commands } = setUp({ links: { help: 'file:///etc/passwd' } });
    expect(await commands.openLink({ name: 'plans' })).toMatchObject({ ok: false });
    expect(await commands.openLink({ name: 'help' })).toMatchObject({ ok: false });
    expect(electron.shell.openExternal).not.toHaveBeenCalled();
  });

  it('does not reject if the system cannot open the page, because the menu calls it too', async () => {
    electron.shell.openExternal.mockRejectedValueOnce(new Error('no browser'));
    const { commands } = setUp({ links: { plans: 'https://lab.example/plans' } });
    const failure = { code: 'INTERNAL', message: 'The page could not be opened: no browser' };
    expect(await commands.openLink({ name: 'plans' })).toMatchObject({ ok: false, failure });
  });
});

describe('opening the data folder', () => {
  it('opens the profile, and fails with the system’s message if nothing can show it', async () => {
    const { commands } = setUp();
    expect(await commands.openDataFolder()).toMatchObject({ ok: true });
    expect(electron.shell.openPath).toHaveBeenCalledWith('/userData');
    electron.shell.openPath.mockResolvedValueOnce('no file manager');
    expect(await commands.openDataFolder()).toMatchObject({ ok: false, failure: { message: 'no file manager' } });
  });
});

describe('opening the licenses of other packages', () => {
  it('opens the file where the build or the packaging has put it, and fails if that cannot be opened', async () => {
    const { commands } = setUp();
    expect(await commands.openNotices()).toMatchObject({ ok: true });
    Object.assign(process, { resourcesPath: '/resources' });
    Object.assign(electron.app, { isPackaged: true });
    electron.shell.openPath.mockResolvedValueOnce('no such file');
    expect(await commands.openNotices()).toMatchObject({ ok: false, failure: { code: 'FILE_UNREADABLE' } });
    expect(electron.shell.openPath.mock.calls).toEqual([
      [join('/app', 'dist', 'THIRD-PARTY-NOTICES.txt')],
      [join('/resources', 'THIRD-PARTY-NOTICES.txt')],
    ]);
    Object.assign(electron.app, { isPackaged: false });
    Reflect.deleteProperty(process, 'resourcesPath');
  });
});

describe('removing the data', () => {
  it('signs out before the app quits, and quits even if the server cannot be reached', async () => {
    const { commands, client, quitAndRemoveData } = setUp();
    expect(await commands.removeData({ release: false })).toMatchObject({ ok: true });
    expect(client.releaseDevice).not.toHaveBeenCalled();
    expect(client.signOut).toHaveBeenCalledWith({ allDevices: false });
    expect(quitAndRemoveData).toHaveBeenCalledOnce();
    expect(client.signOut.mock.invocationCallOrder[0]).toBeLessThan(quitAndRemoveData.mock.invocationCallOrder[0] ?? 0);
  });

  it('releases this device first if the user wants that, while the session still allows it', async () => {
    const { commands, client, quitAndRemoveData } = setUp({ activationId: 'a-1' });
    expect(await commands.removeData({ release: true })).toMatchObject({ ok: true });
    expect(client.releaseDevice).toHaveBeenCalledWith({ activationId: 'a-1' });
    const [released = 0] = client.releaseDevice.mock.invocationCallOrder;
    expect(released).toBeLessThan(client.signOut.mock.invocationCallOrder[0] ?? 0);
    expect(quitAndRemoveData).toHaveBeenCalledOnce();
  });

  it('removes nothing if this device cannot be released, so that the user can decide again', async () => {
    const { commands, client, quitAndRemoveData } = setUp({ activationId: 'a-1' });
    client.releaseDevice.mockResolvedValue(fail({ code: 'SERVER_UNREACHABLE', message: '', at: '' }));
    expect(await commands.removeData({ release: true })).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
    expect(client.signOut).not.toHaveBeenCalled();
    expect(quitAndRemoveData).not.toHaveBeenCalled();
  });
});

describe('opening the account page', () => {
  const offers = { signUp: 'open', passwordMinLength: 8, mail: true, leases: true, accountPage: true } as const;

  it('opens the account page of the server in use', async () => {
    const { commands } = setUp({ server: { address: 'https://lab.example/licenses', offers } });
    expect(await commands.openAccountPage()).toMatchObject({ ok: true });
    expect(electron.shell.openExternal).toHaveBeenCalledWith('https://lab.example/licenses/account');
  });

  it.each([
    { address: 'https://lab.example', offers: { ...offers, accountPage: false } },
    { address: 'https://lab.example', offers: null },
    { address: null, offers },
  ])('opens nothing if the server has none or does not say: %j', async (server) => {
    const { commands } = setUp({ server });
    expect(await commands.openAccountPage()).toMatchObject({ ok: false });
    expect(electron.shell.openExternal).not.toHaveBeenCalled();
  });
});

describe('canceling an update', () => {
  it('ends its download, no matter who started it', async () => {
    const { commands, client } = setUp();
    expect(await commands.cancelUpdate()).toEqual({ ok: true, value: null });
    expect(client.updates.cancel).toHaveBeenCalledOnce();
  });
});

describe('choosing an installer', () => {
  it('verifies the chosen file', async () => {
    const { commands, client } = setUp();
    electron.dialog.showOpenDialog.mockResolvedValue({ canceled: false, filePaths: ['/a/file'] });
    expect(await commands.chooseInstaller()).toEqual({ ok: true, value: null });
    expect(client.verifyInstaller).toHaveBeenCalledWith({ path: '/a/file' });
    expect(electron.dialog.showOpenDialog.mock.calls[0]?.[1]).toMatchObject({
      title: 'Installer auswählen',
      buttonLabel: 'Prüfen',
    });
  });

  it('verifies nothing if the dialog was canceled', async () => {
    const { commands, client } = setUp();
    electron.dialog.showOpenDialog.mockResolvedValue({ canceled: true, filePaths: [] });
    expect(await commands.chooseInstaller()).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(client.verifyInstaller).not.toHaveBeenCalled();
  });
});

describe('choosing what to scan for keys', () => {
  it.each([
    { choose: 'folder', property: 'openDirectory' },
    { choose: 'file', property: 'openFile' },
  ] as const)('scans the chosen $choose', async ({ choose, property }) => {
    const { commands, client } = setUp();
    electron.dialog.showOpenDialog.mockResolvedValue({ canceled: false, filePaths: ['/a/path'] });
    expect(await commands.chooseForKeyScan({ choose })).toEqual({ ok: true, value: nothingFound });
    expect(client.scanForKeys).toHaveBeenCalledWith({ paths: ['/a/path'] });
    expect(electron.dialog.showOpenDialog.mock.calls[0]?.[1]).toMatchObject({ properties: [property] });
  });

  it('scans nothing if the dialog was canceled', async () => {
    const { commands, client } = setUp();
    electron.dialog.showOpenDialog.mockResolvedValue({ canceled: true, filePaths: [] });
    expect(await commands.chooseForKeyScan({ choose: 'folder' })).toMatchObject({ failure: { code: 'CANCELED' } });
    expect(client.scanForKeys).not.toHaveBeenCalled();
  });
});

describe('exporting the history', () => {
  it('writes the CSV to the chosen path, with the date in the suggested name', async () => {
    const { commands, client } = setUp();
    const filePath = join(temporaryFolder(), 'history.csv');
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath });
    expect(await commands.exportHistory()).toEqual({ ok: true, value: { path: filePath } });
    expect(readFileSync(filePath, 'utf8')).toBe('record,time\r\n');
    expect(client.recordHistoryExport).toHaveBeenCalledWith('history.csv');
    const { defaultPath, title } = electron.dialog.showSaveDialog.mock.calls[0]?.[1] ?? {};
    expect(title).toBe('Verlauf exportieren');
    expect(defaultPath).toMatch(/latchkey-history-2026-03-03\.csv$/);
  });

  it('opens no dialog if the plan does not include it', async () => {
    const { commands, client } = setUp();
    const failure = fail({ code: 'FEATURE_OFF', message: 'off', at: '' });
    client.historyCsv.mockResolvedValue(failure as never);
    expect(await commands.exportHistory()).toEqual(failure);
    expect(electron.dialog.showSaveDialog).not.toHaveBeenCalled();
  });

  it('fails if the dialog was canceled or the file cannot be written', async () => {
    const { commands, client } = setUp();
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: true, filePath: '' });
    expect(await commands.exportHistory()).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath: join(temporaryFolder(), 'no', 'x') });
    expect(await commands.exportHistory()).toMatchObject({
      ok: false,
      failure: { code: 'FILE_NOT_WRITTEN', fileProblem: 'missing' },
    });
    expect(client.recordHistoryExport).not.toHaveBeenCalled();
  });
});

describe('exporting the account', () => {
  it('saves the server’s data about it to the chosen file, which only the owner can read', async () => {
    const { commands, client } = setUp();
    const filePath = join(temporaryFolder(), 'account.json');
    writeFileSync(filePath, 'before', { mode: 0o644 });
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath });
    expect(await commands.exportAccount()).toEqual({ ok: true, value: { path: filePath } });
    expect(readFileSync(filePath, 'utf8')).toBe('{"account":{}}\n');
    expect(statSync(filePath).mode & 0o777).toBe(0o600);
    const { defaultPath, title } = electron.dialog.showSaveDialog.mock.calls[0]?.[1] ?? {};
    expect(title).toBe('Meine Daten exportieren');
    expect(defaultPath).toMatch(/latchkey-account-2026-03-03\.json$/);
    expect(client.recordHistoryExport).not.toHaveBeenCalled();
  });

  it('opens no dialog if the server does not offer it', async () => {
    const { commands, client } = setUp();
    const failure = fail({ code: 'NOT_SUPPORTED_BY_SERVER', message: 'no', at: '' });
    client.accountJson.mockResolvedValue(failure as never);
    expect(await commands.exportAccount()).toEqual(failure);
    expect(electron.dialog.showSaveDialog).not.toHaveBeenCalled();
  });
});

describe('the lease request', () => {
  it('is saved so that only the owner can read it, even over a file that others could read', async () => {
    const { commands, client } = setUp();
    const filePath = join(temporaryFolder(), 'request.json');
    writeFileSync(filePath, 'before', { mode: 0o644 });
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath });
    expect(await commands.saveLeaseRequest({ licenseKey: 'svc' })).toEqual({ ok: true, value: { path: filePath } });
    expect(client.requestLease).toHaveBeenCalledWith({ licenseKey: 'svc' });
    const text = readFileSync(filePath, 'utf8');
    expect(JSON.parse(text)).toEqual(leaseRequest);
    expect(text.endsWith('}\n')).toBe(true);
    expect(statSync(filePath).mode & 0o777).toBe(0o600);
    const { defaultPath } = electron.dialog.showSaveDialog.mock.calls[0]?.[1] ?? {};
    expect(defaultPath).toBe(join('/downloads', 'latchkey-request-Studio Mac.json'));
  });

  it('opens no dialog if there is no key', async () => {
    const { commands, client } = setUp();
    const failure = fail({ code: 'LICENSE_NOT_FOUND', message: 'no', at: '' });
    client.requestLease.mockResolvedValue(failure as never);
    expect(await commands.saveLeaseRequest({ licenseKey: '' })).toEqual(failure);
    expect(await commands.showLeaseRequest({ licenseKey: '' })).toEqual(failure);
    expect(electron.dialog.showSaveDialog).not.toHaveBeenCalled();
  });

  it('is shown as a QR code of the same JSON without spaces, with error correction M', async () => {
    const { commands } = setUp();
    const shown = await commands.showLeaseRequest({ licenseKey: '' });
    expect(shown).toEqual(
      succeed({ rows: encode(JSON.stringify(leaseRequest), { ecc: 'M', boostEcc: false, border: 0 }).data }),
    );
    // The two bits of the level beside the first finder pattern, without their mask (ISO/IEC 18004, 7.9).
    const [first, second] = shown.ok ? [shown.value.rows[8]?.[0], shown.value.rows[8]?.[1]] : [];
    expect([first, second]).toEqual([true, false]);
  });
});
