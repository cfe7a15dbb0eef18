/** The tables of the first release, and the plans that every new database starts with. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Features, featureFlags, seededPlans } from '../../../../shared/api/features.ts';
import type { Migration, Transaction } from '../../database.ts';
import type { Flag } from '../../tables.ts';
import { accountChangeTriggers } from './account-change-triggers.ts';
import { accountTables } from './account-tables.ts';
import { eventTables } from './event-tables.ts';
import { licenseTables } from './license-tables.ts';
import { operationTables } from './operation-tables.ts';
import { staffTables } from './staff-tables.ts';
import { writeStatements } from './statements.ts';

const tables = [...accountTables, ...licenseTables, ...eventTables, ...operationTables, ...staffTables];

export const baseline: Migration = {
  name: '0001-baseline',
  async apply(transaction, dialect, nowMs) {
    for (const statement of writeStatements(tables, dialect)) await sql.raw(statement).execute(transaction);
    await seedPlans(transaction, nowMs);
    for (const statement of accountChangeTriggers(dialect)) await sql.raw(statement).execute(transaction);
  },
};

async function seedPlans(transaction: Transaction, nowMs: number): Promise<void> {
  for (const [name, { max_devices, ...given }] of Object.entries<Features>(seededPlans)) {
    const flags = Object.fromEntries(featureFlags.map((flag) => [flag, given[flag] ? 1 : 0]));
    await transaction
      .insertInto('plans')
      .values({
        ...(flags as Record<(typeof featureFlags)[number], Flag>),
        id: randomUUID(),
        name,
        max_devices,
        new_devices_per_month: 10,
        lease_days: null,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      })
      .execute();
  }
}
