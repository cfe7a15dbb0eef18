/** The plans that every new database starts with. */
import { randomUUID } from 'node:crypto';
import { type Features, featureFlags, seededPlans } from '../../../shared/api/features.ts';
import type { Migration } from '../database.ts';
import type { Flag, Tables } from '../tables.ts';

export const seedPlans: Migration = {
  name: '0002-seed-plans',
  async apply(transaction, _dialect, nowMs) {
    for (const [name, features] of Object.entries<Features>(seededPlans)) {
      const flags = Object.fromEntries(featureFlags.map((flag) => [flag, features[flag] ? 1 : 0]));
      const plan: Omit<Tables['plans'], 'new_devices_per_month' | 'lease_days'> = {
        ...(flags as Record<(typeof featureFlags)[number], Flag>),
        id: randomUUID(),
        name,
        max_devices: features.max_devices,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      };
      // The table gets its other columns from later migrations.
      await transaction
        .insertInto('plans')
        .values(plan as Tables['plans'])
        .execute();
    }
  },
};
