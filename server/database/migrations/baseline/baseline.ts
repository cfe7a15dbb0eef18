/** The tables of the first release, and the features and plans of every new database. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isOn } from '../../../../shared/formats/feature-fields.ts';
import { seededFeatures } from '../../../../shared/seeded-feature-texts.ts';
import { builtInFeatures, seededPlans } from '../../../../shared/seeded-features.ts';
import type { Migration, Transaction } from '../../database.ts';
import { accountChangeTriggers } from './account-change-triggers.ts';
import { accountTables } from './account-tables.ts';
import { eventTables } from './event-tables.ts';
import { licenseTables } from './license-tables.ts';
import { operationTables } from './operation-tables.ts';
import { staffTables } from './staff-tables.ts';
import { writeStatements } from './statements.ts';

const tables = [...accountTables, ...licenseTables, ...eventTables, ...operationTables, ...staffTables];

export const baseline: Migration = {
  name: '0001-first-release',
  async apply(transaction, nowMs) {
    for (const statement of writeStatements(tables, transaction)) await sql.raw(statement).execute(transaction);
    await seedFeatures(transaction, nowMs);
    await seedPlans(transaction, nowMs);
    for (const statement of accountChangeTriggers(transaction)) await sql.raw(statement).execute(transaction);
  },
};

async function seedFeatures(transaction: Transaction, nowMs: number): Promise<void> {
  const rows = seededFeatures.map(({ name, title, does }, position) => ({
    name,
    position,
    title: JSON.stringify(title),
    does: JSON.stringify(does),
    hidden: 0 as const,
    built_in: 1 as const,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  }));
  await transaction.insertInto('features').values(rows).execute();
}

async function seedPlans(transaction: Transaction, nowMs: number): Promise<void> {
  for (const [plan, features] of Object.entries(seededPlans)) {
    await transaction
      .insertInto('plans')
      .values({
        id: randomUUID(),
        name: plan,
        max_devices: features.max_devices,
        new_devices_per_month: 10,
        lease_days: null,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      })
      .execute();
    const on = builtInFeatures.filter((feature) => isOn(features, feature));
    const rows = on.map((feature) => ({ plan, feature }));
    await transaction.insertInto('plan_features').values(rows).execute();
  }
}
