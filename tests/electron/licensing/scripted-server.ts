/** A scripted server behind the fake HTTP port: one account, one license, and switches for what a test needs. */
import { type Features, seededPlans } from '../../../shared/api/features.ts';
import type { FakeHttp, FakePlatform, Reply } from '../fake-platform.ts';

export const licenseKey = 'SVC-AB12-CD34-EF56-GH7X';
const otherDevice = 'HW-00000000-11111111-22222222-33333333';
const ada = { id: '01890000-0000-7000-8000-00000000000a', email: 'ada@lab.org', full_name: 'Ada' };
export const activationId = '01890000-0000-7000-8000-0000000000ac';

export type ScriptedServer = {
  user: typeof ada;
  plan: string;
  features: Features;
  /** The code with which the license is invalid, or `null` while it is valid. */
  invalidCode: string | null;
  /** Whether the license has no account until it is activated. */
  unassigned: boolean;
  activated: boolean;
  activations: number;
  maxActivations: number;
  hasLicense: boolean;
  subscription: { status: string; end: string; cancelAtEnd: boolean } | null;
  warning: string | null;
  refreshes: number;
  /** The only refresh token that is accepted. */
  refreshToken: string;
  /** The access tokens that are accepted. */
  accessTokens: Set<string>;
  lists: boolean;
  accessLifetimeMs: number;
};

export function scriptServer({ http, clock }: Pick<FakePlatform, 'http' | 'clock'>): ScriptedServer {
  const server: ScriptedServer = {
    user: ada,
    plan: 'standard',
    features: seededPlans.standard,
    invalidCode: null,
    unassigned: false,
    activated: false,
    activations: 1,
    maxActivations: 3,
    hasLicense: true,
    subscription: { status: 'active', end: '2026-12-24T00:00:00.000Z', cancelAtEnd: false },
    warning: null,
    refreshes: 0,
    refreshToken: '',
    accessTokens: new Set(),
    lists: true,
    accessLifetimeMs: 3_600_000,
  };

  function tokens() {
    const number = ++server.refreshes;
    server.refreshToken = `v1.refresh-${number}`;
    server.accessTokens.add(`access-${number}`);
    const expires_at = new Date(clock.now() + server.accessLifetimeMs).toISOString();
    return { access_token: `access-${number}`, refresh_token: server.refreshToken, expires_at };
  }

  const bearer = (route: string, reply: (json: Record<string, unknown>) => Reply) =>
    http.on(route, ({ headers, json }) => {
      const token = headers.authorization?.replace('Bearer ', '') ?? '';
      return server.accessTokens.has(token) ? reply(json) : errorReply(401, 'TOKEN_EXPIRED');
    });

  http.on('POST /auth/login', ({ json }) =>
    json.password === 'wrong' ? errorReply(401, 'INVALID_CREDENTIALS') : { json: { ...tokens(), user: server.user } },
  );
  http.on('POST /auth/signup', ({ json }) =>
    json.email === ada.email
      ? errorReply(409, 'EMAIL_EXISTS')
      : { json: { ...tokens(), user: { ...server.user, email: json.email } } },
  );
  http.on('POST /auth/refresh', ({ json }) =>
    json.refresh_token === server.refreshToken ? { json: tokens() } : errorReply(401, 'INVALID_TOKEN'),
  );
  http.on('POST /auth/logout', { json: { success: true } });
  bearer('GET /subscription/status', () => ({ json: statusOf(server) }));
  bearer('POST /license/validate', ({ license_key }) => ({
    json:
      license_key === licenseKey
        ? validationOf(server)
        : { valid: false, error: 'No such key.', code: 'LICENSE_NOT_FOUND' },
  }));
  bearer('POST /license/activate', ({ license_key, replaces }) => {
    if (license_key !== licenseKey) return errorReply(404, 'LICENSE_NOT_FOUND');
    if (server.invalidCode) return errorReply(403, 'LICENSE_INACTIVE');
    if (!server.activated && server.activations >= server.maxActivations && replaces === undefined) {
      return errorReply(409, 'MAX_ACTIVATIONS_REACHED');
    }
    if (!server.activated && replaces === undefined) server.activations++;
    server.activated = true;
    server.unassigned = false;
    const { activations, maxActivations: max_activations } = server;
    return {
      json: { success: true, activation_id: activationId, activations, max_activations, message: 'Activated.' },
    };
  });
  bearer('GET /license/activations', () =>
    server.lists ? { json: { activations: devicesOf(server, http) } } : missing,
  );
  bearer(`DELETE /license/activations/${activationId}`, () => {
    server.activated = false;
    server.activations--;
    return { json: { success: true, activations: server.activations, max_activations: server.maxActivations } };
  });
  bearer('POST /metrics/api-key', ({ regenerate }) => {
    const about = {
      is_legacy: false,
      plan: server.plan,
      features: { api_access: true },
      created_at: nowIn(clock),
      message: '',
    };
    return {
      json: regenerate || !server.lists ? { api_key: newKey, ...about } : { api_key_prefix: 'svc_live_AbCd', ...about },
    };
  });
  bearer('POST /heartbeat', () => ({
    json: { success: true, timestamp: nowIn(clock), ...(server.warning === null ? {} : { warning: server.warning }) },
  }));
  http.on('GET /binary-hash', { status: 404, json: { error: 'Not configured', message: 'No hashes.' } });
  return server;
}

export const newKey = 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz0';
export const missing: Reply = { status: 404, json: { error: 'There is nothing at this address.', code: 'NOT_FOUND' } };

export function errorReply(status: number, code: string): Reply {
  return { status, json: { error: `The server says ${code}.`, code } };
}

function statusOf(server: ScriptedServer) {
  const { subscription, plan, features, activations } = server;
  const license =
    server.hasLicense && !server.unassigned
      ? { key_preview: 'SVC-AB12...GH7X', plan, status: 'active', activations, max_activations: server.maxActivations }
      : null;
  if (!subscription) return { has_subscription: false, subscription: null, license, features };
  const { status, end: current_period_end, cancelAtEnd: cancel_at_period_end } = subscription;
  const current_period_start = '2026-02-24T00:00:00.000Z';
  return {
    has_subscription: true,
    subscription: { plan, status, current_period_start, current_period_end, cancel_at_period_end },
    license,
    features,
  };
}

function validationOf(server: ScriptedServer) {
  const { invalidCode: code } = server;
  if (code) return { valid: false, error: `The server says ${code}.`, code };
  const { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices } = server.features;
  return {
    valid: true,
    plan: server.plan,
    status: 'active',
    activations: server.activations,
    max_activations: server.maxActivations,
    can_activate: server.activated || server.activations < server.maxActivations,
    already_activated_on_device: server.activated,
    features: { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices },
  };
}

function devicesOf(server: ScriptedServer, http: FakeHttp) {
  const at = '2026-03-01T00:00:00.000Z';
  const own = http.requests.findLast((request) => request.body?.includes('device_id'))?.body ?? '{}';
  const about = {
    key_preview: 'SVC-AB12...GH7X',
    platform: 'linux x64',
    activated_at: at,
    last_seen_at: at,
    activity: 'active',
  };
  const other = { activation_id: 'other', device_id: otherDevice, device_name: 'Old Laptop', ...about };
  const mine = {
    activation_id: activationId,
    device_id: JSON.parse(own).device_id,
    device_name: 'Studio Mac',
    ...about,
  };
  return server.activated ? [other, mine] : [other];
}

function nowIn(clock: FakePlatform['clock']): string {
  return new Date(clock.now()).toISOString();
}
