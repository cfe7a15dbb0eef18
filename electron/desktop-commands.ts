/** The window's commands that need Electron: file dialogs, the clipboard and the user's browser. */
import { basename, join } from 'node:path';
import { app, type BrowserWindow, clipboard, dialog, shell } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import type { CommandHandlers, CommandInput, CommandOutput } from '../shared/ipc/ipc-schema.ts';
import type { LinkAddresses } from '../shared/ipc/links.ts';
import type { OpenRequest } from '../shared/ipc/open-request.ts';
import { type Done, type Failure, fail, type Result, succeed } from '../shared/ipc/result.ts';
import type { Messages } from './i18n/en.ts';
import { fileProblemOf } from './licensing/file-problem.ts';
import { leaseRequestText } from './licensing/lease-request.ts';
import type { LicensingClient } from './licensing/licensing-client.ts';
import type { Clock } from './licensing/platform.ts';
import type { OpenRequests } from './opening/open-requests.ts';
import { writeAtomically } from './platform/atomic-write.ts';
import { drawQrCode } from './qr-code.ts';

const clearClipboardAfterMs = 60_000;

export type DesktopCommandsDeps = {
  readonly client: Pick<
    LicensingClient,
    | 'verifyInstaller'
    | 'scanForKeys'
    | 'unsavedApiKey'
    | 'historyCsv'
    | 'recordHistoryExport'
    | 'accountJson'
    | 'requestLease'
    | 'releaseDevice'
    | 'signOut'
    | 'updates'
  > & { readonly getState: () => Pick<AppState, 'server' | 'thisDevice'> };
  readonly openRequests: Pick<OpenRequests, 'getOpenRequest' | 'closeOpenRequest' | 'activateFromLink'>;
  readonly window: BrowserWindow;
  /** The pages that `openLink` may open. */
  readonly links: LinkAddresses;
  /** The messages in the current language. */
  readonly messages: () => Messages;
  readonly clock: Clock;
  /** Quits the app, which then removes what it has stored. */
  readonly quitAndRemoveData: () => void;
};

type SaveDialog = {
  readonly title: string;
  /** Name of the file, without its extension. */
  readonly name: string;
  readonly type: { readonly name: string; readonly extension: string };
};

/** Every public method is a command of `shared/ipc/ipc-schema.ts`. */
export class DesktopCommands implements Partial<CommandHandlers> {
  readonly #deps: DesktopCommandsDeps;
  #cancelClearing: () => void = () => {};

  constructor(deps: DesktopCommandsDeps) {
    this.#deps = deps;
  }

  async chooseInstaller(): Promise<Done> {
    const { window, client, messages } = this.#deps;
    const { chooseInstaller: title, verify: buttonLabel } = messages().dialogs;
    const options = { title, message: title, buttonLabel, properties: ['openFile' as const] };
    const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
    const path = filePaths[0];
    if (canceled || path === undefined) return this.#fail('CANCELED', 'No file was chosen.');
    return client.verifyInstaller({ path });
  }

  async chooseForKeyScan({ choose }: CommandInput<'chooseForKeyScan'>): Promise<CommandOutput<'chooseForKeyScan'>> {
    const { window, client, messages } = this.#deps;
    const { scanFolder, scanFile, scan: buttonLabel } = messages().dialogs;
    const title = choose === 'folder' ? scanFolder : scanFile;
    const properties = [choose === 'folder' ? ('openDirectory' as const) : ('openFile' as const)];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      title,
      message: title,
      buttonLabel,
      properties,
    });
    const path = filePaths[0];
    if (canceled || path === undefined) return this.#fail('CANCELED', 'Nothing was chosen.');
    return client.scanForKeys({ paths: [path] });
  }

  async copyApiKey(): Promise<Done> {
    const apiKey = this.#deps.client.unsavedApiKey();
    if (apiKey === null) return this.#fail('INVALID_API_KEY', 'There is no new key to copy.');
    return this.copySecret({ secret: apiKey });
  }

  async copySecret({ secret }: CommandInput<'copySecret'>): Promise<Done> {
    await clipboard.writeText(secret);
    this.#cancelClearing();
    this.#cancelClearing = this.#deps.clock.setTimer(clearClipboardAfterMs, () => void clearIfUnchanged(secret));
    return succeed(null);
  }

  /** Checks the plan before opening the dialog. */
  async exportHistory(): Promise<CommandOutput<'exportHistory'>> {
    const { client, messages } = this.#deps;
    const csv = await client.historyCsv();
    if (!csv.ok) return csv;
    const { exportHistory: title, csvFiles } = messages().dialogs;
    const type = { name: csvFiles, extension: 'csv' };
    const saved = await this.#save(csv.value, { title, name: this.#dated('latchkey-history'), type });
    if (saved.ok) client.recordHistoryExport(basename(saved.value.path));
    return saved;
  }

  /** Asks the server before opening the dialog. */
  async exportAccount(): Promise<CommandOutput<'exportAccount'>> {
    const { client, messages } = this.#deps;
    const json = await client.accountJson();
    if (!json.ok) return json;
    const { exportAccount: title, jsonFiles } = messages().dialogs;
    const type = { name: jsonFiles, extension: 'json' };
    return this.#save(json.value, { title, name: this.#dated('latchkey-account'), type });
  }

  async saveSupportFile({ text }: CommandInput<'saveSupportFile'>): Promise<CommandOutput<'saveSupportFile'>> {
    const { saveSupportFile: title, jsonFiles } = this.#deps.messages().dialogs;
    const type = { name: jsonFiles, extension: 'json' };
    const name = `latchkey-support-${this.#now().slice(0, 16).replace(':', '')}`;
    return this.#save(text, { title, name, type });
  }

  /** The file contains the license key in plain text. */
  async saveLeaseRequest(input: CommandInput<'saveLeaseRequest'>): Promise<CommandOutput<'saveLeaseRequest'>> {
    const { client, messages } = this.#deps;
    const made = await client.requestLease(input);
    if (!made.ok) return made;
    const { request, fileName } = made.value;
    const { saveLeaseRequest: title, jsonFiles } = messages().dialogs;
    const type = { name: jsonFiles, extension: 'json' };
    const name = basename(fileName, '.json');
    return this.#save(leaseRequestText(request), { title, name, type });
  }

  async showLeaseRequest(input: CommandInput<'showLeaseRequest'>): Promise<CommandOutput<'showLeaseRequest'>> {
    const made = await this.#deps.client.requestLease(input);
    return made.ok ? succeed(drawQrCode(JSON.stringify(made.value.request))) : made;
  }

  async getOpenRequest(): Promise<OpenRequest | null> {
    return this.#deps.openRequests.getOpenRequest();
  }

  async closeOpenRequest(input: CommandInput<'closeOpenRequest'>): Promise<Done> {
    return this.#deps.openRequests.closeOpenRequest(input);
  }

  activateFromLink(input: CommandInput<'activateFromLink'>): Promise<CommandOutput<'activateFromLink'>> {
    return this.#deps.openRequests.activateFromLink(input);
  }

  #dated(name: string): string {
    return `${name}-${this.#now().slice(0, 10)}`;
  }

  /** Writes a file that only its owner can read. */
  async #save(text: string, options: SaveDialog): Promise<Result<{ readonly path: string }>> {
    const { window } = this.#deps;
    const { title, name, type } = options;
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      title,
      message: title,
      defaultPath: join(app.getPath('downloads'), `${name}.${type.extension}`),
      filters: [{ name: type.name, extensions: [type.extension] }],
    });
    if (canceled || !filePath) return this.#fail('CANCELED', 'Nothing was saved.');
    try {
      await writeAtomically(filePath, text);
    } catch (error) {
      const message = `${basename(filePath)} could not be written.`;
      return this.#fail('FILE_NOT_WRITTEN', message, fileProblemOf(error, filePath));
    }
    return succeed({ path: filePath });
  }

  /** Takes a name, never an address, so that the window cannot open other pages. */
  async openLink({ name }: CommandInput<'openLink'>): Promise<Done> {
    const address = this.#deps.links[name];
    if (!address?.startsWith('https://')) return this.#fail('INTERNAL', 'There is no such page.');
    return this.#openPage(address);
  }

  /** Opens the page of the server in use, which the window does not name either. */
  async openAccountPage(): Promise<Done> {
    const { address, offers } = this.#deps.client.getState().server;
    if (address === null || !offers?.accountPage) return this.#fail('INTERNAL', 'There is no such page.');
    return this.#openPage(`${address}/account`);
  }

  /** Packaging puts the file beside the app's archive; the build writes it to `dist/`. */
  async openNotices(): Promise<Done> {
    const folder = app.isPackaged ? process.resourcesPath : join(app.getAppPath(), 'dist');
    const problem = await shell.openPath(join(folder, 'THIRD-PARTY-NOTICES.txt'));
    return problem === '' ? succeed(null) : this.#fail('FILE_UNREADABLE', problem);
  }

  /** The window does not name the folder, so that it can open no other. */
  async openDataFolder(): Promise<Done> {
    const problem = await shell.openPath(app.getPath('userData'));
    return problem === '' ? succeed(null) : this.#fail('INTERNAL', problem);
  }

  async removeData({ release }: CommandInput<'removeData'>): Promise<Done> {
    const { client, quitAndRemoveData } = this.#deps;
    const activationId = client.getState().thisDevice?.activationId ?? null;
    if (release && activationId !== null) {
      const released = await client.releaseDevice({ activationId });
      if (!released.ok) return released;
    }
    // Ends the session here in any case, whether or not the server can be reached.
    await client.signOut({ allDevices: false });
    quitAndRemoveData();
    return succeed(null);
  }

  async cancelUpdate(): Promise<Done> {
    this.#deps.client.updates.cancel();
    return succeed(null);
  }

  async openUpdateDownload(): Promise<Done> {
    const address = this.#deps.client.updates.downloadAddress;
    if (address === null) return this.#fail('UPDATE_UNAVAILABLE', 'There is nothing to download.');
    return this.#openPage(address);
  }

  /** Never rejects: the menu has no page that could say so. */
  async #openPage(address: string): Promise<Done> {
    try {
      await shell.openExternal(address);
      return succeed(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return this.#fail('INTERNAL', `The page could not be opened: ${reason}`);
    }
  }

  #fail(code: Failure['code'], message: string, more: Pick<Failure, 'fileProblem'> = {}) {
    return fail({ code, message, at: this.#now(), ...more });
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString();
  }
}

async function clearIfUnchanged(secret: string): Promise<void> {
  try {
    if ((await clipboard.readText()) === secret) await clipboard.writeText('');
  } catch {
    // A clipboard that cannot be read is left alone: it may contain something else by now.
  }
}
