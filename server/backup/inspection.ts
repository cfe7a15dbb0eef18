/** Everything that is found out about a database and the secrets beside it. */
import type { Executor } from '../database/database.ts';
import { inspectTables, type TablesReport } from './inspect-tables.ts';
import { judgeSecrets, type SecretsVerdict, secretsProblem } from './judge-secrets.ts';

export type Inspection = TablesReport & { readonly secrets: SecretsVerdict };

/** Reads all tables, and judges whether the secrets are theirs. */
export async function inspectData(executor: Executor, secretsFile: string): Promise<Inspection> {
  const tables = await inspectTables(executor);
  const secrets = tables.rows.meta === undefined ? 'match' : await judgeSecrets(secretsFile, executor);
  const problem = secretsProblem(secrets, secretsFile);
  return { ...tables, secrets, problems: problem ? [...tables.problems, problem] : tables.problems };
}
