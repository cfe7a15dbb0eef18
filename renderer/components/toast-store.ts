/** The current toasts: results for a few seconds, failures until they are closed, and work until it is done. */
import { create } from 'zustand';

/**
 * A message announced to screen readers. A failure stays; with `isConnectionFailure`, it offers help for an unreachable
 * server. What is `pending` stays until it is done, and may have a button.
 */
export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'blocked' | 'pending';
  readonly isConnectionFailure: boolean;
  readonly action?: ToastAction;
};

type ToastAction = { readonly label: string; readonly onPress: () => void };

export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));

let lastToastId = 0;

/** Shows a toast, replacing one with the same text; beyond three results or three failures, the oldest is dropped. */
export function showToast(text: string, tone: 'good' | 'blocked' = 'good', isConnectionFailure = false): void {
  add({ text, tone, isConnectionFailure });
}

/** Shows that work is not done yet, until the returned function is called. */
export function showPendingToast(text: string, action?: ToastAction): () => void {
  const id = add({ text, tone: 'pending', isConnectionFailure: false, ...(action && { action }) });
  return () => dismissToast(id);
}

const slowAfterMs = 1000;

/** Settles as the work does. If that takes longer than a second, a toast says what is waited for. */
export async function withPendingToast<T>(text: string, work: Promise<T>): Promise<T> {
  let hide = () => {};
  const timer = window.setTimeout(() => {
    hide = showPendingToast(text);
  }, slowAfterMs);
  try {
    return await work;
  } finally {
    window.clearTimeout(timer);
    hide();
  }
}

function add(added: Omit<Toast, 'id'>): number {
  lastToastId += 1;
  const toast = { id: lastToastId, ...added };
  const { text, tone } = toast;
  useToasts.setState(({ toasts }) => {
    const alike = toasts.filter((other) => other.tone === tone);
    const kept = alike.filter((other) => other.text !== text).slice(-2);
    return { toasts: [...toasts.filter((other) => other.tone !== tone || kept.includes(other)), toast] };
  });
  return toast.id;
}

/** Removes the failures to reach the server, which are over once it responds again. */
export function dismissConnectionFailures(): void {
  dismiss(({ isConnectionFailure }) => isConnectionFailure);
}

/** Removes the failures of a session, which are over once somebody has signed in again. */
export function dismissFailures(): void {
  dismiss(({ tone }) => tone === 'blocked');
}

export function dismissToast(id: number): void {
  dismiss((toast) => toast.id === id);
}

function dismiss(isOver: (toast: Toast) => boolean): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => !isOver(toast)) }));
}
