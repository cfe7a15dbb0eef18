/** The `/license/*` endpoints. */
import { chooseLanguage } from '../accept-language.ts';
import { byUser } from '../audit/audit-event.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addLicenseRoutes(routes: EndpointRoutes, { licenses, activations, licenseKeys }: Services): void {
  routes.add('validateLicense', ({ user, body }) => licenses.validate(user.id, body));
  routes.add('activateLicense', ({ user, body, address }) =>
    licenses.activate(user.id, body, byUser(user.id, address)),
  );
  routes.add('listActivations', async ({ user }) => {
    const newDevices = await licenses.listLastNewDevices(user.id);
    return { ...(await activations.list(user.id)), ...(newDevices.length > 0 && { new_devices: newDevices }) };
  });
  routes.add('replaceLicenseKey', ({ user, body, headers, address }) =>
    licenseKeys.replaceOwn({
      userId: user.id,
      password: body.password,
      licenseId: body.license_id,
      address,
      language: chooseLanguage(headers['accept-language']),
    }),
  );
  routes.add('releaseActivation', ({ user, params, address }) =>
    activations.release(user.id, params.activation_id, byUser(user.id, address)),
  );
}
