/** The webhooks of the billing providers that are configured, and the endpoint of checkout tokens. */
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, minuteMs } from '../clock.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Signature } from '../http/signed-body.ts';
import type { Services } from '../services.ts';
import type { BillingProvider } from './billing-event.ts';

type BillingRoutesDeps = Pick<Services, 'billing' | 'checkoutTokens'> & {
  readonly clock: Clock;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
};

export function addBillingRoutes(
  routes: EndpointRoutes,
  { billing, checkoutTokens, clock, logger }: BillingRoutesDeps,
): void {
  routes.add('checkoutToken', ({ user }) => checkoutTokens.issue(user.id));
  for (const provider of billing.providers) {
    const warn = createRefusalWarning(provider.name, { clock, logger });
    const signature = {
      of: 'webhook',
      verify: ({ headers }, body) => {
        const isValid = provider.verify({ headers, body, nowMs: clock.now() });
        if (!isValid) warn();
        return isValid;
      },
    } satisfies Signature;
    routes.addSigned(`billing_${provider.name}`, signature, ({ headers, body, rawBody }) =>
      billing.receive(provider, { body: rawBody, payload: body, eventId: provider.readEventId?.(headers) ?? '' }),
    );
  }
}

const secretSettings: Readonly<Record<BillingProvider['name'], string>> = {
  webhook: 'LATCHKEY_BILLING_SECRET',
  stripe: 'LATCHKEY_STRIPE_WEBHOOK_SECRET',
  lemonsqueezy: 'LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET',
};

const warningIntervalMs = 10 * minuteMs;

/** Returns a function that logs a refused event with its likely cause, but not each one, because anybody can send them. */
function createRefusalWarning(
  provider: BillingProvider['name'],
  { clock, logger }: Pick<BillingRoutesDeps, 'clock' | 'logger'>,
) {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonic() - warnedAtMs < warningIntervalMs) return;
    warnedAtMs = clock.monotonic();
    logger.warn(
      { provider },
      `a billing event was refused because its signature is not valid: if the provider sent it, compare ${secretSettings[provider]} with its secret, and check the clock of this machine`,
    );
  };
}
