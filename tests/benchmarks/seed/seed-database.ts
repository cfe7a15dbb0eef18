/** Creates a database with many accounts. */
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { withServicesDeps } from '../../../server/admin/admin-context.ts';
import { createServices } from '../../../server/services.ts';
import { readConfig } from '../../../server/settings/config.ts';
import type { Settings } from '../../harness/environment.ts';
import { longTokens } from '../contenders/server-processes.ts';
import type { InsertRows } from './insert-rows.ts';
import { type SeedInput, type SeedRows, seededPassword, sessionIdOf, userIdOf } from './seeded-accounts.ts';

export type SeededAccounts = {
  /** One for each of the first accounts, as many as requested. */
  readonly accessTokens: readonly string[];
};

export type SeedPlan = {
  readonly accounts: number;
  readonly accessTokens: number;
  rowsOf(number: number, input: SeedInput): SeedRows;
};

/** Creates the database that the settings name, like the server does, and fills it. */
export async function seedDatabase(
  settings: Settings,
  plan: SeedPlan,
  insertRows: InsertRows,
): Promise<SeededAccounts> {
  const config = readConfig({ ...settings, ...longTokens });
  const passwordHash = await new PasswordHasher().hash(seededPassword);
  const input = await withServicesDeps(config, async ({ clock, secrets }) => {
    return { nowMs: clock.now(), pepper: secrets.pepper, passwordHash };
  });
  await insertRows(rowsOfAll(plan, input));
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
