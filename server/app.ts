/** The composition root of the service: builds everything from top to bottom and returns an app that can listen. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createAccessTokens } from './access-token.ts';
import { addAccountRoutes } from './accounts/account.routes.ts';
import { createAccountService } from './accounts/account.service.ts';
import { createPasswordHasher } from './accounts/password-hash.ts';
import { createRefreshTokens } from './accounts/refresh-token.service.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { addHealthRoutes } from './health.ts';
import { createBearerAuth } from './http/bearer-auth.ts';
import { createContract } from './http/contract-route.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { RateLimiter } from './http/rate-limit.ts';
import type { Random } from './random.ts';
import type { Secrets } from './secrets.ts';
import { loadAccessTokenKeys } from './signing-keys/signing-key.service.ts';

export type AppParts = {
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: FastifyBaseLogger;
};

/** The caller listens or injects, and closes first the app, then the database. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, database, clock, random, logger } = parts;
  const app = createHttpApp(config, logger);

  const keys = await loadAccessTokenKeys(parts);
  const accessTokens = createAccessTokens({ keys, clock, random, ttlMs: config.accessTokenTtlMs });
  const refreshTokens = createRefreshTokens({ clock, random, ttlMs: config.refreshTokenTtlMs });
  const accounts = createAccountService({
    database,
    clock,
    random,
    passwords: createPasswordHasher(),
    refreshTokens,
    accessTokens,
    passwordMinLength: config.passwordMinLength,
    uniformLoginErrors: config.uniformLoginErrors,
  });

  const contract = createContract({
    app,
    limiter: new RateLimiter(clock.monotonic),
    rateLimits: config.rateLimits,
    authenticate: createBearerAuth(accessTokens, accounts.exists),
  });
  addHealthRoutes(app, database);
  addAccountRoutes(contract, accounts);
  return app;
}
