/** Customers who have typed one of these emails are found through an index: a list of a provider may have very many. */
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listCustomersOfEmails } from '../../../server/billing/billing.repository.ts';
import { systemClock } from '../../../server/clock.ts';
import type { Executor } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { compileForPostgres } from '../../harness/compile-for-postgres.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { sharedApp } from '../../harness/start-app.ts';

const list = (executor: Executor) => listCustomersOfEmails(executor, ['ada@example.com', 'bob@example.com']);

describe('on SQLite', () => {
  const server = sharedApp();

  it('by provider and email', async () => {
    expect(await readQueryPlan(server, list)).toMatch(/INDEX billing_customers_by_email \(provider=\? AND <expr>=\?\)/);
  });
});

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('by provider and email', async () => {
    const [found] = await compileForPostgres(list);
    const database = await openPostgres(await postgres.createDatabase(), systemClock);
    onTestFinished(() => database.close());
    const plan = await database.write(async (transaction) => {
      // An empty table would be read as a whole.
      await sql`set local enable_seqscan = off`.execute(transaction);
      const explain = CompiledQuery.raw(`explain ${found?.sql}`, [...(found?.parameters ?? [])]);
      return (await transaction.executeQuery<{ 'QUERY PLAN': string }>(explain)).rows.map((row) => row['QUERY PLAN']);
    });
    expect(plan.join('\n')).toMatch(/using billing_customers_by_email .*\n *Index Cond: .*provider.*lower/);
  });
});
