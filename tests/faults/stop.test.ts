/** SIGTERM: the server finishes pending requests, accepts no new ones, and exits with 0. */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { openSocket, parseResponse, readToEnd } from '../harness/raw-request.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { httpTransport, TestClient } from '../harness/test-client.ts';
import { goodPassword, newEmail } from '../harness/users.ts';

let dataFolder: string;
let server: ServerProcess;

beforeEach(async () => {
  dataFolder = makeTemporaryFolder();
  server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
});

afterEach(async () => {
  await server.kill();
  removeFolder(dataFolder);
});

const clientOf = ({ url }: ServerProcess) => new TestClient(httpTransport(url));

/** Starts a sign-up whose body has not been sent yet: the server has read its headers and waits. */
async function pendingSignUp() {
  const email = newEmail();
  const body = JSON.stringify({ email, password: goodPassword });
  const socket = await openSocket(server.url);
  const lines = [
    'POST /api/v1/auth/signup HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  // The interim response shows that the request has arrived and is being handled.
  const [interim] = await once(socket, 'data');
  expect(String(interim)).toMatch(/^HTTP\/1\.1 100 /);
  return { email, socket, body };
}

/** Resolves once the server no longer accepts connections. */
async function stopsAccepting(): Promise<void> {
  const accepts = async () => {
    const socket = await openSocket(server.url).catch(() => undefined);
    socket?.destroy();
    return socket !== undefined;
  };
  await expect.poll(accepts, { interval: 20 }).toBe(false);
}

describe('SIGTERM', () => {
  it('lets a pending request finish, keeps what it wrote, and exits with 0', async () => {
    const { email, socket, body } = await pendingSignUp();
    server.process.kill('SIGTERM');
    await stopsAccepting();
    const received = readToEnd(socket);
    socket.write(body);
    const response = parseResponse(await received);
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect(JSON.parse(response.text)).toMatchObject({ user: { email } });
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });

    server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
    const signedIn = await clientOf(server).call('login', { body: JSON.parse(body) });
    expect(signedIn.status).toBe(200);
  });

  it('responds to each of many pending requests, and exits with 0', async () => {
    const pending = await Promise.all(Array.from({ length: 10 }, pendingSignUp));
    server.process.kill('SIGTERM');
    await stopsAccepting();
    const received = pending.map(({ socket }) => readToEnd(socket));
    for (const { socket, body } of pending) socket.write(body);
    const statuses = (await Promise.all(received)).map((text) => parseResponse(text).status);
    expect(statuses).toStrictEqual(Array.from({ length: 10 }, () => 200));
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
  });

  it('does not wait for a connection without a request', async () => {
    const silent = await openSocket(server.url);
    // A response on a later connection shows that the silent one has been accepted.
    await clientOf(server).request('GET', '/healthz');
    const { socket, body } = await pendingSignUp();
    server.process.kill('SIGTERM');
    // It is closed while a request is still pending, so the server does not wait for it.
    await readToEnd(silent);
    const received = readToEnd(socket);
    socket.write(body);
    expect(parseResponse(await received).status).toBe(200);
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
  });

  it('sent twice is not an error', async () => {
    server.process.kill('SIGTERM');
    server.process.kill('SIGTERM');
    const { code, signal } = await server.exited;
    expect([0, null]).toContain(code);
    expect([null, 'SIGTERM']).toContain(signal);
  });
});
