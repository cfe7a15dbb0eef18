/** The load generator: reads one order on stdin, keeps its connections busy, and prints what it measured. */
import { text } from 'node:stream/consumers';
import autocannon, { type Client } from 'autocannon';
import type { LoadOrder, LoadResult } from './load.ts';

const order = JSON.parse(await text(process.stdin)) as LoadOrder;
const durationsMs: number[] = [];
let nextConnection = 0;

function setUpConnection(client: Client): void {
  const { headers, body } = order.connections[nextConnection++ % order.connections.length] ?? { headers: {} };
  client.setHeadersAndBody({ ...headers }, body);
  client.on('response', (_status, _bytes, durationMs) => durationsMs.push(durationMs));
  const { carry } = order;
  if (carry === undefined) return;
  let received = '';
  client.on('headers', () => {
    received = '';
  });
  client.on('body', (part) => {
    received += part.toString();
    if (received.endsWith('}')) client.setBody(JSON.stringify({ [carry]: JSON.parse(received)[carry] }));
  });
}

const result = await autocannon({
  url: order.url,
  method: order.method,
  connections: order.connections.length,
  duration: order.seconds,
  setupClient: setUpConnection,
});

if (result.non2xx > 0 || result.errors > 0 || result.timeouts > 0) {
  throw new Error(
    `${order.url}: ${result.non2xx} error responses, ${result.errors} errors, ${result.timeouts} time-outs`,
  );
}

durationsMs.sort((a, b) => a - b);
const percentile = (part: number) => durationsMs[Math.floor(durationsMs.length * part)] ?? 0;
const measured: LoadResult = {
  requestsPerSecond: result['2xx'] / result.duration,
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
};
console.log(JSON.stringify(measured));
