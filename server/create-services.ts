/** Builds the services of all features but accounts, for the app and for the admin commands alike. */
import { createApiKeyService } from './api-keys/api-key.service.ts';
import { createApiKeyDesk } from './api-keys/api-key-desk.service.ts';
import { createApiKeyValidation } from './api-keys/api-key-validation.service.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database/database.ts';
import { createHeartbeatService } from './heartbeats/heartbeat.service.ts';
import { createInstallerService } from './installers/installer.service.ts';
import { createActivationService } from './licenses/activation.service.ts';
import { createLicenseService } from './licenses/license.service.ts';
import { createLicenseDesk } from './licenses/license-desk.service.ts';
import { createPlanService } from './plans/plan.service.ts';
import type { Random } from './random.ts';
import type { Secrets } from './secrets.ts';
import { createSubscriptionService } from './subscriptions/subscription.service.ts';
import { createSubscriptionStatusService } from './subscriptions/subscription-status.service.ts';

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
  const licenseDesk = createLicenseDesk({ ...parts, plans, subscriptions });
  const status = createSubscriptionStatusService({ plans, subscriptions, licenses });
  const apiKeys = createApiKeyService({ ...parts, plans, subscriptions });
  const validation = createApiKeyValidation(parts);
  const apiKeyDesk = createApiKeyDesk({ ...parts, plans, subscriptions, validation });
  const heartbeats = createHeartbeatService({ ...parts, activations, status });
  const installers = createInstallerService(parts);
  return {
    plans,
    subscriptions,
    licenses,
    activations,
    licenseDesk,
    status,
    apiKeys,
    validation,
    apiKeyDesk,
    heartbeats,
    installers,
  };
}
