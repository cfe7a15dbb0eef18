/** Checks the sender and the argument of a window command before it runs. */
import type { z } from 'zod';
import { type Failure, fail } from '../../shared/ipc/result.ts';
import type { Log } from '../licensing/platform.ts';

/** The checked part of an IPC event; a frame inside the page has a parent, and a destroyed frame is `null`. */
type SenderEvent = {
  readonly sender: object;
  readonly senderFrame: { readonly url: string; readonly parent: object | null } | null;
};
type SenderWindow = { readonly isDestroyed: () => boolean; readonly webContents: object };

export type CommandGuard = {
  /** Only the main frame of this window may call commands, and only while it shows our own page. */
  readonly window: SenderWindow;
  readonly ownOrigin: string;
  readonly now: () => number;
  readonly log: Log;
};

type GuardedCommand = {
  readonly name: string;
  /** Schema of its argument. */
  readonly input: z.ZodType;
  readonly run: (input: unknown) => unknown;
};

/** Returns the listener of one command's channel. It never rejects, so no stack trace reaches the window. */
export function handleCommand({ name, input: schema, run }: GuardedCommand, guard: CommandGuard) {
  const failNow = (code: Failure['code'], message: string) =>
    fail({ code, message, at: new Date(guard.now()).toISOString() });

  return async (event: SenderEvent, ...input: unknown[]): Promise<unknown> => {
    if (!isOwnPage(event, guard.window, guard.ownOrigin)) {
      guard.log.warn('a command was called from a page that is not ours', { command: name });
      return failNow('INTERNAL', 'This page may not call Latchkey.');
    }
    const parsed = schema.safeParse(input[0]);
    if (!parsed.success || input.length > 1) {
      guard.log.warn('a command was called with an invalid argument', { command: name });
      return failNow('VALIDATION_ERROR', `The argument of "${name}" is invalid.`);
    }
    try {
      return await run(parsed.data);
    } catch (error) {
      guard.log.warn('a command failed', {
        command: name,
        error: error instanceof Error ? error.message : String(error),
      });
      return failNow('INTERNAL', 'Something went wrong.');
    }
  };
}

/** True if a message came from the page that we loaded, not from a frame inside it or from another page. */
export function isOwnPage({ sender, senderFrame }: SenderEvent, window: SenderWindow, ownOrigin: string): boolean {
  if (senderFrame === null || window.isDestroyed() || sender !== window.webContents) return false;
  return senderFrame.parent === null && originOf(senderFrame.url) === ownOrigin;
}

/** The origin of a URL; `null` if it is none. `URL.origin` is "null" for a custom scheme outside of Chromium. */
export function originOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return null;
  }
}
