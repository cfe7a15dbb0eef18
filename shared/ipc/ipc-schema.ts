/** Each command of the window once: the schema of its argument and the type of its result. */
import { z } from 'zod';
import type { AppState } from './app-state.ts';
import type { CommandName } from './channels.ts';
import type { DoctorReport } from './doctor.ts';
import { linkNames } from './links.ts';
import type { Done, Result } from './result.ts';
import { settingsChange } from './settings.ts';

/** Ties an argument's schema to a result that is only a type: what main answers needs no parsing in the window. */
function command<Output>() {
  return <Input extends z.ZodType>(input: Input): { readonly input: Input; readonly output: Output } =>
    ({ input }) as { readonly input: Input; readonly output: Output };
}

const nothing = z.undefined();
const text = (most: number) => z.string().max(most);

/** How an activation ended: at the limit the person's devices are in `AppState.devices`, where the server lists them. */
export type ActivationOutcome =
  | { readonly kind: 'activated'; readonly activations: number; readonly maxActivations: number }
  | { readonly kind: 'device-limit-reached'; readonly maxActivations: number | null; readonly canReplace: boolean };

export type ApiKeyOutcome =
  | { readonly kind: 'generated'; readonly apiKey: string }
  | { readonly kind: 'existing'; readonly prefix: string };

export const ipcSchema = {
  /** The whole state, for the first paint; later ones arrive on `stateChannel`. */
  getState: command<AppState>()(nothing),
  signIn: command<Done>()(z.object({ email: text(400), password: text(1000) })),
  signUp: command<Done>()(z.object({ email: text(400), password: text(1000), fullName: text(400) })),
  signOut: command<Done>()(z.object({ allDevices: z.boolean() })),
  /** https, or http on loopback; signs out where somebody was signed in at another address. */
  setServerAddress: command<Done>()(z.object({ address: text(2000) })),
  /** The person's answer where the system has no keyring. */
  chooseSecretStorage: command<Done>()(z.object({ keep: z.boolean() })),
  /** Subscription, license and heartbeat, now. */
  checkNow: command<Done>()(nothing),
  /** Finds out what is wrong between this device and the server. */
  runDoctor: command<Result<DoctorReport>>()(nothing),
  activateLicense: command<Result<ActivationOutcome>>()(
    z.object({ licenseKey: text(200), replaces: text(100).optional() }),
  ),
  /** Loads `AppState.devices` anew. */
  listDevices: command<Done>()(nothing),
  releaseDevice: command<Done>()(z.object({ activationId: text(100) })),
  /**
   * Generates the first key, replaces the key, or (without `replace`, where the account has a key) finds its prefix.
   * The only command whose result may hold a secret: the new key, shown once. The interface cannot ask for the prefix
   * without generating the first key, so the window calls it only when the person asks.
   */
  generateApiKey: command<Result<ApiKeyOutcome>>()(z.object({ replace: z.boolean() })),
  /** Puts the key generated just now on the clipboard, which main clears after a minute. */
  copyApiKey: command<Done>()(nothing),
  /** "I have saved it": main forgets the key. */
  confirmApiKeySaved: command<Done>()(nothing),
  /** Verifies the installer that this installation came from. */
  verifyInstallation: command<Done>()(nothing),
  /** Lets the person choose a file and verifies it; progress and verdict are in `AppState.installer`. */
  chooseInstaller: command<Done>()(nothing),
  /** Verifies a file that was dropped on the window. */
  verifyInstaller: command<Done>()(z.object({ path: text(4096) })),
  cancelVerification: command<Done>()(nothing),
  /** Devices and heartbeats as CSV, gated by `csv_export`; the value is the file's path. */
  exportHistory: command<Result<{ readonly path: string }>>()(nothing),
  changeSettings: command<Done>()(settingsChange),
  dismissWarning: command<Done>()(z.object({ id: text(200) })),
  /** One of `AppInfo.links`, in the person's browser. */
  openLink: command<Done>()(z.object({ name: z.enum(linkNames) })),
} as const satisfies Record<CommandName, { readonly input: z.ZodType; readonly output: unknown }>;

export type IpcSchema = typeof ipcSchema;
