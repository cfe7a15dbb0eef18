/** The toasts that are shown: short results for a few seconds, and failures until they are closed. */
import { create } from 'zustand';

/** Read aloud. A failure stays; with `isConnectionFailure` it offers what helps where the server could not be reached. */
export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'blocked';
  readonly isConnectionFailure: boolean;
};

export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));

let lastToastId = 0;

/** Shows a toast, in place of one that says the same; of more than three results or failures, the oldest goes. */
export function showToast(text: string, tone: Toast['tone'] = 'good', isConnectionFailure = false): void {
  lastToastId += 1;
  const toast = { id: lastToastId, text, tone, isConnectionFailure };
  useToasts.setState(({ toasts }) => {
    const alike = toasts.filter((other) => other.tone === tone);
    const kept = alike.filter((other) => other.text !== text).slice(-2);
    return { toasts: [...toasts.filter((other) => other.tone !== tone || kept.includes(other)), toast] };
  });
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}
