/**
 * Another implementation of the server: the ten endpoints of the bare interface, with its own choices where the
 * interface is silent.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;
type Reply = { readonly status: number; readonly json: Json };
type Account = { readonly id: string; readonly email: string; readonly password: string; readonly full_name: string };

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
/** The interface does not define the status of errors: here it is always 400. */
const errorReply = (code: string): Reply => ({ status: 400, json: { error: `error: ${code}`, code } });
/** Timestamps without milliseconds, which are valid ISO 8601 UTC as well. */
const timestamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');

const licenseKey = 'ACME-OIL0-1234-5678-9ABC';

export class BareServer {
  readonly licenseKey = licenseKey;
  /** The routes that were called, as `METHOD /path`. */
  readonly called: string[] = [];
  /** The names of the headers that were sent. */
  readonly headersSeen = new Set<string>();
  readonly #installerSha256: string;
  readonly #http = createServer((request, response) => void this.#handle(request, response));
  readonly #accounts = new Map<string, Account>();
  readonly #accessTokens = new Map<string, Account>();
  readonly #refreshTokens = new Map<string, Account>();
  readonly #activations = new Map<string, string>();
  readonly #apiKeys = new Map<string, string>();
  readonly #publicRoutes: Readonly<Record<string, (body: Json) => Reply>> = {
    'POST /auth/signup': (body) => this.#signUp(body),
    'POST /auth/login': (body) => this.#signIn(body),
    'POST /auth/refresh': (body) => this.#refresh(body),
    'POST /metrics/api-key/validate': (body) => this.#validateApiKey(body),
    'GET /binary-hash': () => this.#installerHashes(),
  };
  readonly #accountRoutes: Readonly<Record<string, (body: Json, account: Account) => Reply>> = {
    'GET /subscription/status': () => this.#subscriptionStatus(),
    'POST /license/validate': (body) => this.#validateLicense(body),
    'POST /license/activate': (body) => this.#activateLicense(body),
    'POST /metrics/api-key': (_, account) => this.#generateApiKey(account),
    'POST /heartbeat': () => ok({ success: true, timestamp: timestamp(Date.now()) }),
  };
  #licenseStatus = 'active';

  private constructor(installerSha256: string) {
    this.#installerSha256 = installerSha256;
  }

  /** Listens on a free local port; `installerSha256` is the published hash of the Linux installer. */
  static async start(installerSha256: string): Promise<BareServer> {
    const server = new BareServer(installerSha256);
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Activates another device on the license. */
  activateOther(deviceId: string): void {
    this.#activations.set(deviceId, randomUUID());
  }

  revoke(): void {
    this.#licenseStatus = 'revoked';
  }

  endAccessTokens(): void {
    this.#accessTokens.clear();
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    this.called.push(route);
    for (const name of Object.keys(request.headers)) this.headersSeen.add(name);
    let text = '';
    for await (const chunk of request) text += chunk;
    const reply = this.#reply(route, request, text === '' ? {} : JSON.parse(text));
    response.sendDate = false;
    if (!reply) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json));
  }

  /** Returns the response, or `null` if there is no such route. */
  #reply(route: string, request: IncomingMessage, body: Json): Reply | null {
    const handler = this.#accountRoutes[route];
    if (!handler) return this.#publicRoutes[route]?.(body) ?? null;
    const account = this.#accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    return account ? handler(body, account) : errorReply('TOKEN_EXPIRED');
  }

  #signUp(body: Json): Reply {
    const [email, password, full_name] = [String(body.email), String(body.password), String(body.full_name)];
    if (this.#accounts.has(email)) return errorReply('EMAIL_EXISTS');
    if (password.length < 8) return errorReply('VALIDATION_ERROR');
    const account = { id: randomUUID(), email, password, full_name };
    this.#accounts.set(email, account);
    return ok({ ...this.#issueTokens(account), user: userOf(account) });
  }

  #signIn({ email, password }: Json): Reply {
    const account = this.#accounts.get(String(email));
    if (!account) return errorReply('USER_NOT_FOUND');
    if (account.password !== password) return errorReply('INVALID_CREDENTIALS');
    return ok({ ...this.#issueTokens(account), user: userOf(account) });
  }

  #refresh({ refresh_token }: Json): Reply {
    const account = this.#refreshTokens.get(String(refresh_token));
    this.#refreshTokens.delete(String(refresh_token));
    return account ? ok(this.#issueTokens(account)) : errorReply('INVALID_TOKEN');
  }

  #issueTokens(account: Account): Json {
    const access_token = `access-${randomUUID()}`;
    const refresh_token = `v1.${randomUUID()}`;
    this.#accessTokens.set(access_token, account);
    this.#refreshTokens.set(refresh_token, account);
    return { access_token, refresh_token, expires_at: timestamp(Date.now() + 3_600_000) };
  }

  #validateApiKey({ api_key }: Json): Reply {
    if (![...this.#apiKeys.values()].includes(String(api_key))) {
      return ok({ valid: false, error: 'unknown key', code: 'INVALID_API_KEY' });
    }
    return ok({
      valid: true,
      plan: 'standard',
      source: 'new',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
  }

  #installerHashes(): Reply {
    const hashes = { linux_amd64: `sha256:${this.#installerSha256}` };
    return ok({ version: '7.0.1', hashes, updated_at: timestamp(0) });
  }

  #subscriptionStatus(): Reply {
    const subscription = {
      plan: 'standard',
      status: 'active',
      current_period_start: timestamp(Date.now()),
      current_period_end: timestamp(Date.now() + 86_400_000),
      cancel_at_period_end: false,
    };
    const key_preview = `${licenseKey.slice(0, 6)}...${licenseKey.slice(-4)}`;
    const license = { key_preview, plan: 'standard', status: this.#licenseStatus, ...this.#counts() };
    return ok({ has_subscription: true, subscription, license, features: allFeatures });
  }

  #validateLicense({ license_key, device_id }: Json): Reply {
    if (license_key !== licenseKey) return ok({ valid: false, error: 'no such key', code: 'LICENSE_NOT_FOUND' });
    if (this.#licenseStatus === 'revoked') return ok({ valid: false, error: 'revoked', code: 'LICENSE_REVOKED' });
    return ok({
      valid: true,
      plan: 'standard',
      status: this.#licenseStatus,
      ...this.#counts(),
      can_activate: this.#activations.size < 2,
      already_activated_on_device: this.#activations.has(String(device_id)),
      features,
    });
  }

  #activateLicense({ license_key, device_id }: Json): Reply {
    if (license_key !== licenseKey) return errorReply('LICENSE_NOT_FOUND');
    if (this.#licenseStatus !== 'active') return errorReply('LICENSE_INACTIVE');
    if (this.#activations.size >= 2) return errorReply('MAX_ACTIVATIONS_REACHED');
    const activation_id = randomUUID();
    this.#activations.set(String(device_id), activation_id);
    return ok({ success: true, activation_id, ...this.#counts(), message: 'activated' });
  }

  #counts(): Json {
    return { activations: this.#activations.size, max_activations: 2 };
  }

  #generateApiKey({ id }: Account): Reply {
    const about = {
      is_legacy: false,
      plan: 'standard',
      features: { api_access: true },
      created_at: timestamp(0),
      message: '',
    };
    const existing = this.#apiKeys.get(id);
    if (existing) return ok({ api_key_prefix: existing.slice(0, 12), ...about });
    const api_key = `acme_live_${randomUUID().replaceAll('-', '').slice(0, 25)}`;
    this.#apiKeys.set(id, api_key);
    return ok({ api_key, ...about });
  }
}

function userOf({ id, email, full_name }: Account): Json {
  return { id, email, full_name };
}
