/** What the window knows: the last state that main told, and what is the window's own. */
import { create } from 'zustand';
import type { AppState } from '../shared/ipc/app-state.ts';
import type { Failure } from '../shared/ipc/result.ts';
import { type Place, placeOfHash } from './routing.ts';

/** A short result, shown for a few seconds and read aloud. */
export type Notice = { readonly id: number; readonly text: string; readonly tone: 'good' | 'blocked' };

type WindowStore = {
  readonly app: AppState | null;
  /** Why there is no state at all. */
  readonly startFailure: Failure | null;
  readonly place: Place;
  readonly notices: readonly Notice[];
  /** The key generated just now, until the person has saved it. */
  readonly freshApiKey: string | null;
  readonly paletteOpen: boolean;
  readonly doctorOpen: boolean;
};

export const useStore = create<WindowStore>()(() => ({
  app: null,
  startFailure: null,
  place: placeOfHash(window.location.hash),
  notices: [],
  freshApiKey: null,
  paletteOpen: false,
  doctorOpen: false,
}));

/** A part of the state that main told. Only for what is rendered once a state is there. */
export function useApp<T>(select: (app: AppState) => T): T {
  return useStore((store) => {
    if (store.app === null) throw new Error('the window shows this only with a state');
    return select(store.app);
  });
}

/** Whether this device's slot was released while it still holds the key of its license. */
export function holdsReleasedKey({ license, thisDevice }: AppState): boolean {
  return license.kind === 'not-activated' && thisDevice !== null && thisDevice.license !== null;
}

let lastNotice = 0;

/** Shows a result for a few seconds, wherever the person is. */
export function notify(text: string, tone: Notice['tone'] = 'good'): void {
  lastNotice += 1;
  const notice = { id: lastNotice, text, tone };
  useStore.setState((store) => ({ notices: [...store.notices.slice(-2), notice] }));
}

/** Takes a notice away. */
export function dismissNotice(id: number): void {
  useStore.setState((store) => ({ notices: store.notices.filter((notice) => notice.id !== id) }));
}

/** Opens or closes the command palette. */
export function showPalette(paletteOpen: boolean): void {
  useStore.setState({ paletteOpen });
}

/** Opens or closes the connection doctor. */
export function showDoctor(doctorOpen: boolean): void {
  useStore.setState({ doctorOpen });
}

/** Keeps the key that is shown once, or forgets it. */
export function keepFreshApiKey(freshApiKey: string | null): void {
  useStore.setState({ freshApiKey });
}
