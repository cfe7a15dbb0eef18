/** Everything that can be wrong with a SQLite database and the secrets beside it, looked at in one go. */

import { inspectTables, type TablesReport } from './inspect-tables.ts';
import { judgeSecrets, type SecretsVerdict, secretsProblem } from './judge-secrets.ts';
import { findDamage, withSqliteFile } from './sqlite-file.ts';

export type Inspection = TablesReport & { readonly secrets: SecretsVerdict };

/** Reads the database from end to end, also while the server writes to it. */
export async function inspectSqlite(databaseFile: string, secretsFile: string): Promise<Inspection> {
  return withSqliteFile(databaseFile, async (file) => {
    const damage = findDamage(file);
    if (damage.length > 0) return unread(damage);
    const tables = await inspectTables(file.executor);
    const secrets = tables.rows.meta === undefined ? 'match' : await judgeSecrets(secretsFile, file.executor);
    const problem = secretsProblem(secrets, secretsFile);
    return { ...tables, secrets, problems: problem ? [...tables.problems, problem] : tables.problems };
  });
}

/** What is damaged is not read any further. */
function unread(problems: string[]): Inspection {
  return { migrations: [], unknownMigrations: [], pendingMigrations: [], rows: {}, secrets: 'match', problems };
}
