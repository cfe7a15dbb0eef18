/** Where several server processes count together: what PostgreSQL and Redis have in common. */
import type { WindowState } from './rate-counter.ts';

/** For how long a store may think before the process counts by itself. */
export const answerWithinMs = 1000;

export type RateStore = {
  /** The store for people: its address without user and password. */
  readonly address: string;
  /**
   * Counts one request, all at once for all processes, by the clock of the store.
   * Rejects when the store cannot be used, or does not answer within `answerWithinMs` or little more.
   */
  take(key: string, limit: number): Promise<WindowState>;
  close(): Promise<void>;
};

/** Settles as `work` does; when that takes too long, calls `giveUp` and rejects. */
export async function withinTime<T>(work: Promise<T>, giveUp: () => void): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    giveUp();
    reject(new Error(`no answer within ${answerWithinMs} ms`));
  }, answerWithinMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Why a store cannot be used, in a few words. What a server quotes is left out: some repeat the command that they
 * refuse, and it may have been the one with the password.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const [said = ''] = error.message.split(/[\n,'"`(]/);
  return said.trim() || ('code' in error ? String(error.code) : error.name);
}
