/** The composition root of the admin commands: the same services as the server's, on the same database. */
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { type Random, systemRandom } from '../random.ts';
import { openSecrets, type Secrets } from '../secrets.ts';
import { createServices, type Services } from '../services.ts';

export type AdminParts = {
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
};

/** Opens the database for as long as `work` takes; makes it where there is none, as the server does. */
export async function withServices<T>(config: Config, work: (services: Services) => Promise<T>): Promise<T> {
  return withAdminParts(config, async (parts) => work(createServices(parts)));
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
