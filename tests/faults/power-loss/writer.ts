/**
 * Writes to a SQLite database from several clients at once, and appends what was acknowledged to a file: `writer.ts
 * DATABASE NAME synced|unsynced`. Each write of a client sets its counter to n, adds its row n and deletes its row n -
 * 3.
 */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../../server/clock.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { openSqlite, type SqliteOptions } from '../../../server/database/sqlite-database.ts';
import { acknowledgedFile, rowsKept, writesOfEach } from './promises.ts';

const [path = '', name = '', mode = ''] = process.argv.slice(2);

// Checkpoints are frequent, so that many of them are recorded.
const options: SqliteOptions = { checkpointBytes: 80 * 1024 };
const unsynced: SqliteOptions = { ...options, sync: async () => undefined };
const database = await openSqlite(path, systemClock, mode === 'unsynced' ? unsynced : options);
const acknowledged = openSync(acknowledgedFile(path), 'a');

const write = (client: string, count: number) => async (transaction: Transaction) => {
  await transaction
    .insertInto('meta')
    .values({ name: client, value: String(count) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(count) }))
    .execute();
  const row = { name: `${client}-${count}`, value: `${count}`.repeat(1000) };
  await transaction.insertInto('meta').values(row).execute();
  await transaction
    .deleteFrom('meta')
    .where('name', '=', `${client}-${count - rowsKept}`)
    .execute();
};

async function runClient(client: string): Promise<void> {
  for (let count = 1; count <= writesOfEach; count++) {
    await database.write(write(client, count));
    writeSync(acknowledged, `${client} ${count}\n`);
  }
}

await Promise.all(['a', 'b', 'c'].map((client) => runClient(`${name}.${client}`)));
await database.close();
