/** A data folder with only a long audit log, sealed like the server does it. */
import { withServicesDeps } from '../../../server/admin/admin-context.ts';
import type { Tables } from '../../../server/database/tables.ts';
import { createServices } from '../../../server/services.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { insertIntoSqlite } from './insert-rows.ts';
import { seedDatabase } from './seed-database.ts';
import { emailOf, idOf, type SeedInput, type SeedRows, userIdOf } from './seeded-accounts.ts';

/** Fills the folder with this many entries. */
export async function seedAuditEntries(dataFolder: string, entries: number): Promise<void> {
  const settings = { LATCHKEY_DATA: dataFolder };
  const plan = { accounts: entries, accessTokens: 0, rowsOf: entryRows };
  await seedDatabase(settings, plan, insertIntoSqlite(dataFolder));
  await withServicesDeps(readConfig(settings), (deps) => createServices(deps).auditSealing.run());
}

function entryRows(number: number, { nowMs }: SeedInput): SeedRows {
  return { audit_events: signInEntry(number, nowMs) };
}

/** Returns the entry of a sign-in, the most frequent kind. */
export function signInEntry(number: number, nowMs: number): Tables['audit_events'] {
  return {
    id: idOf('audit event', number),
    at_ms: nowMs,
    actor_kind: 'user',
    actor: emailOf(number),
    action: 'account.sign_in',
    target_kind: 'account',
    target_id: userIdOf(number),
    target_label: emailOf(number),
    address: '203.0.113.7',
    details: '{}',
    seal_id: null,
  };
}
