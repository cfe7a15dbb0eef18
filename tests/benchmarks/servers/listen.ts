/** How the servers in the comparison start and stop: on a free port, which they print, until SIGTERM. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export async function listen(app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  console.log(`listening on http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`);
  process.once('SIGTERM', () => app.close());
}
