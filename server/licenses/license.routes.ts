/** The `/license/*` endpoints. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotentRequest } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';

export function addLicenseRoutes(routes: EndpointRoutes, { licenses, activations, licenseKeys }: Services): void {
  routes.add('validateLicense', ({ user, body }) => licenses.validate(user.id, body));
  routes.add('activateLicense', ({ user, body, by }) => licenses.activate(user.id, body, by));
  routes.add('listActivations', async ({ user }) => {
    const newDevices = await licenses.listLastNewDevices(user.id);
    return { ...(await activations.list(user.id)), ...(newDevices.length > 0 && { new_devices: newDevices }) };
  });
  routes.add('replaceLicenseKey', (request) => {
    const { user, body, client } = request;
    return licenseKeys.replaceOwn({
      userId: user.id,
      password: body.password,
      licenseId: body.license_id,
      client,
      // Without the password, which is verified each time.
      idempotent: readIdempotentRequest(request, { userId: user.id, body: { license_id: body.license_id } }),
    });
  });
  routes.add('releaseActivation', ({ user, params, by }) => activations.release(user.id, params.activation_id, by));
}
