/** Sends a command to the process that holds the profile. */
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { CommandResult } from './command-result.ts';
import { controlResponse } from './control-messages.ts';
import { isOwnSocket } from './control-path.ts';

const connectTimeoutMs = 2000;

/** A connection to the holder; `null` if nobody listens. */
export async function connectControl(path: string): Promise<ControlConnection | null> {
  if (!isOwnSocket(path)) return null;
  const socket = createConnection(path);
  const timer = setTimeout(() => socket.destroy(), connectTimeoutMs);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
  clearTimeout(timer);
  return connected ? new ControlConnection(socket) : null;
}

/** Whether the process that holds the profile shows a window. */
export async function isWindowOpen(path: string): Promise<boolean> {
  const holder = await connectControl(path);
  const result = await holder?.run('status', { check: false });
  holder?.close();
  return result?.exit === 0 && 'value' in result && (result.value as { window?: unknown }).window === true;
}

export class ControlConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
  }

  /** The result of the command; `null` if the holder has gone before it sent one. */
  async run(command: string, input: unknown): Promise<CommandResult | null> {
    this.#socket.write(`${JSON.stringify({ id: 1, command, input })}\n`);
    try {
      for await (const line of createInterface({ input: this.#socket })) {
        return controlResponse.parse(JSON.parse(line)).result as CommandResult;
      }
    } catch {
      // The connection was reset, or what came is no response.
    }
    return null;
  }

  /** The holder cancels what it does for this process. */
  close(): void {
    this.#socket.destroy();
  }
}
