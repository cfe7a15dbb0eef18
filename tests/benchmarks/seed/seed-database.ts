/** Fills a database with very many accounts, directly and in one transaction, since the service would take hours. */
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { withServicesDeps } from '../../../server/admin/admin-context.ts';
import { readConfig } from '../../../server/config.ts';
import { type Tables, tableOrder } from '../../../server/database/tables.ts';
import { createServices } from '../../../server/services.ts';
import type { Settings } from '../../harness/environment.ts';
import { type SeedInput, type SeedRows, seededPassword, sessionIdOf, userIdOf } from './seeded-accounts.ts';

export type SeededAccounts = {
  /** For each of the first accounts, as many as were asked for. */
  readonly accessTokens: readonly string[];
};

export type SeedPlan = {
  readonly accounts: number;
  readonly accessTokens: number;
  rowsOf(number: number, input: SeedInput): SeedRows;
};

type Insert = (rows: Iterable<SeedRows>) => Promise<void>;

/** Creates the database that the settings name, as the server does, and fills it. */
export async function seedDatabase(settings: Settings, plan: SeedPlan, insert: Insert): Promise<SeededAccounts> {
  const config = readConfig({ ...settings, LATCHKEY_ACCESS_TOKEN_TTL: '7d' });
  const passwordHash = await new PasswordHasher().hash(seededPassword);
  const input = await withServicesDeps(config, async ({ clock, secrets }) => {
    return { nowMs: clock.now(), pepper: secrets.pepper, passwordHash };
  });
  await insert(rowsOfAll(plan, input));
  return await withServicesDeps(config, async (deps) => {
    const { accessTokens: issuer } = createServices(deps);
    const accessTokens: string[] = [];
    for (let number = 0; number < plan.accessTokens; number++) {
      const grant = { userId: userIdOf(number), sessionId: sessionIdOf(number), passwordChangedAtMs: input.nowMs };
      accessTokens.push((await issuer.issue(grant)).token);
    }
    return { accessTokens };
  });
}

function* rowsOfAll({ accounts, rowsOf }: SeedPlan, input: SeedInput): Iterable<SeedRows> {
  for (let number = 0; number < accounts; number++) yield rowsOf(number, input);
}

/** Inserts into the SQLite file of a data folder. */
export function insertIntoSqlite(dataFolder: string): Insert {
  return async (accounts) => {
    const connection = new DatabaseSync(join(dataFolder, 'latchkey.db'));
    // No journal: a run that is interrupted removes its folder. The cache holds the indexes of millions of rows.
    connection.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -2000000; begin');
    const statements = new Map<string, StatementSync>();
    for (const rows of accounts) {
      for (const table of tableOrder) {
        const row = rows[table];
        if (row) insertRow(connection, statements, table, row);
      }
    }
    connection.exec('commit');
    connection.close();
  };
}

function insertRow(
  connection: DatabaseSync,
  statements: Map<string, StatementSync>,
  table: string,
  row: Tables[keyof Tables],
): void {
  let statement = statements.get(table);
  if (!statement) {
    const columns = Object.keys(row);
    const places = columns.map(() => '?').join(', ');
    statement = connection.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`);
    statements.set(table, statement);
  }
  statement.run(...Object.values(row));
}
