/** How PostgreSQL finds the pages of lists that no index serves alone: it reads a part of the rows and sorts none. */
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAccountList } from '../../../server/accounts/account-list.ts';
import { DatabaseList } from '../../../server/database/database-list.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { shortTimeouts } from '../../../server/database/postgres-dialect.ts';
import { openPool } from '../../../server/database/postgres-pool.ts';
import type { Tables } from '../../../server/database/tables.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';

const accounts = 10_000;
const clock = createFakeClock();

const fill = `
  insert into users (id, email, email_key, full_name, password_hash, created_at_ms, password_changed_at_ms)
    select 'user ' || n, 'user ' || n, 'user ' || n, '', '-', 0, 0 from generate_series(1, ${accounts}) as numbers (n);
  insert into subscriptions (id, user_id, source, reference, is_replaced, plan, status, current_period_start_ms,
    current_period_end_ms, cancel_at_period_end, created_at_ms, updated_at_ms, by_typed_email)
    select id, id, 'account', id, 0, 'standard', case when id like '%7' then 'canceled' else 'active' end, 0,
      ${clock.now() + 1_000_000}, 0, 0, 0, 0 from users;
  analyze`;

type Step = { readonly 'Total Cost': number; readonly 'Actual Rows': number; readonly Plans?: readonly Step[] };

function stepsOf(step: Step): Step[] {
  return [step, ...(step.Plans ?? []).flatMap(stepsOf)];
}

describe.skipIf(findPostgres() === undefined)('a page of accounts', () => {
  const postgres = sharedPostgres();

  it('by status or plan reads some of the rows, and sorts none', async () => {
    const url = await postgres.createDatabase();
    await (await openPostgres(url, clock)).close();
    const pool = openPool(url, 1, shortTimeouts);
    const queries: CompiledQuery[] = [];
    const dialect = new PostgresDialect({ pool });
    const read = new Kysely<Tables>({ dialect, log: ({ query }) => void queries.push(query) });
    onTestFinished(() => read.destroy());
    await pool.query(fill);
    const list = new DatabaseList({ database: { read }, clock }, createAccountList({ mail: undefined }));
    for (const query of [
      { status: 'canceled' },
      { status: 'active' },
      { status: 'expired' },
      { plan: 'standard' },
    ] as const) {
      queries.length = 0;
      await list.readPage(query, { limit: 50 });
      const { sql = '', parameters = [] } = queries[0] ?? {};
      const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters]);
      const plan: Step = rows[0]['QUERY PLAN'][0].Plan;
      for (const step of stepsOf(plan)) expect(step['Actual Rows'], JSON.stringify(query)).toBeLessThanOrEqual(500);
      // Above this, PostgreSQL compiles the query first, which takes seconds.
      expect(plan['Total Cost'], JSON.stringify(query)).toBeLessThan(100_000);
    }
  });
});
