/** Defines every window command once: argument schema, result type, and the types of both sides. */
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

/** Pairs an argument schema with the result type, which the window does not parse. */
function command<Output>() {
  return <Input extends z.ZodType>(input: Input): { readonly input: Input; readonly output: Output } =>
    ({ input }) as { readonly input: Input; readonly output: Output };
}

const nothing = z.undefined();
const maxScannedPaths = 100;

const text = (maxLength: number) => z.string().max(maxLength);
/** An id from a server, which may be longer than ours. */
const serverId = text(1000);
/** Allows one character too many, so that the client itself refuses texts that are too long. */
const leaseText = text(maxLeaseText + 1);

/** The modules of a QR code, row by row, without its margin; `true` is dark. */
export type QrCode = { readonly rows: readonly (readonly boolean[])[] };

export type ApiKeyOutcome =
  | {
      readonly kind: 'generated';
      readonly apiKey: string;
      /** The previous key, if it was revoked because someone reported it as leaked. */
      readonly reported?: { readonly prefix: string; readonly at: string };
    }
  | { readonly kind: 'existing'; readonly prefix: string };

/**
 * To add a command, add it here and implement it as a method of the same name, in the licensing client or in
 * `electron/desktop-commands.ts`. The preload, the channels and both sides' types derive from this object.
 */
export const ipcSchema = {
  /** The whole state, for the first paint; updates arrive on `stateChannel`. */
  getState: command<AppState>()(nothing),
  signIn: command<Done>()(z.object({ email: text(400), password: text(1000) })),
  signUp: command<Done>()(z.object({ email: text(400), password: text(1000), fullName: text(400) })),
  /** Ends the sign-in or sign-up that waits for the server, which then fails with CANCELED. */
  cancelSignIn: command<Done>()(nothing),
  signOut: command<Done>()(z.object({ allDevices: z.boolean() })),
  /** Requests a mail with a password-reset link, if the account exists. */
  requestPasswordReset: command<Done>()(z.object({ email: text(400), language: z.enum(languages) })),
  /** Also signs out every other device. */
  changePassword: command<Done>()(
    z.object({ currentPassword: text(1000), newPassword: text(1000), language: z.enum(languages) }),
  ),
  /** Reloads the user's email address and `AppState.isEmailUnconfirmed`. */
  loadEmail: command<Done>()(nothing),
  /** Requests a mail with a link to the new address, which takes effect when the link is opened. */
  changeEmail: command<Done>()(z.object({ email: text(400), password: text(1000), language: z.enum(languages) })),
  /** Requests the confirmation mail for the current address again. */
  sendEmailConfirmation: command<Done>()(z.object({ language: z.enum(languages) })),
  /** Reloads `AppState.sessions`. */
  listSessions: command<Done>()(nothing),
  endSession: command<Done>()(z.object({ sessionId: serverId })),
  /** Deletes the account on the server, with its licenses and devices, and signs out. */
  deleteAccount: command<Done>()(z.object({ password: text(1000), language: z.enum(languages) })),
  /** Saves what the server stores about the account as JSON; the value is the file's path. */
  exportAccount: command<Result<{ readonly path: string }>>()(nothing),
  /** https, or http on loopback. Changing the address signs out. */
  setServerAddress: command<Done>()(z.object({ address: text(2000) })),
  /** Whether to store secrets on disk if the system has no keyring. */
  chooseSecretStorage: command<Done>()(z.object({ keep: z.boolean() })),
  /** Syncs subscription, license and heartbeat now. */
  syncNow: command<Done>()(nothing),
  /** Explains why each feature is on or off. */
  explainFeatures: command<Result<readonly FeatureDecision[]>>()(nothing),
  /** Loads the recent timeline, and how often the server answered in each hour. */
  loadDiagnostics: command<Result<Diagnostics>>()(nothing),
  /** Creates the text of a support file that covers the last days. Contains nothing secret. */
  supportFile: command<Result<{ readonly text: string }>>()(
    z.object({ days: z.int().min(1).max(7), includeNames: z.boolean() }),
  ),
  /** Saves a support file where the user chooses; the value is its path. */
  saveSupportFile: command<Result<{ readonly path: string }>>()(z.object({ text: text(2 * 1024 * 1024) })),
  /** Diagnoses the connection between this device and the server; progress is in `AppState.doctor`. */
  runDoctor: command<Result<DoctorReport>>()(nothing),
  /** Ends the current run, which then fails with CANCELED. */
  cancelDoctor: command<Done>()(nothing),
  activateLicense: command<Result<ActivationOutcome>>()(
    z.object({ licenseKey: text(200), replaces: serverId.optional() }),
  ),
  /** Reads the text of a lease, e.g. of a `.lease` file; LEASE_REFUSED with the problem if it is not valid here. */
  readLease: command<Result<LeaseSummary>>()(z.object({ text: leaseText })),
  /** Imports a lease, so that this device works offline until it ends. */
  importLease: command<Result<LeaseSummary>>()(z.object({ text: leaseText })),
  /** Requests the next lease now. */
  renewLease: command<Done>()(nothing),
  /**
   * Saves the request file from which staff sign a lease for this device; the value is its path. An empty key means the
   * stored one.
   */
  saveLeaseRequest: command<Result<{ readonly path: string }>>()(z.object({ licenseKey: text(200) })),
  /**
   * The same request as a QR code. It contains the license key, so the window calls this only at the user's request.
   */
  showLeaseRequest: command<Result<QrCode>>()(z.object({ licenseKey: text(200) })),
  /** What was opened from outside before the window loaded; later requests arrive on `openRequestChannel`. */
  getOpenRequest: command<OpenRequest | null>()(nothing),
  /** Marks a request as done, or as declined by the user. */
  closeOpenRequest: command<Done>()(z.object({ id: text(100) })),
  /** Activates this device with the key from a link, which the window does not know. */
  activateFromLink: command<Result<ActivationOutcome>>()(z.object({ id: text(100), replaces: serverId.optional() })),
  /** Reloads `AppState.devices`. */
  listDevices: command<Done>()(nothing),
  releaseDevice: command<Done>()(z.object({ activationId: serverId })),
  /**
   * This device's name: 1 to 200 characters, or empty for the host name. Saved, and sent when the server is reachable.
   */
  renameDevice: command<Done>()(z.object({ name: text(1000) })),
  /**
   * Generates the first key, replaces the key, or (without `replace`, if a key exists) finds its prefix. The result may
   * contain a secret: the new key, shown once. The API cannot return the prefix without generating the first key, so
   * the window calls this only at the user's request.
   */
  generateApiKey: command<Result<ApiKeyOutcome>>()(z.object({ replace: z.boolean() })),
  /** Checks whether the key was revoked (`AppState.apiKey`). Generates none; a server may lack it. */
  checkApiKey: command<Done>()(nothing),
  /** Copies the newly generated key; the main process clears the clipboard after a minute. */
  copyApiKey: command<Done>()(nothing),
  /** "I have saved it": the main process forgets the key. */
  confirmApiKeySaved: command<Done>()(nothing),
  /**
   * Gives the account's license a new key and returns it, shown once; the old one is invalid immediately. This device
   * uses the new key if the license was its own.
   */
  replaceLicenseKey: command<Result<{ readonly licenseKey: string }>>()(
    z.object({ password: text(1000), language: z.enum(languages) }),
  ),
  /** Copies a displayed secret; the main process clears the clipboard after a minute. */
  copySecret: command<Done>()(z.object({ secret: text(200) })),
  /**
   * Scans a text, or dropped files and folders, for leaked keys. Nothing is sent; progress and result are in
   * `AppState.keyScan`, and a later scan cancels this one.
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
  /** Reports an API key found by the last scan, so that the server revokes it. */
  reportLeakedKey: command<Done>()(z.object({ id: z.int() })),
  /** Verifies the installer of this installation. */
  verifyInstallation: command<Done>()(nothing),
  /** Opens a file dialog and verifies the chosen file; progress and result are in `AppState.installer`. */
  chooseInstaller: command<Done>()(nothing),
  /** Verifies a file dropped on the window. */
  verifyInstaller: command<Done>()(z.object({ path: text(4096) })),
  cancelVerification: command<Done>()(nothing),
  /** Checks for a newer app version (`AppState.updates`). */
  checkForUpdates: command<Done>()(nothing),
  /** Downloads and installs the available version, and restarts the app. */
  installUpdate: command<Done>()(nothing),
  /** Cancels the download of an update, which then fails with CANCELED. */
  cancelUpdate: command<Done>()(nothing),
  /** Opens the available version's download in the browser, if the app cannot install it itself. */
  openUpdateDownload: command<Done>()(nothing),
  /** Exports devices and heartbeats as CSV, gated by `csv_export`; the value is the file's path. */
  exportHistory: command<Result<{ readonly path: string }>>()(nothing),
  changeSettings: command<Done>()(settingsChange),
  dismissWarning: command<Done>()(z.object({ id: text(200) })),
  /** Opens one of `AppInfo.links` in the browser. */
  openLink: command<Done>()(z.object({ name: z.enum(linkNames) })),
  /** Opens the licenses of the packages that the app contains, in the system's program for text files. */
  openNotices: command<Done>()(nothing),
  /** Opens the folder with the app's data, `AppInfo.dataFolder`, in the system's file manager. */
  openDataFolder: command<Done>()(nothing),
  /**
   * Signs out, removes everything that the app has stored on this computer, and quits the app. With `release`, releases
   * this device first, and does nothing else if that fails.
   */
  removeData: command<Done>()(z.object({ release: z.boolean() })),
  /** Opens the server's account page, if any, in the browser. */
  openAccountPage: command<Done>()(nothing),
} as const satisfies Record<string, { readonly input: z.ZodType; readonly output: unknown }>;

type IpcSchema = typeof ipcSchema;

export type CommandName = keyof IpcSchema;

export const commandNames = Object.keys(ipcSchema) as readonly CommandName[];

export type CommandInput<Name extends CommandName> = z.infer<IpcSchema[Name]['input']>;
export type CommandOutput<Name extends CommandName> = IpcSchema[Name]['output'];

/** Commands without an argument are called without one. */
type Arguments<Name extends CommandName> = CommandInput<Name> extends undefined ? [] : [input: CommandInput<Name>];

/** Main process side: one function per command. */
export type CommandHandlers = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => CommandOutput<Name> | Promise<CommandOutput<Name>>;
};

/** Commands that the account page supports too, without an app. */
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

/** Bridge for components shared by the window and the account page. */
export type AccountBridge = Pick<Bridge, AccountCommandName | 'onState'>;

/** Window side, exposed by the preload as `window.latchkey`. */
export type Bridge = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => Promise<CommandOutput<Name>>;
} & {
  /** Calls back with each new state until the returned function is called. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  /**
   * Calls back with what was opened from outside, and with `null` when it is done, until the returned function is
   * called.
   */
  readonly onOpenRequest: (listener: (request: OpenRequest | null) => void) => () => void;
  /** Returns the path of a dropped or chosen file. */
  readonly pathForFile: (file: unknown) => string;
};
