/** Runs commands of other processes, received on the control socket of the profile that this process holds. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../licensing/platform.ts';
import { type CommandResult, notRun, wrongUsage } from './command-result.ts';
import { type ControlRequest, controlRequest, maxLineBytes } from './control-messages.ts';

export type RunCommand = (command: string, input: unknown, caller: Caller) => Promise<CommandResult>;

export type Caller = {
  /** Aborts when the caller is gone or this process ends. */
  readonly signal: AbortSignal;
  /** The server address that the command is for; `undefined` means the one in use. */
  readonly server: string | undefined;
};

type ControlServer = {
  /**
   * Accepts no more commands and waits for running ones, up to a time limit. Callers still waiting then cannot know the
   * outcome; all others are told to run their command themselves.
   */
  readonly close: () => Promise<void>;
};

const maxConnections = 16;

/** Longer than a command that changes something takes with a server that does not answer. */
export const closeTimeoutMs = 30_000;

export type CloseTimeouts = {
  /** Time for running commands to finish. */
  readonly closeTimeoutMs: number;
  /** Time for callers to read the last message. */
  readonly goodbyeTimeoutMs: number;
};

/**
 * Listens until closed. The caller must hold the lock of the profile. Replaces what an earlier process left at the
 * path. Rejects if the system does not allow it.
 */
export async function serveControl(
  path: string,
  run: RunCommand,
  timeouts: CloseTimeouts = { closeTimeoutMs, goodbyeTimeoutMs: 1000 },
): Promise<ControlServer> {
  const ending = new AbortController();
  const connections = new Set<ControlledConnection>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    const connection = new ControlledConnection(socket, run, ending.signal);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
    if (connections.size > maxConnections) connection.close();
  });
  const removeSocket = () => process.platform !== 'win32' && rmSync(path, { force: true });
  removeSocket();
  await listen(server, path);
  server.unref();
  return {
    close: async () => {
      ending.abort();
      const idle = Promise.all([...connections].map((connection) => connection.idle()));
      await Promise.race([idle, wait(timeouts.closeTimeoutMs, undefined, { ref: false })]);
      // Clients that have connected by now are accepted and told before the server closes. Each turn of the event loop
      // accepts at least one of them.
      removeSocket();
      for (let before = -1; before < accepted; ) {
        before = accepted;
        await nextTurn();
        await nextTurn();
      }
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.close();
      await Promise.race([closed, wait(timeouts.goodbyeTimeoutMs, undefined, { ref: false })]);
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** Does the same; if the system allows no socket there, other processes are not served and everything else works. */
export async function serveControlIfPossible(path: string, run: RunCommand, log: Log): Promise<ControlServer> {
  try {
    return await serveControl(path, run);
  } catch (error) {
    log.warn('commands of other processes are not served', { error: String(error) });
    return { close: async () => {} };
  }
}

/** No other user may connect, not even in the moment before the mode is set. */
function listen(server: Server, path: string): Promise<void> {
  const before = process.platform === 'win32' ? null : process.umask(0o177);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      if (process.platform !== 'win32') chmodSync(path, 0o600);
      resolve();
    });
    if (before !== null) process.umask(before);
  });
}

class ControlledConnection {
  readonly #socket: Socket;
  readonly #run: RunCommand;
  readonly #ending: AbortSignal;
  readonly #gone = new AbortController();
  /** The running command. */
  #running: Promise<CommandResult> | null = null;
  #isClosed = false;

  constructor(socket: Socket, run: RunCommand, ending: AbortSignal) {
    this.#socket = socket;
    this.#run = run;
    this.#ending = ending;
    let receivedBytes = 0;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#gone.abort());
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxLineBytes) socket.destroy();
    });
    const lines = createInterface({ input: socket });
    // It forwards the socket's errors, even after it was read to its end.
    lines.on('error', () => {});
    socket.once('close', () => lines.close());
    // Reading fails when the connection does.
    this.#respondToEach(lines).catch(() => {});
  }

  /** Resolves once no command is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Tells the caller that nothing more will run; if a command is still running, only disconnects. */
  close(): void {
    this.#isClosed = true;
    if (this.#running !== null) this.destroy();
    else this.#socket.end(responseLine(0, notRun), () => this.destroy());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Handles one request at a time: nothing more is read until the caller has taken the response. */
  async #respondToEach(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const request = controlRequest.safeParse(parseJson(line));
      this.#running = request.success
        ? this.#runUnlessClosed(request.data)
        : Promise.resolve(wrongUsage('The request on the control socket is not valid.'));
      const response = responseLine(request.data?.id ?? 0, await this.#running);
      this.#running = null;
      if (this.#socket.writable) await new Promise((written) => this.#socket.write(response, written));
    }
  }

  async #runUnlessClosed({ command, input, server }: ControlRequest): Promise<CommandResult> {
    if (this.#isClosed || this.#ending.aborted || this.#gone.signal.aborted) return notRun;
    return this.#run(command, input, { signal: AbortSignal.any([this.#gone.signal, this.#ending]), server });
  }
}

function responseLine(id: number, result: CommandResult): string {
  return `${JSON.stringify({ id, result })}\n`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
