/** A SQLite database looked at from end to end: the file, the tables in it, and the secrets beside it. */
import { type Inspection, inspectData } from './inspection.ts';
import { findDamage, withSqliteFile } from './sqlite-file.ts';

/** Also while the server writes to it. What is damaged is not read any further. */
export async function inspectSqlite(databaseFile: string, secretsFile: string): Promise<Inspection> {
  return withSqliteFile(databaseFile, async (file) => {
    const problems = findDamage(file);
    if (problems.length === 0) return inspectData(file.executor, secretsFile);
    return { migrations: [], unknownMigrations: [], pendingMigrations: [], rows: {}, secrets: 'match', problems };
  });
}
