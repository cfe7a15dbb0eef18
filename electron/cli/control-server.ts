/** Serves the commands of other processes on the control socket of the profile that this process holds. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type CommandResult, wrongUsage } from './command-result.ts';
import { controlRequest, maxLineBytes } from './control-messages.ts';

export type RunCommand = (command: string, input: unknown, signal: AbortSignal) => Promise<CommandResult>;

export type ControlServer = { readonly close: () => Promise<void> };

const maxConnections = 16;

/**
 * Listens until it is closed. The caller must hold the lock of the profile. What an earlier process left at the path is
 * replaced. Rejects if the system does not allow it.
 */
export async function serveControl(path: string, run: RunCommand): Promise<ControlServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveConnection(socket, run);
  });
  server.maxConnections = maxConnections;
  if (process.platform !== 'win32') rmSync(path, { force: true });
  await listen(server, path);
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Nobody else may connect, not even for the moment before the mode is set. */
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

function serveConnection(socket: Socket, run: RunCommand): void {
  const gone = new AbortController();
  let receivedBytes = 0;
  socket.on('error', () => socket.destroy());
  socket.once('close', () => gone.abort());
  socket.on('data', (chunk) => {
    receivedBytes += chunk.length;
    if (receivedBytes > maxLineBytes) socket.destroy();
  });
  createInterface({ input: socket }).on('line', async (line) => {
    const request = controlRequest.safeParse(parseJson(line));
    const { id, command, input } = request.data ?? { id: 0, command: '', input: undefined };
    const result = request.success
      ? await run(command, input, gone.signal)
      : wrongUsage('The request on the control socket is not valid.');
    if (!socket.destroyed) socket.write(`${JSON.stringify({ id, result })}\n`);
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
