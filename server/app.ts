/** The composition root of the service: builds everything from top to bottom and returns an app that can listen. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createAccountService } from './accounts/account.service.ts';
import { createPasswordHasher } from './accounts/password-hasher.ts';
import { addApiKeyRoutes } from './api-keys/api-key.routes.ts';
import { createAccessTokens } from './auth/access-token.ts';
import { addAuthRoutes } from './auth/auth.routes.ts';
import { createRefreshTokens } from './auth/refresh-token.service.ts';
import { loadAccessTokenKeys } from './auth/signing-key.service.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database, Transaction } from './database/database.ts';
import { addEntitlementRoutes } from './entitlements/entitlement.routes.ts';
import { StartError } from './errors.ts';
import { addHealthRoutes } from './health.ts';
import { addHeartbeatRoutes } from './heartbeats/heartbeat.routes.ts';
import { BearerAuth } from './http/bearer-auth.ts';
import { EndpointRoutes } from './http/contract-route.ts';
import { createHttpApp } from './http/http-app.ts';
import { RequestLimiter } from './http/request-limiter.ts';
import { addInstallerRoutes } from './installers/installer.routes.ts';
import { addLicenseRoutes } from './licenses/license.routes.ts';
import { addOpenApiRoute } from './openapi/openapi.routes.ts';
import type { Random } from './random.ts';
import { openRateCounter } from './rate-limits/open-rate-counter.ts';
import type { Secrets } from './secrets.ts';
import { createServices, type Services } from './services.ts';

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
  const services = createServices(parts);
  const accounts = createAccountService({
    database,
    clock,
    random,
    passwords: createPasswordHasher(),
    refreshTokens,
    accessTokens,
    passwordMinLength: config.passwordMinLength,
    uniformLoginErrors: config.uniformLoginErrors,
    onSignup: await trialOnSignup(config, services),
  });

  const counter = await openRateCounter(parts);
  app.addHook('onClose', () => counter.close());
  const limiter = new RequestLimiter({ counter, rateLimits: config.rateLimits });
  const auth = new BearerAuth({ accessTokens, accountExists: accounts.exists });
  const routes = new EndpointRoutes({ app, limiter, auth });
  addHealthRoutes(app, database);
  addAuthRoutes(routes, accounts);
  addEntitlementRoutes(routes, services.entitlements);
  addLicenseRoutes(routes, services);
  addApiKeyRoutes(routes, services);
  addHeartbeatRoutes(routes, services.heartbeats);
  addInstallerRoutes(routes, services.installers);
  addOpenApiRoute(app, limiter);
  return app;
}

/** Starts the trial of the settings with each new account. Throws `StartError` when its plan is none. */
async function trialOnSignup({ trial }: Config, { plans, subscriptions }: Services) {
  if (!trial) return undefined;
  if (!(await plans.find(trial.plan))) {
    throw new StartError(`LATCHKEY_TRIAL_PLAN is wrong: there is no plan named "${trial.plan}"`);
  }
  return (transaction: Transaction, userId: string) => subscriptions.startTrial(transaction, userId, trial);
}
