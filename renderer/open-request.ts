/** What was opened with the app from outside, a link or a file, and the lease that is about to be imported. */
import { create } from 'zustand';
import { maxLeaseText } from '../shared/formats/lease-text.ts';
import type { OpenRequest, Place } from '../shared/ipc/open-request.ts';
import { bridge } from './bridge.ts';
import { goTo, type Route, routeFromHash } from './routing.ts';

/** Where the text comes from: the user is yet to choose, pastes it, or has opened a file. */
export type LeaseImport =
  | { readonly kind: 'choose' | 'paste' }
  | { readonly kind: 'file'; readonly name: string; readonly text: string };

type Opening = {
  /** What the main process waits for the window to do. */
  readonly request: OpenRequest | null;
  /** Set while the import dialog is open. */
  readonly leaseImport: LeaseImport | null;
};

export const useOpening = create<Opening>()(() => ({ request: null, leaseImport: null }));

/** Follows what is opened, for as long as the window exists. */
export function connectOpenRequests(): void {
  let hasArrived = false;
  bridge.onOpenRequest((request) => {
    hasArrived = true;
    useOpening.setState({ request });
  });
  bridge.getOpenRequest().then(
    (request) => {
      if (!hasArrived) useOpening.setState({ request });
    },
    // The page says itself that it cannot reach the main process.
    () => {},
  );
}

/** The request is done, or the user does not want it. */
export function closeOpenRequest({ id }: OpenRequest): void {
  useOpening.setState(({ request }) => ({ request: request?.id === id ? null : request }));
  void bridge.closeOpenRequest({ id });
}

export function showLeaseImport(leaseImport: LeaseImport | null): void {
  useOpening.setState({ leaseImport });
}

/** Opens the import dialog with a file that was chosen or dropped; whether it could be read. */
export async function importLeaseFile(file: File): Promise<boolean> {
  try {
    const text = await file.slice(0, maxLeaseText + 1).text();
    showLeaseImport({ kind: 'file', name: file.name, text });
    return true;
  } catch {
    return false;
  }
}

export function isLeaseFile({ name }: File): boolean {
  return name.toLowerCase().endsWith('.lease');
}

export function goToPlace(place: Place): void {
  goTo(routeOf(place));
}

/** A place has the name that the hash of its route has. */
function routeOf(place: Place): Route {
  return routeFromHash(`#${place}`);
}
