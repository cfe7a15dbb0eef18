/** The webhooks of the billing providers that are configured, and the endpoint of checkout tokens. */
import type { Clock } from '../clock.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Signature } from '../http/signed-body.ts';
import type { Services } from '../services.ts';

export function addBillingRoutes(
  routes: EndpointRoutes,
  { billing, checkoutTokens, clock }: Pick<Services, 'billing' | 'checkoutTokens'> & { readonly clock: Clock },
): void {
  routes.add('checkoutToken', ({ user }) => checkoutTokens.issue(user.id));
  for (const provider of billing.providers) {
    const signature = {
      of: 'webhook',
      verify: ({ headers }, body) => provider.verify({ headers, body, nowMs: clock.now() }),
    } satisfies Signature;
    routes.addSigned(`billing_${provider.name}`, signature, async ({ headers, rawBody }) => {
      await billing.receive(provider, rawBody, provider.readEventId?.(headers));
      return { success: true };
    });
  }
}
