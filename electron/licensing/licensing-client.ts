/** The door of the licensing client: commands in, AppState out. */
import type { FeatureFlag } from '../../shared/api/features.ts';
import type { AppInfo, AppState } from '../../shared/ipc/app-state.ts';
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import type { CommandInput, CommandOutput } from '../../shared/ipc/ipc-types.ts';
import type { Done, Result } from '../../shared/ipc/result.ts';

type Verbs =
  | 'signIn'
  | 'signUp'
  | 'signOut'
  | 'setServerAddress'
  | 'chooseSecretStorage'
  | 'activateLicense'
  | 'releaseDevice'
  | 'generateApiKey'
  | 'verifyInstaller'
  | 'changeSettings'
  | 'dismissWarning';

/** What an embedding app holds. Every command resolves; a refusal is a value, never a rejection. */
export type LicensingClient = {
  readonly [V in Verbs]: (input: CommandInput<V>) => Promise<CommandOutput<V>>;
} & {
  /** Reads what was saved, signs in again where a session was kept, and starts the schedule. */
  readonly start: () => Promise<void>;
  /** Ends timers and requests; what is saved stays. */
  readonly stop: () => Promise<void>;
  readonly getState: () => AppState;
  /** Calls back after every change, at most once a turn of the loop. */
  readonly subscribe: (listener: (state: AppState) => void) => () => void;
  /** Whether the plan, on this device and now, switches the feature on; a refusal says why. The gate of every gated act. */
  readonly feature: (flag: FeatureFlag) => Result<true>;
  readonly syncNow: () => Promise<Done>;
  /** Finds out what is wrong between this device and the server. */
  readonly runDoctor: () => Promise<Result<DoctorReport>>;
  readonly listDevices: () => Promise<Done>;
  /** The key generated just now, until it is confirmed as saved. */
  readonly unsavedApiKey: () => string | null;
  readonly confirmApiKeySaved: () => Promise<Done>;
  readonly verifyInstallation: () => Promise<Done>;
  readonly cancelVerification: () => Promise<Done>;
  /** The device and heartbeat history as CSV text, gated by `csv_export`. */
  readonly historyCsv: () => Promise<Result<string>>;
  /** Notes that the history was written, for the activity list. */
  readonly recordHistoryExport: (fileName: string) => void;
  /** The window is in the foreground (checks run each minute) or hidden (every heartbeat interval). */
  readonly setForeground: (foreground: boolean) => void;
};

export type LicensingClientOptions = {
  readonly app: AppInfo;
  /** The server's address until the person sets another. */
  readonly defaultServerAddress: string;
};
