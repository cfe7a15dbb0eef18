/** What `pg` does not expose of a connection to PostgreSQL. */
import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** The socket of the client. */
export function streamOf(client: Client): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
