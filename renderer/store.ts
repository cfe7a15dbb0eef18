/** The window's store: the latest state from the main process, and the window's own state. */
import { create } from 'zustand';
import type { AccountState, AppState } from '../shared/ipc/app-state.ts';
import type { Failure } from '../shared/ipc/result.ts';
import { hasScreens } from '../shared/ipc/works-signed-out.ts';
import { bridge } from './account-bridge.ts';
import { dismissConnectionFailures, dismissFailures } from './components/toast-store.ts';
import { goTo, type Route, routeFromHash } from './routing.ts';
import { failureFrom, runCommand } from './run-command.ts';

/** The settings that a command can focus. */
export type SettingId =
  | 'license'
  | 'sessions'
  | 'language'
  | 'interval'
  | 'startAtLogin'
  | 'keepRunning'
  | 'notifications'
  | 'server';

/** `licenseKey`: the new key, once there is one. */
type KeyReplacement = { readonly licenseKey: string | null };

type WindowStore = {
  /** `null` until the main process has sent the first state. */
  readonly app: AppState | null;
  /** Why the first state could not be loaded. */
  readonly startFailure: Failure | null;
  readonly route: Route;
  /** The newly generated API key, until the user confirms having saved it. */
  readonly newApiKey: string | null;
  /** Set while the license key is being replaced: the password is asked for, then the new key shown until it is saved. */
  readonly keyReplacement: KeyReplacement | null;
  /** The license key typed so far, and the user who typed it: kept while another screen or the sign-in is shown. */
  readonly typedLicenseKey: { readonly userId: string | null; readonly text: string };
  readonly paletteOpen: boolean;
  /** Whether the list of keyboard shortcuts is open. */
  readonly shortcutsOpen: boolean;
  /** The setting to focus. */
  readonly askedSetting: SettingId | null;
  /** Whether the field for the license key is still to take the focus. */
  readonly licenseKeyAsked: boolean;
  /** True if the user wants to sign in although everything works through a lease. */
  readonly signInOpen: boolean;
  /** Whether the user has dismissed the notice that the app was updated. */
  readonly updateDismissed: boolean;
  readonly doctorOpen: boolean;
  readonly supportFileOpen: boolean;
  /** Whether the dialog that renames this device is open. */
  readonly renameOpen: boolean;
  /** Activation id of the device whose details are shown. */
  readonly shownDevice: string | null;
  /** The feature whose decision is shown. */
  readonly explained: string | null;
  /** Set while the sign-out confirmation is open. */
  readonly signOutAsked: { readonly allDevices: boolean } | null;
};

const noLicenseKey = { userId: null, text: '' };

export const useStore = create<WindowStore>()(() => ({
  app: null,
  startFailure: null,
  route: routeFromHash(window.location.hash),
  newApiKey: null,
  keyReplacement: null,
  typedLicenseKey: noLicenseKey,
  paletteOpen: false,
  shortcutsOpen: false,
  askedSetting: null,
  licenseKeyAsked: false,
  signInOpen: false,
  updateDismissed: false,
  doctorOpen: false,
  supportFileOpen: false,
  renameOpen: false,
  shownDevice: null,
  explained: null,
  signOutAsked: null,
}));

/** Loads the app state and tracks its changes for as long as the window exists. */
export function connectStore(): void {
  bridge.onState((app) => {
    if (wasOffline(useStore.getState().app) && app.server.reachability.kind === 'online') {
      dismissConnectionFailures();
      reloadFailed(app);
    }
    const wasSignedOut = useStore.getState().app?.session.kind === 'signed-out';
    if (wasSignedOut && app.session.kind === 'signed-in') dismissFailures();
    const hasSignedOut = app.session.kind === 'signed-out' && app.session.reason === null;
    if (hasSignedOut && userIdOf(useStore.getState().app) !== null) setLicenseKey('');
    useStore.setState(({ app: before, signInOpen, renameOpen, paletteOpen, shortcutsOpen, explained, ...store }) => ({
      app,
      startFailure: null,
      signInOpen: app.session.kind === 'signed-out' && signInOpen,
      signOutAsked: isSameUser(before, app) ? store.signOutAsked : null,
      shownDevice: isSameUser(before, app) ? store.shownDevice : null,
      explained: userIdOf(before) === userIdOf(app) ? explained : null,
      renameOpen: hasScreens(app) && renameOpen,
      paletteOpen: hasScreens(app) && paletteOpen,
      shortcutsOpen: hasScreens(app) && shortcutsOpen,
      // The next user must not see the previous user's new keys.
      newApiKey: isSameUser(before, app) ? store.newApiKey : null,
      keyReplacement: isSameUser(before, app) ? store.keyReplacement : null,
    }));
  });
  bridge.getState().then(
    (app) => useStore.setState((store) => ({ app: store.app ?? app })),
    (error: unknown) => useStore.setState({ startFailure: failureFrom(error) }),
  );
}

/** Returns the id of the signed-in user; `null` while nobody is signed in. */
export function userIdOf(app: AppState | null): string | null {
  return app?.session.kind === 'signed-in' ? app.session.user.id : null;
}

/** Returns what is known of the account; `null` while nobody is signed in, or before the server has said it. */
export function accountOf({ session }: AppState): AccountState | null {
  return session.kind === 'signed-in' ? session.account : null;
}

function wasOffline(app: AppState | null): boolean {
  return app?.server.reachability.kind === 'offline';
}

/** Loads the lists again that could not be loaded. */
function reloadFailed({ devices, sessions }: AppState): void {
  if (devices.failure !== null) void runCommand(() => bridge.listDevices());
  if (sessions.failure !== null) void runCommand(() => bridge.listSessions());
}

/** Compares user ids, because the command line may sign in another user without a sign-out in between. */
function isSameUser(before: AppState | null, app: AppState): boolean {
  return userIdOf(app) !== null && userIdOf(app) === userIdOf(before);
}

/** Selects from the app state. Throws before the first state has arrived, so use it only below `App`. */
export function useApp<T>(select: (app: AppState) => T): T {
  return useStore((store) => {
    if (store.app === null) throw new Error('useApp was called before the main process sent the first state');
    return select(store.app);
  });
}

/** Returns when the last heartbeat succeeded, perhaps in an earlier run of the app; `null` if none is known. */
export function lastHeartbeatOf({ heartbeat, activity }: AppState): string | null {
  return heartbeat.lastAt ?? activity.find(({ kind }) => kind === 'heartbeat')?.at ?? null;
}

/** Returns whether this is a server's account page instead of an app. */
export function isAccountPage({ app }: AppState): boolean {
  return app.runtime === 'browser';
}

/** Returns whether this device was released but still has its license key, so that one click activates it again. */
export function canActivateAgain({ license, thisDevice }: AppState): boolean {
  return license.kind === 'not-activated' && thisDevice !== null && thisDevice.license !== null;
}

/** Returns whether a license key is all that is missing on this device, or another one would help. */
export function needsLicenseKey({ session, thisDevice, license }: AppState): boolean {
  return session.kind === 'signed-in' && (thisDevice?.activated !== true || license.kind === 'blocked');
}

/** Returns whether the next lease can be requested before it is due. */
export function canRenewLease(app: AppState): boolean {
  return app.session.kind === 'signed-in' && app.lease.state === 'good' && app.server.leases !== 'missing';
}

export function showSignIn(signInOpen: boolean): void {
  useStore.setState({ signInOpen });
}

export function showPalette(paletteOpen: boolean): void {
  useStore.setState({ paletteOpen });
}

export function showShortcuts(shortcutsOpen: boolean): void {
  useStore.setState({ shortcutsOpen });
}

/** Opens the settings, if they can be shown, and focuses this one; `null` once it is focused. */
export function askSetting(askedSetting: SettingId | null): void {
  useStore.setState({ askedSetting });
  const { app } = useStore.getState();
  if (askedSetting !== null && app !== null && hasScreens(app)) goTo('settings');
}

/** Asks for confirmation of the sign-out; `null` closes the dialog. */
export function showSignOut(signOutAsked: WindowStore['signOutAsked']): void {
  useStore.setState({ signOutAsked });
}

export function dismissUpdate(): void {
  useStore.setState({ updateDismissed: true });
}

export function showDoctor(doctorOpen: boolean): void {
  useStore.setState({ doctorOpen });
}

export function showSupportFile(supportFileOpen: boolean): void {
  useStore.setState({ supportFileOpen });
}

/** Shows why a feature is on or off; `null` closes the dialog. */
export function explain(explained: string | null): void {
  useStore.setState({ explained });
}

/** Shows the details of a device; `null` closes the dialog. */
export function showDevice(shownDevice: string | null): void {
  useStore.setState({ shownDevice });
}

export function showRename(renameOpen: boolean): void {
  useStore.setState({ renameOpen });
}

export function setNewApiKey(newApiKey: string | null): void {
  useStore.setState({ newApiKey });
}

export function showKeyReplacement(keyReplacement: KeyReplacement | null): void {
  useStore.setState({ keyReplacement });
}

/** Does nothing if that replacement was closed, as when its user has signed out: the next user may have begun another. */
export function showNewLicenseKey(replacement: KeyReplacement, licenseKey: string): void {
  useStore.setState(({ keyReplacement }) => (keyReplacement === replacement ? { keyReplacement: { licenseKey } } : {}));
}

/** Id of the field for it. */
export const licenseKeyFieldId = 'license-key';

/** Opens the screen with the field for the license key, which takes the focus. */
export function askLicenseKey(): void {
  useStore.setState({ licenseKeyAsked: true });
  goTo('devices');
}

export function endAskLicenseKey(): void {
  useStore.setState({ licenseKeyAsked: false });
}

/** Keeps a license key that is being typed, for this user. */
export function setLicenseKey(text: string): void {
  useStore.setState(({ app }) => ({ typedLicenseKey: { userId: userIdOf(app), text } }));
}

/** Forgets the typed license key once it is in use, unless another one has been typed since. */
export function forgetLicenseKey(used: string): void {
  if (useStore.getState().typedLicenseKey.text === used) setLicenseKey('');
}

/** Returns the license key that this user has typed so far. */
export function useLicenseKey(): string {
  return useStore(({ app, typedLicenseKey: { userId, text } }) => (userId === userIdOf(app) ? text : ''));
}
