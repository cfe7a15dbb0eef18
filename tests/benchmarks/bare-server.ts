/** The yardstick: a Fastify with one POST route that takes and gives a little JSON and does nothing else. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

const app = fastify();
app.post('/', async () => ({ success: true }));
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`);
process.once('SIGTERM', () => app.close());
