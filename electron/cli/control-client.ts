/** Sends a command to the process that holds the profile. */
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isOwnSocket } from '../platform/control-path.ts';
import { type CommandResult, isNotRun, outcomeUnknown } from './command-result.ts';
import { controlResponse, maxLineBytes } from './control-messages.ts';
import { closeTimeoutMs } from './control-server.ts';

const connectTimeoutMs = 2000;
/** Short, because the holder asks no server for it. */
const statusTimeoutMs = 5000;

/** How long another process may take to start until it holds the profile, or to end until it has released it. */
export const holderTimeoutMs = closeTimeoutMs + 10_000;

export function profileIsBusy(profile: string): Error {
  return new Error(`Another Latchkey uses ${profile} and does not answer. Quit it and try again.`);
}

/** Connects to the holder; `null` if nobody listens. */
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

/** True if the process that holds the profile shows a window; false if it does not answer in time. */
export async function isWindowOpen(path: string, timeoutMs?: number): Promise<boolean> {
  const holder = await connectControl(path);
  const status = await holder?.status({ timeoutMs });
  holder?.close();
  return typeof status === 'object' && 'value' in status && (status.value as { window?: unknown }).window === true;
}

type StatusRequest = {
  /** The server address that the command is for. */
  readonly server?: string | undefined;
  readonly timeoutMs?: number | undefined;
};

class ControlConnection {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  constructor(socket: Socket) {
    this.#socket = socket;
    let receivedBytes = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxLineBytes) socket.destroy();
    });
    const lines = createInterface({ input: socket });
    socket.once('close', () => lines.close());
    // It forwards the socket's errors, even after the last line.
    lines.on('error', () => {});
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /**
   * Returns what the holder reports about itself without asking its server; `not-run` if it is gone, ending or busy. A
   * hung process still accepts connections: `hangs` if it does not respond in time, and the connection is closed.
   */
  async status({
    server,
    timeoutMs = statusTimeoutMs,
  }: StatusRequest = {}): Promise<CommandResult | 'not-run' | 'hangs'> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const close = () => this.close();
    timeout.addEventListener('abort', close);
    const { result } = await this.#send('status', { check: false }, server);
    timeout.removeEventListener('abort', close);
    if (result === null && timeout.aborted) return 'hangs';
    return result === null || isNotRun(result) ? 'not-run' : result;
  }

  /**
   * Returns the result of the command; `null` if the holder has certainly not run it, because it is gone, ending or
   * busy. If it ended before answering, the result says that the outcome is unknown.
   */
  async run(command: string, input: unknown, server?: string): Promise<CommandResult | null> {
    const { isSent, result } = await this.#send(command, input, server);
    if (result === null) return isSent ? outcomeUnknown : null;
    return isNotRun(result) ? null : result;
  }

  /** `result` is `null` if none was received. */
  async #send(command: string, input: unknown, server?: string) {
    const line = `${JSON.stringify({ id: 1, command, input, server })}\n`;
    const reading = this.#readResult();
    const isSent = await new Promise<boolean>((resolve) => this.#socket.write(line, (error) => resolve(!error)));
    return { isSent, result: await reading };
  }

  async #readResult(): Promise<CommandResult | null> {
    try {
      const { value, done } = await this.#lines.next();
      return done ? null : (controlResponse.parse(JSON.parse(value)).result as CommandResult);
    } catch {
      // The connection was reset, or what was received is not a response.
      return null;
    }
  }

  /** Makes the holder cancel what it does for this process. */
  close(): void {
    this.#socket.destroy();
  }
}
