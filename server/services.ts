/** Composes the services of all features, for the app and for the admin commands. */
import { AccountService } from './accounts/account.service.ts';
import { PasswordHasher } from './accounts/password-hasher.ts';
import { createApiKeyService } from './api-keys/api-key.service.ts';
import { createApiKeyAdminService } from './api-keys/api-key-admin.service.ts';
import { createApiKeyValidation } from './api-keys/api-key-validation.service.ts';
import { AccessTokenService } from './auth/access-token.service.ts';
import { AuthService } from './auth/auth.service.ts';
import { RefreshTokenService } from './auth/refresh-token.service.ts';
import { SigningKeyService } from './auth/signing-key.service.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { createEntitlementService } from './entitlements/entitlement.service.ts';
import { createHeartbeatService } from './heartbeats/heartbeat.service.ts';
import { createInstallerService } from './installers/installer.service.ts';
import { createActivationService } from './licenses/activation.service.ts';
import { createLicenseService } from './licenses/license.service.ts';
import { createLicenseAdminService } from './licenses/license-admin.service.ts';
import { createPlanService } from './plans/plan.service.ts';
import type { Random } from './random.ts';
import type { Secrets } from './secrets.ts';
import { createSubscriptionService } from './subscriptions/subscription.service.ts';

export type ServicesDeps = {
  readonly config: Pick<
    Config,
    'accessTokenTtlMs' | 'refreshTokenTtlMs' | 'passwordMinLength' | 'uniformLoginErrors' | 'trial'
  >;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
};

export type Services = ReturnType<typeof createServices>;

/** Opens nothing and reads nothing: each service uses the database when it is called. */
export function createServices(deps: ServicesDeps) {
  const { config, clock, random } = deps;

  const plans = createPlanService(deps);
  const subscriptions = createSubscriptionService({ ...deps, plans });

  const refreshTokens = new RefreshTokenService({ clock, random, ttlMs: config.refreshTokenTtlMs });
  const passwords = new PasswordHasher();
  const accounts = new AccountService({ ...deps, passwords, endSessions: refreshTokens.endAllFamilies });
  const signingKeys = new SigningKeyService(deps);
  const accessTokens = new AccessTokenService({ signingKeys, clock, random, ttlMs: config.accessTokenTtlMs });
  const auth = new AuthService({ ...deps, accounts, subscriptions, accessTokens, refreshTokens });

  const licenses = createLicenseService({ ...deps, plans, subscriptions });
  const activations = createActivationService({ ...deps, plans, subscriptions });
  const licenseAdmin = createLicenseAdminService({ ...deps, plans, subscriptions });
  const entitlements = createEntitlementService({ plans, subscriptions, licenses });

  const apiKeys = createApiKeyService({ ...deps, plans, subscriptions });
  const apiKeyValidation = createApiKeyValidation(deps);
  const apiKeyAdmin = createApiKeyAdminService({ ...deps, plans, subscriptions, apiKeyValidation });

  const heartbeats = createHeartbeatService({ ...deps, activations, status: entitlements });
  const installers = createInstallerService(deps);

  return {
    plans,
    subscriptions,
    accounts,
    signingKeys,
    accessTokens,
    auth,
    licenses,
    activations,
    licenseAdmin,
    entitlements,
    apiKeys,
    apiKeyValidation,
    apiKeyAdmin,
    heartbeats,
    installers,
  };
}
