/** Each command of the window once: the schema of its argument, the type of its result, and the types of both sides. */
import { z } from 'zod';
import { maxLeaseText } from '../formats/lease-text.ts';
import type { ActivationOutcome, LeaseSummary } from './activation-outcome.ts';
import type { AppState } from './app-state.ts';
import type { FeatureDecision } from './decision.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { DoctorReport } from './doctor.ts';
import { type KeyScanReport, maxScannedText } from './key-scan.ts';
import { languages } from './language.ts';
import { linkNames } from './links.ts';
import type { OpenRequest } from './open-request.ts';
import type { Done, Result } from './result.ts';
import { settingsChange } from './settings.ts';

/** Ties an argument's schema to the type of the result, which the window does not parse. */
function command<Output>() {
  return <Input extends z.ZodType>(input: Input): { readonly input: Input; readonly output: Output } =>
    ({ input }) as { readonly input: Input; readonly output: Output };
}

const nothing = z.undefined();
const maxScannedPaths = 100;

const text = (maxLength: number) => z.string().max(maxLength);
/** An id that a server has given, which may be longer than those of ours. */
const serverId = text(1000);
/** Also one that is too long, which the client refuses as it does any other that holds no lease. */
const leaseText = text(maxLeaseText + 1);

/** The modules of a QR code, row by row, without its margin; `true` is dark. */
export type QrCode = { readonly rows: readonly (readonly boolean[])[] };

export type ApiKeyOutcome =
  | {
      readonly kind: 'generated';
      readonly apiKey: string;
      /** The key before it had leaked: somebody reported it, and it was revoked. */
      readonly reported?: { readonly prefix: string; readonly at: string };
    }
  | { readonly kind: 'existing'; readonly prefix: string };

/**
 * To add a command, add it here and implement it as a method of the same name, in the licensing client or in
 * `electron/desktop-commands.ts`. The preload, the channel and both sides' types follow from this object.
 */
export const ipcSchema = {
  /** The whole state, for the first paint; later ones arrive on `stateChannel`. */
  getState: command<AppState>()(nothing),
  signIn: command<Done>()(z.object({ email: text(400), password: text(1000) })),
  signUp: command<Done>()(z.object({ email: text(400), password: text(1000), fullName: text(400) })),
  signOut: command<Done>()(z.object({ allDevices: z.boolean() })),
  /** Has a link mailed with which a new password can be set, if there is such an account. */
  requestPasswordReset: command<Done>()(z.object({ email: text(400), language: z.enum(languages) })),
  /** Signs out every other device. */
  changePassword: command<Done>()(
    z.object({ currentPassword: text(1000), newPassword: text(1000), language: z.enum(languages) }),
  ),
  /** Reloads the email address of the user and `AppState.isEmailUnconfirmed`. */
  loadEmail: command<Done>()(nothing),
  /** Has a link mailed to the new address, which changes once the user has opened it. */
  changeEmail: command<Done>()(z.object({ email: text(400), password: text(1000), language: z.enum(languages) })),
  /** Has the link that confirms the present address mailed again. */
  sendEmailConfirmation: command<Done>()(z.object({ language: z.enum(languages) })),
  /** Reloads `AppState.sessions`. */
  listSessions: command<Done>()(nothing),
  endSession: command<Done>()(z.object({ sessionId: serverId })),
  /** Deletes the account on the server, with its licenses and devices, and signs out. */
  deleteAccount: command<Done>()(z.object({ password: text(1000), language: z.enum(languages) })),
  /** What the server stores about the account, as JSON; the value is the file's path. */
  exportAccount: command<Result<{ readonly path: string }>>()(nothing),
  /** https, or http on loopback. Moving to another address signs out. */
  setServerAddress: command<Done>()(z.object({ address: text(2000) })),
  /** Whether secrets are stored on disk where the system has no keyring. */
  chooseSecretStorage: command<Done>()(z.object({ keep: z.boolean() })),
  /** Syncs subscription, license and heartbeat with the server now. */
  syncNow: command<Done>()(nothing),
  /** Why each feature is on or off. */
  explainFeatures: command<Result<readonly FeatureDecision[]>>()(nothing),
  /** What happened lately, and how often the server answered in each hour. */
  loadDiagnostics: command<Result<Diagnostics>>()(nothing),
  /** The text of a file for somebody who helps, of the last days. It holds nothing secret. */
  supportFile: command<Result<{ readonly text: string }>>()(
    z.object({ days: z.int().min(1).max(7), includeNames: z.boolean() }),
  ),
  /** Saves the text of a support file where the user says; the value is the file's path. */
  saveSupportFile: command<Result<{ readonly path: string }>>()(z.object({ text: text(2 * 1024 * 1024) })),
  /** Finds out what is wrong between this device and the server; its progress is in `AppState.doctor`. */
  runDoctor: command<Result<DoctorReport>>()(nothing),
  /** Ends the run in progress, which then fails with CANCELED. */
  cancelDoctor: command<Done>()(nothing),
  activateLicense: command<Result<ActivationOutcome>>()(
    z.object({ licenseKey: text(200), replaces: serverId.optional() }),
  ),
  /** What the text of a lease says, e.g. of a `.lease` file; LEASE_REFUSED with the problem if it does not count here. */
  readLease: command<Result<LeaseSummary>>()(z.object({ text: leaseText })),
  /** Takes such a lease, so that this device works without the server until the lease ends. */
  importLease: command<Result<LeaseSummary>>()(z.object({ text: leaseText })),
  /** Asks the server for the next lease now. */
  renewLease: command<Done>()(nothing),
  /**
   * Saves the file with which staff sign a lease for this device; the value is its path. An empty key means the one that
   * this device has.
   */
  saveLeaseRequest: command<Result<{ readonly path: string }>>()(z.object({ licenseKey: text(200) })),
  /** The same request as a QR code. It holds the license key, so the window calls this only when the user asks for it. */
  showLeaseRequest: command<Result<QrCode>>()(z.object({ licenseKey: text(200) })),
  /** What was opened from outside before the window had loaded; later ones arrive on `openRequestChannel`. */
  getOpenRequest: command<OpenRequest | null>()(nothing),
  /** The window has done what the request asks for, or the user does not want it. */
  closeOpenRequest: command<Done>()(z.object({ id: text(100) })),
  /** Activates this device with the key of a link, which the window does not know. */
  activateFromLink: command<Result<ActivationOutcome>>()(z.object({ id: text(100), replaces: serverId.optional() })),
  /** Reloads `AppState.devices`. */
  listDevices: command<Done>()(nothing),
  releaseDevice: command<Done>()(z.object({ activationId: serverId })),
  /** Of this device: 1 to 200 characters, or empty for the host's own name. Kept, and sent once the server can be reached. */
  renameDevice: command<Done>()(z.object({ name: text(1000) })),
  /**
   * Generates the first key, replaces the key, or (without `replace`, if the account has a key) finds its prefix.
   * Its result may hold a secret: the new key, shown once. The API cannot return the prefix without
   * generating the first key, so the window calls this only when the user asks for it.
   */
  generateApiKey: command<Result<ApiKeyOutcome>>()(z.object({ replace: z.boolean() })),
  /** Asks the server whether the key was revoked: `AppState.apiKey`. Generates none; a server may lack it. */
  checkApiKey: command<Done>()(nothing),
  /** Copies the key generated just now; the main process clears the clipboard after a minute. */
  copyApiKey: command<Done>()(nothing),
  /** "I have saved it": the main process forgets the key. */
  confirmApiKeySaved: command<Done>()(nothing),
  /**
   * Gives the license of the account a new key, which is the result, shown once; the old one is invalid at once. This
   * device uses the new one, if the license was its own.
   */
  replaceLicenseKey: command<Result<{ readonly licenseKey: string }>>()(
    z.object({ password: text(1000), language: z.enum(languages) }),
  ),
  /** Copies a secret that the window shows; the main process clears the clipboard after a minute. */
  copySecret: command<Done>()(z.object({ secret: text(200) })),
  /**
   * Looks for leaked keys in a text, or in files and folders that were dropped on the window. Nothing is sent; progress and
   * result are in `AppState.keyScan`, and a later scan cancels this one.
   */
  scanForKeys: command<Result<KeyScanReport>>()(
    z.union([
      z.object({ text: text(maxScannedText) }),
      z.object({ paths: z.array(text(4096)).min(1).max(maxScannedPaths) }),
    ]),
  ),
  /** Opens a dialog and scans the chosen folder or file. */
  chooseForKeyScan: command<Result<KeyScanReport>>()(z.object({ choose: z.enum(['folder', 'file']) })),
  cancelKeyScan: command<Done>()(nothing),
  /** Reports an API key that the last scan found, so that the server revokes it. */
  reportLeakedKey: command<Done>()(z.object({ id: z.int() })),
  /** Verifies the installer that this installation came from. */
  verifyInstallation: command<Done>()(nothing),
  /** Opens a file dialog and verifies the chosen file; progress and result are in `AppState.installer`. */
  chooseInstaller: command<Done>()(nothing),
  /** Verifies a file that was dropped on the window. */
  verifyInstaller: command<Done>()(z.object({ path: text(4096) })),
  cancelVerification: command<Done>()(nothing),
  /** Asks the server for a newer version of the app: `AppState.updates`. */
  checkForUpdates: command<Done>()(nothing),
  /** Downloads and installs the version that is available, and restarts the app as that one. */
  installUpdate: command<Done>()(nothing),
  /** Ends the download of an update, which then fails with CANCELED. */
  cancelUpdate: command<Done>()(nothing),
  /** Opens the download of the version that is available in the user's browser, where the app does not install it. */
  openUpdateDownload: command<Done>()(nothing),
  /** Devices and heartbeats as CSV, gated by `csv_export`; the value is the file's path. */
  exportHistory: command<Result<{ readonly path: string }>>()(nothing),
  changeSettings: command<Done>()(settingsChange),
  dismissWarning: command<Done>()(z.object({ id: text(200) })),
  /** Opens one of `AppInfo.links` in the user's browser. */
  openLink: command<Done>()(z.object({ name: z.enum(linkNames) })),
  /** Opens the account page of the server in the user's browser, if it has one. */
  openAccountPage: command<Done>()(nothing),
} as const satisfies Record<string, { readonly input: z.ZodType; readonly output: unknown }>;

export type IpcSchema = typeof ipcSchema;

export type CommandName = keyof IpcSchema;

export const commandNames = Object.keys(ipcSchema) as readonly CommandName[];

export type CommandInput<Name extends CommandName> = z.infer<IpcSchema[Name]['input']>;
export type CommandOutput<Name extends CommandName> = IpcSchema[Name]['output'];

/** A command without an argument is called without one. */
type Arguments<Name extends CommandName> = CommandInput<Name> extends undefined ? [] : [input: CommandInput<Name>];

/** The main process's side: one function per command. */
export type CommandHandlers = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => CommandOutput<Name> | Promise<CommandOutput<Name>>;
};

/** What the account page of a server can do too, without an app. */
type AccountCommandName =
  | 'getState'
  | 'signIn'
  | 'signOut'
  | 'requestPasswordReset'
  | 'changePassword'
  | 'loadEmail'
  | 'changeEmail'
  | 'sendEmailConfirmation'
  | 'listSessions'
  | 'endSession'
  | 'deleteAccount'
  | 'exportAccount'
  | 'syncNow'
  | 'listDevices'
  | 'releaseDevice'
  | 'generateApiKey'
  | 'checkApiKey'
  | 'copyApiKey'
  | 'confirmApiKeySaved'
  | 'replaceLicenseKey'
  | 'copySecret'
  | 'changeSettings'
  | 'openLink';

/** What the components have that the window and the account page share. */
export type AccountBridge = Pick<Bridge, AccountCommandName | 'onState'>;

/** The window's side, exposed by the preload as `window.latchkey`. */
export type Bridge = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => Promise<CommandOutput<Name>>;
} & {
  /** Calls back with each new state until the returned function is called. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  /** Calls back with what was opened from outside, and with `null` once that is done, until the returned function is called. */
  readonly onOpenRequest: (listener: (request: OpenRequest | null) => void) => () => void;
  /** The path of a file that was dropped on the window or chosen in it. */
  readonly pathForFile: (file: unknown) => string;
};
