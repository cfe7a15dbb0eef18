/**
 * The kinds of database that the audit log is tested on, and helpers that change one without the server's knowledge.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'vitest';
import { withServicesDeps } from '../../../server/admin/admin-context.ts';
import type { AuditEntry } from '../../../server/audit/audit-log.service.ts';
import type { AuditReport } from '../../../server/audit/chain-verification.ts';
import { type Clock, systemClock } from '../../../server/clock.ts';
import { createServices, type Services, type ServicesDeps } from '../../../server/services.ts';
import { readConfig } from '../../../server/settings/config.ts';
import type { Admin } from '../../harness/admin.ts';
import type { Settings } from '../../harness/environment.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { createAdmin } from '../../harness/test-admin.ts';

export type TestDatabase = {
  /** Returns the admin commands on a new database of this kind, for one test. */
  createAdmin(settings?: Settings): Promise<Admin>;
};

/** Describes the same for SQLite and, if it is installed, for PostgreSQL. */
export function describeEachDatabase(describeOn: (database: TestDatabase) => void): void {
  describe('on SQLite', () => describeOn({ createAdmin: async (settings) => createAdmin(settings) }));

  const programs = findPostgres();
  describe.skipIf(programs === undefined)('on PostgreSQL', () => {
    const postgres = sharedPostgres();
    describeOn({
      createAdmin: async (settings) => createAdmin({ ...settings, DATABASE_URL: await postgres.createDatabase() }),
    });
  });
}

/** Runs one statement on the database, like an attacker who can write to it. */
export async function change({ folder, settings }: Admin, statement: string): Promise<void> {
  const url = settings.DATABASE_URL;
  if (url !== undefined) return void (await query(url, statement));
  const connection = new DatabaseSync(join(folder, 'latchkey.db'), { enableForeignKeyConstraints: false });
  connection.exec(statement);
  connection.close();
}

/** Returns one value of the first row of a query. */
export async function readRow({ folder, settings }: Admin, statement: string, column: string): Promise<string> {
  const url = settings.DATABASE_URL;
  if (url !== undefined) return String((await query(url, statement))[0]?.[column]);
  const connection = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true });
  const row = connection.prepare(statement).get();
  connection.close();
  return String(row?.[column]);
}

/** Returns the path of the file that remembers the newest seal. */
export function headFile({ folder }: Admin): string {
  return join(folder, 'audit-head.json');
}

/** Uses the services on the database, as a server does. */
export function withServices<T>(
  admin: Admin,
  work: (services: Services, deps: ServicesDeps) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  return withServicesDeps(readConfig(admin.settings), (basics) => {
    const deps = { ...basics, clock };
    return work(createServices(deps), deps);
  });
}

/** Seals entries that are not sealed yet, as a server does every second. */
export function seal(admin: Admin): Promise<number> {
  return withServices(admin, ({ auditSealing }) => auditSealing.run());
}

/** Returns all entries, oldest first. */
export async function listEntries(admin: Admin): Promise<AuditEntry[]> {
  return (await admin.json<AuditEntry[]>(['audit', 'list'])).reverse();
}

export type CheckReport = {
  readonly ok: boolean;
  readonly audit: AuditReport;
  readonly problems: readonly string[];
};

/** Returns the report of `check`, whether or not it finds problems. */
export async function check(admin: Admin): Promise<CheckReport> {
  return JSON.parse((await admin.runHere(['check', '--json'])).stdout);
}
