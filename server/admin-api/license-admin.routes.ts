/** Admin page endpoints for licenses and the devices on which they are activated. */
import type { DeviceRow } from '../../shared/api/admin/devices.ts';
import type { ListedLicense } from '../../shared/api/admin/licenses.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRequest } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotentRequest } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

type StatusRequest = EndpointRequest<'suspendLicense' | 'reinstateLicense' | 'revokeLicense'>;

const licensesCsv: CsvLayout<ListedLicense> = {
  name: 'licenses',
  columns: [
    'id',
    'key_preview',
    'email',
    'plan',
    'status',
    'activations',
    'max_activations',
    'expires_at',
    'updates_until',
    'with_subscription',
    'created_at',
    'updated_at',
  ],
};

const devicesCsv: CsvLayout<DeviceRow> = {
  name: 'devices',
  columns: [
    'activation_id',
    'device_id',
    'device_name',
    'platform',
    'activity',
    'email',
    'key_preview',
    'license_id',
    'activated_at',
    'last_seen_at',
    'several_installations_at',
  ],
};

export function addLicenseAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { licenseAdmin, licenseList, deviceList, statistics } = services;
  routes.add('licenses', ({ query }) => {
    const estimate = () => statistics.estimate('licenses');
    return lists.read(licenseList, query, { name: 'licenses', csv: licensesCsv, estimate });
  });
  routes.add('license', ({ params }) => licenseAdmin.get(params.id));
  routes.add('devices', ({ query }) => {
    const estimate = () => statistics.estimate('devices');
    return lists.read(deviceList, query, { name: 'devices', csv: devicesCsv, estimate });
  });
  addChanges(routes, services);
  routes.add('signLease', async ({ body, by }) => {
    const owner = body.email === undefined ? undefined : await services.accounts.getByEmail(body.email);
    return services.leases.issueOffline(body.request, by, owner?.id);
  });
}

function addChanges(routes: EndpointRoutes, services: Services): void {
  const { accounts, licenseAdmin, licenseChanges, licenseKeys, policyPreview } = services;
  routes.add('issueLicense', async (request) => {
    const { body, staff, by } = request;
    if (body.send && body.email === undefined) {
      throw new ApiError('VALIDATION_ERROR', 'send requires email: the owner, whom the key is mailed to.');
    }
    const owner = body.email === undefined ? undefined : await accounts.getByEmail(body.email);
    return licenseAdmin.issue(
      {
        userId: owner?.id,
        plan: body.plan,
        maxActivations: body.max_activations,
        mayExceedPlan: staff.role === 'owner',
        expiresAtMs: body.expires_at === undefined ? undefined : Date.parse(body.expires_at),
        updatesUntilMs: body.updates_until === undefined ? undefined : Date.parse(body.updates_until),
        withSubscription: body.with_subscription,
        sendTo: body.send ? { language: body.language } : undefined,
        idempotent: readIdempotentRequest(request, { userId: staff.id, body }),
      },
      by,
    );
  });
  routes.add('sendLicense', ({ params, body, by }) => licenseAdmin.sendKey(params.id, body, by));
  routes.add('replaceLicenseKeyOf', (request) => {
    const { params, body, staff, by } = request;
    const idempotent = readIdempotentRequest(request, { userId: staff.id, body: { ...params, ...body } });
    return licenseKeys.replace(params.id, { ...body, idempotent }, by);
  });
  const setStatus = (status: LicenseStatus, { params: { id }, body, staff, by }: StatusRequest) => {
    const change = { status, as: staff.role };
    if (body.dry_run) return policyPreview.previewLicenseStatus(id, change);
    return licenseChanges.setStatus(id, change, by);
  };
  routes.add('suspendLicense', (request) => setStatus('inactive', request));
  routes.add('reinstateLicense', (request) => setStatus('active', request));
  routes.add('revokeLicense', (request) => setStatus('revoked', request));
  routes.add('setLicenseExpiry', async ({ params, body, by }) => {
    const expiresAtMs = body.expires_at === null ? null : Date.parse(body.expires_at);
    return licenseChanges.setExpiry(params.id, expiresAtMs, by);
  });
  routes.add('setLicenseUpdatesUntil', ({ params, body, by }) => {
    const untilMs = body.updates_until === null ? null : Date.parse(body.updates_until);
    return licenseChanges.setUpdatesUntil(params.id, untilMs, by);
  });
  routes.add('setLicenseMaxActivations', ({ params, body, by }) =>
    licenseChanges.setMaxActivations(params.id, body.max_activations, by),
  );
  routes.add('releaseLicenseDevice', ({ params, by }) =>
    licenseAdmin.release(params.id, params.device_id.toUpperCase(), by),
  );
}
