/** The cost of a durable write without batching: a bare route that upserts one row in its own commit. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fastify } from 'fastify';
import { listen } from './listen.ts';

const [folder = ''] = process.argv.slice(2);
const database = new DatabaseSync(join(folder, 'devices.db'));
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table devices (id text primary key, last_seen_at_ms integer not null) strict
`);
const upsert = database.prepare(
  'insert into devices values (?, ?) on conflict (id) do update set last_seen_at_ms = excluded.last_seen_at_ms',
);

const app = fastify();
app.post('/', async (request) => {
  const { device_id } = request.body as { device_id: string };
  upsert.run(device_id, Date.now());
  return { success: true };
});
await listen(app);
