/** What the package's preload script exposes to the page as `window.licensing`. */
import type { ActivationOutcome, LeaseSummary } from '../../shared/ipc/activation-outcome.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import type { Done, Result } from '../../shared/ipc/result.ts';
import type { PageCommandName } from './page-command-names.ts';

/** The commands that a page may call: those of `LicensingClient`, in part under other names. */
export type LicensingBridge = {
  readonly getState: () => Promise<AppState>;
  /** Calls back with each new state until the returned function is called. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  readonly signIn: (input: { readonly email: string; readonly password: string }) => Promise<Done>;
  readonly signUp: (input: {
    readonly email: string;
    readonly password: string;
    readonly fullName: string;
  }) => Promise<Done>;
  readonly signOut: (input: { readonly allDevices: boolean }) => Promise<Done>;
  readonly chooseSecretStorage: (input: { readonly keep: boolean }) => Promise<Done>;
  readonly activateLicense: (input: {
    readonly licenseKey: string;
    readonly replaces?: string;
  }) => Promise<Result<ActivationOutcome>>;
  readonly listDevices: () => Promise<Done>;
  readonly releaseDevice: (input: { readonly activationId: string }) => Promise<Done>;
  readonly importLease: (input: { readonly text: string }) => Promise<Result<LeaseSummary>>;
  readonly verifyInstaller: (input: { readonly path: string }) => Promise<Done>;
  readonly runDoctor: () => Promise<Result<DoctorReport>>;
} & Readonly<Record<PageCommandName, unknown>>;
