/** The window's store: the last state received from the main process, and the state that only the window has. */
import { create } from 'zustand';
import type { AppState } from '../shared/ipc/app-state.ts';
import type { Failure } from '../shared/ipc/result.ts';
import { hasScreens } from '../shared/ipc/works-signed-out.ts';
import { bridge } from './account-bridge.ts';
import { type Route, routeFromHash } from './routing.ts';

type WindowStore = {
  /** `null` until the main process has sent the first state. */
  readonly app: AppState | null;
  /** Why the first state could not be loaded. */
  readonly startFailure: Failure | null;
  readonly route: Route;
  /** The API key just generated, until the user confirms that it is saved. */
  readonly newApiKey: string | null;
  readonly paletteOpen: boolean;
  /** The user wants to sign in although everything works by a lease. */
  readonly signInOpen: boolean;
  readonly doctorOpen: boolean;
  readonly supportFileOpen: boolean;
  /** Whether the user gives this device another name. */
  readonly renameOpen: boolean;
  /** The feature whose decision is shown. */
  readonly explained: string | null;
  /** Set while the user is asked whether to sign out. */
  readonly signOutAsked: { readonly allDevices: boolean } | null;
};

export const useStore = create<WindowStore>()(() => ({
  app: null,
  startFailure: null,
  route: routeFromHash(window.location.hash),
  newApiKey: null,
  paletteOpen: false,
  signInOpen: false,
  doctorOpen: false,
  supportFileOpen: false,
  renameOpen: false,
  explained: null,
  signOutAsked: null,
}));

/** Loads the app state and follows its changes, for as long as the window exists. */
export function connectStore(): void {
  bridge.onState((app) =>
    useStore.setState(({ app: before, newApiKey, signInOpen, signOutAsked, renameOpen, explained }) => ({
      app,
      startFailure: null,
      signInOpen: app.session.kind === 'signed-out' && signInOpen,
      signOutAsked: isSameUser(before, app) ? signOutAsked : null,
      explained: userIdOf(before) === userIdOf(app) ? explained : null,
      renameOpen: hasScreens(app) && renameOpen,
      // The next user to sign in must not see the previous user's new key.
      newApiKey: isSameUser(before, app) ? newApiKey : null,
    })),
  );
  bridge.getState().then(
    (app) => useStore.setState((store) => ({ app: store.app ?? app })),
    (error: unknown) =>
      useStore.setState({
        startFailure: { code: 'INTERNAL', message: String(error), at: new Date().toISOString() },
      }),
  );
}

/** `null` while nobody is signed in. */
export function userIdOf(app: AppState | null): string | null {
  return app?.session.kind === 'signed-in' ? app.session.user.id : null;
}

/** The command line may sign in somebody else, and then nobody is signed out in between. */
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

/** Whether this is the account page of a server, and no app. */
export function isAccountPage({ app }: AppState): boolean {
  return app.runtime === 'browser';
}

/** Whether this device was released but still has its license key, so that one click activates it again. */
export function canActivateAgain({ license, thisDevice }: AppState): boolean {
  return license.kind === 'not-activated' && thisDevice !== null && thisDevice.license !== null;
}

/** Until when everything works without the server; `null` where nothing does or that is not known. */
export function offlineUntil({ license }: AppState): string | null {
  return license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
}

/** Whether the server can be asked for the next lease before it is due. */
export function canRenewLease(app: AppState): boolean {
  return app.session.kind === 'signed-in' && app.lease.state === 'good' && app.server.leases !== 'missing';
}

export function showSignIn(signInOpen: boolean): void {
  useStore.setState({ signInOpen });
}

export function showPalette(paletteOpen: boolean): void {
  useStore.setState({ paletteOpen });
}

/** `null` closes the question. */
export function showSignOut(signOutAsked: WindowStore['signOutAsked']): void {
  useStore.setState({ signOutAsked });
}

export function showDoctor(doctorOpen: boolean): void {
  useStore.setState({ doctorOpen });
}

export function showSupportFile(supportFileOpen: boolean): void {
  useStore.setState({ supportFileOpen });
}

/** Shows why a feature is on or off, or no longer. */
export function explain(explained: string | null): void {
  useStore.setState({ explained });
}

export function showRename(renameOpen: boolean): void {
  useStore.setState({ renameOpen });
}

export function setNewApiKey(newApiKey: string | null): void {
  useStore.setState({ newApiKey });
}
