/** A second server: the ten endpoints of the bare interface and nothing else, with spellings of its own where it is silent. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;
type Reply = { readonly status: number; readonly json: Json };
type Account = { readonly id: string; readonly email: string; readonly password: string; readonly full_name: string };
type Handler = (body: Json, account: Account) => Reply;

export type BareServer = {
  readonly address: string;
  readonly licenseKey: string;
  /** The paths that were asked, as `METHOD /path`. */
  readonly asked: string[];
  /** Headers that were sent, by name. */
  readonly headersSeen: Set<string>;
  /** Activates another device on the license. */
  readonly occupy: (deviceId: string) => void;
  readonly revoke: () => void;
  readonly endAccessTokens: () => void;
  readonly close: () => Promise<void>;
};

const features = {
  real_time_visualization: true,
  osc_lsl_streaming: true,
  csv_export: true,
  api_access: true,
  max_devices: 2,
};
const allFeatures = {
  ...features,
  session_recording: true,
  signal_filtering: false,
  custom_preprocessing: false,
  mental_state_detection: false,
};

const ok = (json: Json): Reply => ({ status: 200, json });
/** The interface does not say which status an error has: here it is always 400. */
const errorResponse = (code: string): Reply => ({ status: 400, json: { error: `error: ${code}`, code } });
/** Timestamps without milliseconds, which is ISO 8601 UTC as well. */
const timestamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');

/** Listens on a free port of this machine; `installerSha256` is the published hash of the Linux installer. */
export async function startBareServer(installerSha256: string): Promise<BareServer> {
  const licenseKey = 'ACME-OIL0-1234-5678-9ABC';
  const accounts = new Map<string, Account>();
  const accessTokens = new Map<string, Account>();
  const refreshTokens = new Map<string, Account>();
  const devices = new Map<string, string>();
  const apiKeys = new Map<string, string>();
  const asked: string[] = [];
  const headersSeen = new Set<string>();
  let status = 'active';

  function tokens(account: Account): Json {
    const access_token = `access-${randomUUID()}`;
    const refresh_token = `v1.${randomUUID()}`;
    accessTokens.set(access_token, account);
    refreshTokens.set(refresh_token, account);
    return { access_token, refresh_token, expires_at: timestamp(Date.now() + 3_600_000) };
  }

  const userOf = ({ id, email, full_name }: Account): Json => ({ id, email, full_name });
  const counts = () => ({ activations: devices.size, max_activations: 2 });
  const masked = () => `${licenseKey.slice(0, 6)}...${licenseKey.slice(-4)}`;

  const open: Record<string, (body: Json) => Reply> = {
    'POST /auth/signup': ({ email, password, full_name }) => {
      if (accounts.has(String(email))) return errorResponse('EMAIL_EXISTS');
      if (String(password).length < 8) return errorResponse('VALIDATION_ERROR');
      const account = {
        id: randomUUID(),
        email: String(email),
        password: String(password),
        full_name: String(full_name),
      };
      accounts.set(account.email, account);
      return ok({ ...tokens(account), user: userOf(account) });
    },
    'POST /auth/login': ({ email, password }) => {
      const account = accounts.get(String(email));
      if (!account) return errorResponse('USER_NOT_FOUND');
      return account.password === password
        ? ok({ ...tokens(account), user: userOf(account) })
        : errorResponse('INVALID_CREDENTIALS');
    },
    'POST /auth/refresh': ({ refresh_token }) => {
      const account = refreshTokens.get(String(refresh_token));
      refreshTokens.delete(String(refresh_token));
      return account ? ok(tokens(account)) : errorResponse('INVALID_TOKEN');
    },
    'POST /metrics/api-key/validate': ({ api_key }) =>
      [...apiKeys.values()].includes(String(api_key))
        ? ok({
            valid: true,
            plan: 'standard',
            source: 'new',
            features: { api_access: true, csv_export: true },
            subscription_active: true,
          })
        : ok({ valid: false, error: 'unknown key', code: 'INVALID_API_KEY' }),
    'GET /binary-hash': () =>
      ok({ version: '7.0.1', hashes: { linux_amd64: `sha256:${installerSha256}` }, updated_at: timestamp(0) }),
  };

  const signedIn: Record<string, Handler> = {
    'GET /subscription/status': () => {
      const [current_period_start, current_period_end] = [timestamp(Date.now()), timestamp(Date.now() + 86_400_000)];
      const subscription = {
        plan: 'standard',
        status: 'active',
        current_period_start,
        current_period_end,
        cancel_at_period_end: false,
      };
      const license = { key_preview: masked(), plan: 'standard', status, ...counts() };
      return ok({ has_subscription: true, subscription, license, features: allFeatures });
    },
    'POST /license/validate': ({ license_key, device_id }) => {
      if (license_key !== licenseKey) return ok({ valid: false, error: 'no such key', code: 'LICENSE_NOT_FOUND' });
      if (status === 'revoked') return ok({ valid: false, error: 'revoked', code: 'LICENSE_REVOKED' });
      const already_activated_on_device = devices.has(String(device_id));
      const can_activate = devices.size < 2;
      return ok({
        valid: true,
        plan: 'standard',
        status,
        ...counts(),
        can_activate,
        already_activated_on_device,
        features,
      });
    },
    'POST /license/activate': ({ license_key, device_id }) => {
      if (license_key !== licenseKey) return errorResponse('LICENSE_NOT_FOUND');
      if (status !== 'active') return errorResponse('LICENSE_INACTIVE');
      if (devices.size >= 2) return errorResponse('MAX_ACTIVATIONS_REACHED');
      const activation_id = randomUUID();
      devices.set(String(device_id), activation_id);
      return ok({ success: true, activation_id, ...counts(), message: 'activated' });
    },
    'POST /metrics/api-key': (_, { id }) => {
      const about = {
        is_legacy: false,
        plan: 'standard',
        features: { api_access: true },
        created_at: timestamp(0),
        message: '',
      };
      const existing = apiKeys.get(id);
      if (existing) return ok({ api_key_prefix: existing.slice(0, 12), ...about });
      const api_key = `acme_live_${randomUUID().replaceAll('-', '').slice(0, 25)}`;
      apiKeys.set(id, api_key);
      return ok({ api_key, ...about });
    },
    'POST /heartbeat': () => ok({ success: true, timestamp: timestamp(Date.now()) }),
  };

  function reply(route: string, request: IncomingMessage, body: Json): Reply | null {
    const handler = signedIn[route];
    if (!handler) return open[route]?.(body) ?? null;
    const account = accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    return account ? handler(body, account) : errorResponse('TOKEN_EXPIRED');
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    asked.push(route);
    for (const name of Object.keys(request.headers)) headersSeen.add(name);
    let text = '';
    for await (const chunk of request) text += chunk;
    const result = reply(route, request, text === '' ? {} : JSON.parse(text));
    response.sendDate = false;
    if (!result) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
    response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.json));
  }

  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    licenseKey,
    asked,
    headersSeen,
    occupy: (deviceId) => void devices.set(deviceId, randomUUID()),
    revoke: () => {
      status = 'revoked';
    },
    endAccessTokens: () => accessTokens.clear(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
