/** A prepared query runs with the values of each call, and returns what the same query would return if built again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { prepareQuery } from '../../../server/database/prepared-query.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';

type Fact = { name: string; value: string };

const programs = findPostgres();

async function openInFolder() {
  const folder = makeTemporaryFolder();
  const database = await openSqlite(`${folder}/latchkey.db`, systemClock);
  return { database, remove: async () => removeFolder(folder) };
}

async function openInPostgres() {
  const postgres: TestPostgres = await startPostgres(programs ?? '');
  const database = await openPostgres(await postgres.createDatabase(), systemClock);
  return { database, remove: () => postgres.stop() };
}

describe.each([
  ['SQLite', openInFolder, true],
  ['PostgreSQL', openInPostgres, programs !== undefined],
])('a prepared query on %s', (_dialect, open, isInstalled) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    if (isInstalled) ({ database, remove } = await open());
  });
  afterAll(async () => {
    await database?.close();
    await remove?.();
  });

  const insertFact = prepareQuery((executor, fact: Fact) =>
    executor.insertInto('meta').values({ name: fact.name, value: fact.value }),
  );
  const findFact = prepareQuery((executor, fact: { name: string; limit: number }) =>
    executor
      .selectFrom('meta')
      .selectAll()
      .where('value', '!=', 'never')
      .where('name', '=', fact.name)
      .limit(fact.limit),
  );
  const renameFacts = prepareQuery((executor, change: { from: string; to: string }) =>
    executor.updateTable('meta').set({ value: change.to }).where('value', '=', change.from),
  );

  it.skipIf(!isInstalled)('writes and reads with the values of each call, next to its own constants', async () => {
    await database.write(async (transaction) => {
      expect(await insertFact.run(transaction, { name: 'a', value: '1' })).toBe(1);
      expect(await insertFact.run(transaction, { name: 'b', value: '1' })).toBe(1);
      // Within the transaction, its own changes are visible.
      expect(await findFact.first(transaction, { name: 'a', limit: 1 })).toEqual({ name: 'a', value: '1' });
    });
    expect(await findFact.all(database.read, { name: 'b', limit: 5 })).toEqual([{ name: 'b', value: '1' }]);
    expect(await findFact.all(database.read, { name: 'c', limit: 5 })).toEqual([]);
    expect(await findFact.first(database.read, { name: 'c', limit: 1 })).toBeUndefined();
    expect(await database.write((transaction) => renameFacts.run(transaction, { from: '1', to: '2' }))).toBe(2);
    expect(await findFact.first(database.read, { name: 'a', limit: 1 })).toEqual({ name: 'a', value: '2' });
  });

  it.skipIf(!isInstalled)('that fails only rolls back its own write', async () => {
    const first = database.write((transaction) => insertFact.run(transaction, { name: 'x', value: '1' }));
    // If both began at the same time on several connections, either could be the first.
    await first;
    const results = await Promise.allSettled([
      first,
      database.write((transaction) => insertFact.run(transaction, { name: 'x', value: '2' })),
      database.write((transaction) => insertFact.run(transaction, { name: 'y', value: '3' })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await findFact.first(database.read, { name: 'x', limit: 1 })).toMatchObject({ value: '1' });
  });

  it.skipIf(!isInstalled)('cannot calculate with a value that is only known later', async () => {
    const wrong = prepareQuery((executor, since: { ms: number }) =>
      executor
        .selectFrom('users')
        .select('id')
        .where('created_at_ms', '>', since.ms - 1),
    );
    await expect(wrong.all(database.read, { ms: 1 })).rejects.toThrow('"ms" is not known while the query is prepared');
  });
});
