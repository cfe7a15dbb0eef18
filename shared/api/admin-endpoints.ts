/** Endpoints of the admin page: same form and root as `endpoints`, but not part of the public interface. */
import type { z } from 'zod';
import { accountEndpoints } from './admin/account-endpoints.ts';
import { apiKeyEndpoints } from './admin/api-key-endpoints.ts';
import { billingEndpoints } from './admin/billing-endpoints.ts';
import { featureEndpoints } from './admin/feature-endpoints.ts';
import { installerEndpoints } from './admin/installer-endpoints.ts';
import { licenseEndpoints } from './admin/license-endpoints.ts';
import { passkeyEndpoints } from './admin/passkey-endpoints.ts';
import { planEndpoints } from './admin/plan-endpoints.ts';
import { serverEndpoints } from './admin/server-endpoints.ts';
import { sessionEndpoints } from './admin/session-endpoints.ts';
import { staffEndpoints } from './admin/staff-endpoints.ts';
import { updateEndpoints } from './admin/update-endpoints.ts';
import { webhookEndpoints } from './admin/webhook-endpoints.ts';
import type { Endpoint } from './endpoints.ts';

export const adminEndpoints = {
  ...sessionEndpoints,
  ...passkeyEndpoints,
  ...staffEndpoints,
  ...serverEndpoints,
  ...accountEndpoints,
  ...licenseEndpoints,
  ...apiKeyEndpoints,
  ...featureEndpoints,
  ...planEndpoints,
  ...installerEndpoints,
  ...updateEndpoints,
  ...webhookEndpoints,
  ...billingEndpoints,
} as const satisfies Record<string, Endpoint>;

export type AdminEndpointName = keyof typeof adminEndpoints;

type Table = typeof adminEndpoints;

/** Request body as a client passes it; `undefined` if the endpoint takes none. */
export type AdminRequestOf<N extends AdminEndpointName> = Table[N] extends { request: infer R extends z.ZodType }
  ? z.input<R>
  : undefined;

/** Query as a client passes it; `undefined` if the endpoint reads none. */
export type AdminQueryOf<N extends AdminEndpointName> = Table[N] extends { query: infer Q extends z.ZodType }
  ? z.input<Q>
  : undefined;

/** Body of a response with status 200. */
export type AdminResponseOf<N extends AdminEndpointName> = z.output<Table[N]['response']>;
