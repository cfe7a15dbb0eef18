/** The toasts that are shown: short results, each for a few seconds. */
import { create } from 'zustand';

/** A short result, shown for a few seconds and read aloud. */
export type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'blocked' };

export const useToasts = create<{ readonly toasts: readonly Toast[] }>()(() => ({ toasts: [] }));

let lastToastId = 0;

/** Shows a toast; of more than three, the oldest goes. */
export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  lastToastId += 1;
  const toast = { id: lastToastId, text, tone };
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-2), toast] }));
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}
