/** The endpoint of the subscription. */
import type { Contract } from '../http/contract-route.ts';
import type { EntitlementService } from './entitlement.service.ts';

export function addEntitlementRoutes(contract: Contract, status: EntitlementService): void {
  contract.add('subscriptionStatus', ({ account }) => status.read(account.id));
}
