/** A PostgreSQL for a test file or block. */
import { afterAll, beforeAll } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { onceStarted } from './test-server.ts';

/** Starts PostgreSQL before the cases and stops it after. The caller skips the cases if PostgreSQL is not installed. */
export function sharedPostgres(): TestPostgres {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres(findPostgres() ?? '');
  });
  afterAll(() => postgres?.stop());
  return onceStarted(() => postgres);
}
