/** The commands that need Electron: the clipboard, links, and the file dialogs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../electron/i18n/messages.ts';
import type { LinkAddresses } from '../../shared/ipc/links.ts';
import { fail, succeed } from '../../shared/ipc/result.ts';
import { createFakePlatform } from './fake-platform.ts';
import { temporaryFolder } from './temporary-folder.ts';

const electron = vi.hoisted(() => ({
  app: { getPath: () => '/downloads' },
  clipboard: { readText: vi.fn(), writeText: vi.fn() },
  dialog: { showOpenDialog: vi.fn(), showSaveDialog: vi.fn() },
  shell: { openExternal: vi.fn(async () => {}) },
}));
vi.mock('electron', () => electron);
const { DesktopCommands } = await import('../../electron/desktop-commands.ts');

let clipboardText = '';

beforeEach(() => {
  vi.clearAllMocks();
  clipboardText = '';
  electron.clipboard.readText.mockImplementation(async () => clipboardText);
  electron.clipboard.writeText.mockImplementation(async (text: string) => {
    clipboardText = text;
  });
});

const nothingFound = { keys: [], files: 0, bytes: 0, skipped: 0, unreadable: 0, limit: null };

function setUp(options: { readonly apiKey?: string | null; readonly links?: LinkAddresses } = {}) {
  const { clock } = createFakePlatform();
  const client = {
    unsavedApiKey: () => options.apiKey ?? null,
    verifyInstaller: vi.fn(async () => succeed(null)),
    scanForKeys: vi.fn(async () => succeed(nothingFound)),
    historyCsv: vi.fn(async () => succeed('record,time\r\n')),
    accountJson: vi.fn(async () => succeed('{"account":{}}\n')),
    recordHistoryExport: vi.fn(),
  };
  const commands = new DesktopCommands({
    client,
    window: {} as Electron.BrowserWindow,
    links: options.links ?? {},
    messages: () => messagesByLanguage.de,
    clock,
  });
  return { commands, client, clock };
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

  it('leaves what was copied since', async () => {
    const { commands, clock } = setUp({ apiKey: 'svc_live_x' });
    await commands.copyApiKey();
    clipboardText = 'something else';
    await clock.advance(60_000);
    expect(clipboardText).toBe('something else');
  });

  it('counts the minute from the last copy', async () => {
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

describe('choosing what is scanned for keys', () => {
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
  it('writes the CSV to the chosen path, with the day in the suggested name', async () => {
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
    expect(await commands.exportHistory()).toMatchObject({ ok: false, failure: { code: 'FILE_NOT_WRITTEN' } });
    expect(client.recordHistoryExport).not.toHaveBeenCalled();
  });
});

describe('exporting the account', () => {
  it('saves what the server stores about it, in the chosen file', async () => {
    const { commands, client } = setUp();
    const filePath = join(temporaryFolder(), 'account.json');
    electron.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath });
    expect(await commands.exportAccount()).toEqual({ ok: true, value: { path: filePath } });
    expect(readFileSync(filePath, 'utf8')).toBe('{"account":{}}\n');
    const { defaultPath, title } = electron.dialog.showSaveDialog.mock.calls[0]?.[1] ?? {};
    expect(title).toBe('Meine Daten exportieren');
    expect(defaultPath).toMatch(/latchkey-account-2026-03-03\.json$/);
    expect(client.recordHistoryExport).not.toHaveBeenCalled();
  });

  it('opens no dialog where the server does not offer it', async () => {
    const { commands, client } = setUp();
    const failure = fail({ code: 'NOT_SUPPORTED_BY_SERVER', message: 'no', at: '' });
    client.accountJson.mockResolvedValue(failure as never);
    expect(await commands.exportAccount()).toEqual(failure);
    expect(electron.dialog.showSaveDialog).not.toHaveBeenCalled();
  });
});
