/** Sends a command to the process that holds the profile. */
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type CommandResult, isNotRun, outcomeUnknown } from './command-result.ts';
import { controlResponse, maxLineBytes } from './control-messages.ts';
import { isOwnSocket } from './control-path.ts';
import { closeTimeoutMs } from './control-server.ts';

const connectTimeoutMs = 2000;
/** It asks no server. */
const statusTimeoutMs = 5000;

/** How long another process may take to start or to end before it holds the profile or has released it. */
export const holderTimeoutMs = closeTimeoutMs + 10_000;

export function profileIsBusy(profile: string): Error {
  return new Error(`Another Latchkey uses ${profile} and does not answer. Quit it and try again.`);
}

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

/** Whether the process that holds the profile shows a window; false if it does not say so in time, in milliseconds. */
export async function isWindowOpen(path: string, timeoutMs = statusTimeoutMs): Promise<boolean> {
  const holder = await connectControl(path);
  const timer = setTimeout(() => holder?.close(), timeoutMs);
  const result = await holder?.run('status', { check: false });
  clearTimeout(timer);
  holder?.close();
  return result?.exit === 0 && 'value' in result && (result.value as { window?: unknown }).window === true;
}

export class ControlConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
  }

  /**
   * The result of the command; `null` if the holder has certainly not run it, because it has gone, ends or is busy. Where it has gone
   * before it answered, the result says that the outcome is unknown.
   */
  async run(command: string, input: unknown, server?: string): Promise<CommandResult | null> {
    const line = `${JSON.stringify({ id: 1, command, input, server })}\n`;
    const reading = this.#readResult();
    const isSent = await new Promise<boolean>((resolve) => this.#socket.write(line, (error) => resolve(!error)));
    const result = await reading;
    if (result === null) return isSent ? outcomeUnknown : null;
    return isNotRun(result) ? null : result;
  }

  async #readResult(): Promise<CommandResult | null> {
    let receivedBytes = 0;
    this.#socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxLineBytes) this.#socket.destroy();
    });
    const lines = createInterface({ input: this.#socket });
    this.#socket.once('close', () => lines.close());
    // It passes on the errors of the socket, also after the loop has ended.
    lines.on('error', () => {});
    try {
      for await (const line of lines) {
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
