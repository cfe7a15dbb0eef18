/** An event receiver: an HTTP server on the loopback address that records requests and responds as told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

export type EventReceiver = {
  readonly url: string;
  readonly received: Received[];
  /** Status of the next responses; initially 200. `endless` means 200 with a body that never ends. */
  answer: number | 'nothing' | 'endless';
  /** Maximum number of simultaneously open connections. */
  mostConnections: number;
  /** Headers of the responses. */
  answerHeaders: Readonly<Record<string, string>>;
};

export type EventMessage = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Starts a receiver and stops it when the test ends. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const receiver: EventReceiver & { url: string } = {
    url: '',
    received: [],
    answer: 200,
    answerHeaders: {},
    mostConnections: 0,
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    receiver.received.push({ path: request.url ?? '', headers: request.headers, body });
    if (receiver.answer === 'endless') response.writeHead(200, receiver.answerHeaders).write('…');
    else if (receiver.answer !== 'nothing') response.writeHead(receiver.answer, receiver.answerHeaders).end('ok');
  });
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    receiver.mostConnections = Math.max(receiver.mostConnections, connections);
    socket.on('close', () => (connections -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return receiver;
}

/** Returns the received events, each verified with the Standard Webhooks library. */
export function verifyAll({ received }: EventReceiver, secret: string): EventMessage[] {
  const library = new Webhook(secret);
  return received.map(({ headers, body }) => {
    const signed = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
    );
    return library.verify(body, signed) as EventMessage;
  });
}
