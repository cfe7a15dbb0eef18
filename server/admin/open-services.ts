/** The composition root of the admin commands: the same services as the server's, on the same database. */

import { type AccountService, createAccountService } from '../accounts/account.service.ts';
import { createPasswordHasher } from '../accounts/password-hasher.ts';
import { createAccessTokens } from '../auth/access-token.ts';
import { createRefreshTokens } from '../auth/refresh-token.service.ts';
import { loadAccessTokenKeys } from '../auth/signing-key.service.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { type Random, systemRandom } from '../random.ts';
import { openSecrets, type Secrets } from '../secrets.ts';
import { createServices, type Services } from '../services.ts';

export type AdminServices = Services & { readonly accounts: AccountService };

export type AdminParts = {
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
};

/** Opens the database for as long as `work` takes; makes it where there is none, as the server does. */
export async function withServices<T>(config: Config, work: (services: AdminServices) => Promise<T>): Promise<T> {
  return withAdminParts(config, async (parts) => work(await createAdminServices(parts)));
}

/** The same with what the services are made of, for a caller who makes them itself. */
export async function withAdminParts<T>(config: Config, work: (parts: AdminParts) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, systemClock);
  try {
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    return await work({ config, database, secrets, clock: systemClock, random: systemRandom });
  } finally {
    await database.close();
  }
}

export async function createAdminServices(parts: AdminParts): Promise<AdminServices> {
  const { config, database, clock, random } = parts;
  const keys = await loadAccessTokenKeys(parts);
  const accounts = createAccountService({
    database,
    clock,
    random,
    passwords: createPasswordHasher(),
    refreshTokens: createRefreshTokens({ clock, random, ttlMs: config.refreshTokenTtlMs }),
    accessTokens: createAccessTokens({ keys, clock, random, ttlMs: config.accessTokenTtlMs }),
    passwordMinLength: config.passwordMinLength,
    uniformLoginErrors: config.uniformLoginErrors,
  });
  return { ...createServices(parts), accounts };
}
