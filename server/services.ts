/** Builds the services of all features but accounts, for the app and for the admin commands alike. */
import { createApiKeyService } from './api-keys/api-key.service.ts';
import { createApiKeyAdminService } from './api-keys/api-key-admin.service.ts';
import { createApiKeyValidation } from './api-keys/api-key-validation.service.ts';
import type { Clock } from './clock.ts';
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

export type ServiceParts = {
  readonly database: Database;
  readonly secrets: Pick<Secrets, 'pepper'>;
  readonly clock: Clock;
  readonly random: Random;
};

export type Services = ReturnType<typeof createServices>;

/** Each has no state but a memory of what the database says. */
export function createServices(parts: ServiceParts) {
  const plans = createPlanService(parts);
  const subscriptions = createSubscriptionService({ ...parts, plans });
  const licenses = createLicenseService({ ...parts, plans, subscriptions });
  const activations = createActivationService({ ...parts, plans, subscriptions });
  const licenseAdmin = createLicenseAdminService({ ...parts, plans, subscriptions });
  const entitlements = createEntitlementService({ plans, subscriptions, licenses });
  const apiKeys = createApiKeyService({ ...parts, plans, subscriptions });
  const apiKeyValidation = createApiKeyValidation(parts);
  const apiKeyAdmin = createApiKeyAdminService({ ...parts, plans, subscriptions, apiKeyValidation });
  const heartbeats = createHeartbeatService({ ...parts, activations, status: entitlements });
  const installers = createInstallerService(parts);
  return {
    plans,
    subscriptions,
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
