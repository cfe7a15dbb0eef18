/** The webhooks of the billing providers that are configured. Others do not exist. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiRoot } from '../../shared/api/endpoints.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { readBodyBytes } from '../http/json-body.ts';
import { sendJson } from '../http/json-response.ts';
import type { EndpointLimit, RequestLimiter } from '../http/request-limiter.ts';
import { stateOf } from '../http/request-state.ts';
import { runWithBudget } from '../request-budget.ts';
import type { BillingService } from './billing.service.ts';
import type { BillingProvider } from './billing-event.ts';

/** Events of Stripe list every item of a subscription. */
const maxBodyBytes = 256 * 1024;

type BillingRoutesDeps = { readonly limiter: RequestLimiter; readonly billing: BillingService; readonly clock: Clock };

export function addBillingRoutes(app: FastifyInstance, deps: BillingRoutesDeps): void {
  for (const provider of deps.billing.providers) addRoute(app, provider, deps);
}

/** Only requests that nobody signed are limited: a provider sends as many events as its customers cause. */
function addRoute(
  app: FastifyInstance,
  provider: BillingProvider,
  { limiter, billing, clock }: BillingRoutesDeps,
): void {
  const limit = limiter.limitOf('default', `billing_${provider.name}`);
  const receive = async (request: FastifyRequest, bytes: Buffer): Promise<void> => {
    const { headers } = request;
    const verified = provider.verify({ headers, body: bytes, nowMs: clock.now() });
    if (!verified) await refuse(request, limit);
    else await billing.receive(provider, decode(bytes), verified.eventId);
  };
  app.route({
    method: 'POST',
    url: apiRoot + provider.path,
    onRequest: (request, reply, done) => {
      const { budget } = stateOf(request);
      budget.pause();
      readBodyBytes(request, reply, maxBodyBytes, (error, bytes) => {
        budget.resume();
        if (error) return done(error);
        const received = runWithBudget(budget, () => receive(request, bytes ?? Buffer.alloc(0)));
        received.then(() => sendJson(request, reply, 200, '{"success":true}')).catch(done);
      });
    },
    handler: () => {
      throw new TypeError('the hook has responded');
    },
  });
}

async function refuse(request: FastifyRequest, limit: EndpointLimit): Promise<never> {
  await limit.countAddress(request);
  throw new ApiError('INVALID_TOKEN', 'The signature of the webhook is not valid.');
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8. Encode it as UTF-8.');
  }
}
