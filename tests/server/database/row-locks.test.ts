/** Reservations from a queue on PostgreSQL, whose plans depend on what it last knew about the size of the table. */
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../server/database/database.ts';
import { insertRows } from '../../../server/database/queries.ts';
import { claimMails } from '../../../server/mail/mail.repository.ts';
import { claimDue } from '../../../server/webhooks/delivery.repository.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp } from '../../harness/start-app.ts';

type Queue = {
  readonly table: 'mails' | 'event_deliveries';
  readonly add: (transaction: Transaction, from: number, count: number) => Promise<void>;
  readonly reserve: (transaction: Transaction) => Promise<readonly unknown[]>;
};

const claim = { nowMs: 5, untilMs: 10, limit: 5 };
const ids = (from: number, count: number) => Array.from({ length: count }, (_none, index) => `${from + index}`);

function addMails(transaction: Transaction, from: number, count: number): Promise<void> {
  const mail = { kind: 'test', encrypted_mail: '', dedupe_key: null, created_at_ms: 1, give_up_at_ms: 9, tries: 0 };
  const rows = ids(from, count).map((id) => ({ id, ...mail, next_try_at_ms: 1 }));
  return insertRows(transaction, 'mails', rows);
}

async function addDeliveries(transaction: Transaction, from: number, count: number): Promise<void> {
  await transaction
    .insertInto('webhook_endpoints')
    .values({ id: 'endpoint', url: '', events: '', encrypted_secret: '', created_at_ms: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const delivery = { endpoint_id: 'endpoint', event_id: 'event', type: 'test', at_ms: 1, data: '', account_id: null };
  const due = { email: null, state: 'pending' as const, attempts: 0, next_attempt_at_ms: 1, give_up_at_ms: 9 };
  const notEnded = { last_attempt_at_ms: null, response_status: null, error: null, ended_at_ms: null };
  const rows = ids(from, count).map((id) => ({ id, ...delivery, ...due, ...notEnded }));
  await insertRows(transaction, 'event_deliveries', rows);
}

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  it.each<Queue>([
    { table: 'mails', add: addMails, reserve: (transaction) => claimMails(transaction, claim) },
    {
      table: 'event_deliveries',
      add: addDeliveries,
      reserve: (transaction) => claimDue(transaction, { endpointId: 'endpoint', ...claim }),
    },
  ])('no more of $table are reserved than are asked for when the queue grows from one row', async (queue) => {
    const DATABASE_URL = await postgres.createDatabase();
    const { database } = await startTestApp({ DATABASE_URL });
    await database.write((transaction) => queue.add(transaction, 1, 300));
    await database.write((transaction) => transaction.deleteFrom(queue.table).where('id', '>', '1').execute());
    await query(DATABASE_URL, `analyze ${queue.table}`);
    await database.write((transaction) => queue.add(transaction, 1000, 40));
    const reserved = await database.write(queue.reserve);
    expect(reserved).toHaveLength(claim.limit);
  });
});
