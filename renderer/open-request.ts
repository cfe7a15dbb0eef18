/** Links and files opened with the app from outside, and the pending lease import. */
import { create } from 'zustand';
import { maxLeaseText } from '../shared/formats/lease-text.ts';
import type { OpenRequest, Place } from '../shared/ipc/open-request.ts';
import { bridge } from './bridge.ts';
import { goTo, type Route, routeFromHash } from './routing.ts';

/** Source of the text: not chosen yet, pasted, or an opened file. */
export type LeaseImport =
  | { readonly kind: 'choose' | 'paste' }
  | { readonly kind: 'file'; readonly name: string; readonly text: string };

/** A link with a license key. */
export type ActivationRequest = Extract<OpenRequest, { kind: 'activate' }>;

type Opening = {
  /** Any other request, until the window has handled it. */
  readonly request: Exclude<OpenRequest, ActivationRequest> | null;
  /** Waits for the user's answer, whatever else is opened meanwhile. */
  readonly activation: ActivationRequest | null;
  /** Set while the import dialog is open. */
  readonly leaseImport: LeaseImport | null;
};

export const useOpening = create<Opening>()(() => ({
  request: null,
  activation: null,
  leaseImport: null,
}));

/** Tracks open requests for as long as the window exists. */
export function connectOpenRequests(): void {
  let hasArrived = false;
  bridge.onOpenRequest((request) => {
    hasArrived = true;
    receive(request);
  });
  bridge.getOpenRequest().then(
    (request) => {
      if (!hasArrived) receive(request);
    },
    // The page itself reports that it cannot reach the main process.
    () => {},
  );
}

function receive(request: OpenRequest | null): void {
  if (request === null) useOpening.setState({ request: null, activation: null });
  else useOpening.setState(request.kind === 'activate' ? { activation: request } : { request });
}

/** Closes a request that was handled or declined. */
export function closeOpenRequest({ id }: OpenRequest): void {
  useOpening.setState(({ request, activation }) => ({
    request: request?.id === id ? null : request,
    activation: activation?.id === id ? null : activation,
  }));
  void bridge.closeOpenRequest({ id });
}

export function showLeaseImport(leaseImport: LeaseImport | null): void {
  useOpening.setState({ leaseImport });
}

/** Opens the import dialog with a chosen or dropped file; resolves to whether it could be read. */
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

/** Returns the route whose hash is the place's name. */
export function routeOf(place: Place): Route {
  return routeFromHash(`#${place}`);
}
