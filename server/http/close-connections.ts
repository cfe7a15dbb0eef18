/** Lets the app close as soon as the requests it holds are answered, not when clients hang up at last. */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * From the moment that the app closes, every answer says that it is the last one of its connection.
 * Connections on which nothing was ever asked are cut: Node counts them as busy until their headers are overdue.
 */
export function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  const open = new Set<Socket>();
  const note = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (stopping) socket.destroy();
  };
  // Of an encrypted connection, the first counts the bytes of the handshake as well, the second only what was asked.
  app.server.on('connection', note).on('secureConnection', note);
  app.addHook('preClose', async () => {
    stopping = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}
