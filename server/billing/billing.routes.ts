/** The webhooks of the billing providers that are configured, and the endpoint of checkout tokens. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { decodeUtf8, keepRawBodies } from '../http/json-body.ts';
import type { EndpointLimit, RequestLimiter } from '../http/request-limiter.ts';
import type { Services } from '../services.ts';
import type { BillingService } from './billing.service.ts';
import type { BillingProvider } from './billing-event.ts';

export function addCheckoutTokenRoute(routes: EndpointRoutes, { checkoutTokens }: Services): void {
  routes.add('checkoutToken', ({ user }) => checkoutTokens.issue(user.id));
}

/** Larger than for other requests, because Stripe's events list every item of a subscription. */
const maxBodyBytes = 256 * 1024;

type BillingRoutesDeps = { readonly limiter: RequestLimiter; readonly billing: BillingService; readonly clock: Clock };

export function addBillingRoutes(app: FastifyInstance, deps: BillingRoutesDeps): void {
  app.register(async (scope) => {
    keepRawBodies(scope);
    for (const provider of deps.billing.providers) addRoute(scope, provider, deps);
  });
}

/**
 * Adds a provider's webhook. Only requests without a valid signature are rate limited, since a provider sends as many
 * events as its customers cause.
 */
function addRoute(
  scope: FastifyInstance,
  provider: BillingProvider,
  { limiter, billing, clock }: BillingRoutesDeps,
): void {
  const limit = limiter.limitOf('default', `billing_${provider.name}`);
  const receive = async (request: FastifyRequest): Promise<void> => {
    const { headers } = request;
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const verified = provider.verify({ headers, body: bytes, nowMs: clock.now() });
    if (!verified) await refuse(request, limit);
    else await billing.receive(provider, decodeUtf8(bytes), verified.eventId);
  };
  scope.post(apiRoot + provider.path, { bodyLimit: maxBodyBytes }, async (request) => {
    await receive(request);
    return { success: true };
  });
}

async function refuse(request: FastifyRequest, limit: EndpointLimit): Promise<never> {
  await limit.countAddress(request);
  throw new ApiError('INVALID_TOKEN', 'The signature of the webhook is not valid.');
}
