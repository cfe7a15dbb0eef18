/** The endpoint of the subscription. */
import type { Contract } from '../http/contract-route.ts';
import type { SubscriptionStatusService } from './subscription-status.service.ts';

export function addSubscriptionRoutes(contract: Contract, status: SubscriptionStatusService): void {
  contract.add('subscriptionStatus', ({ account }) => status.read(account.id));
}
