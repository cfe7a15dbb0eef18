/** A receiver of events: an HTTP server on the loopback address that records what it gets and answers as it is told. */
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
  /** The status of the next responses; 200 at first. `endless` is 200 and a body that never ends. */
  answer: number | 'nothing' | 'endless';
  /** How many connections were open at most at the same moment. */
  mostConnections: number;
  /** Headers of the responses. */
  answerHeaders: Readonly<Record<string, string>>;
};

export type EventMessage = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Stopped when the test is over. */
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

/** The events that were received, each verified by the library of Standard Webhooks. `nowMs` is the sender's time. */
export function verifyAll({ received }: EventReceiver, secret: string): EventMessage[] {
  const library = new Webhook(secret);
  return received.map(({ headers, body }) => {
    const signed = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
    );
    return library.verify(body, signed) as EventMessage;
  });
}
