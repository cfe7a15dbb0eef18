/** Whether a secrets file is the one that a database was made with. */
import { existsSync } from 'node:fs';
import type { Executor } from '../database/database.ts';
import { StartError } from '../errors.ts';
import { readSecrets, secretsBelongTo } from '../secrets.ts';

export type SecretsVerdict = 'match' | 'missing' | 'damaged' | 'other';

export async function judgeSecrets(path: string, executor: Executor): Promise<SecretsVerdict> {
  if (!existsSync(path)) return 'missing';
  try {
    return (await secretsBelongTo(executor, readSecrets(path))) ? 'match' : 'other';
  } catch (error) {
    if (error instanceof StartError) return 'damaged';
    throw error;
  }
}

/** The verdict as what is wrong with the file; `undefined` for a match. */
export function secretsProblem(verdict: SecretsVerdict, path: string): string | undefined {
  if (verdict === 'match') return undefined;
  const because = { missing: 'is missing', damaged: 'cannot be read', other: 'belongs to another database' };
  return `the secrets file ${path} ${because[verdict]}`;
}
