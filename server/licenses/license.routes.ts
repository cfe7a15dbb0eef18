/** The endpoints of licenses and of the devices on them. */
import type { Contract } from '../http/contract-route.ts';
import type { ActivationService } from './activation.service.ts';
import type { LicenseService } from './license.service.ts';

type Services = { licenses: LicenseService; activations: ActivationService };

export function addLicenseRoutes(contract: Contract, { licenses, activations }: Services): void {
  contract.add('validateLicense', ({ account, body }) => licenses.validate(account.id, body));
  contract.add('activateLicense', ({ account, body }) => activations.activate(account.id, body));
  contract.add('listActivations', async ({ account }) => ({ activations: await activations.list(account.id) }));
  contract.add('releaseActivation', ({ account, params }) => activations.release(account.id, params.activation_id));
}
