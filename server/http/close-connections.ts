/** Lets the app close as soon as the requests it holds are answered, not when clients hang up at last. */
import type { FastifyInstance } from 'fastify';

/** From the moment that the app closes, every answer says that it is the last one of its connection. */
export function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}
