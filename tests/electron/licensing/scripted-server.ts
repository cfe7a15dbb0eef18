/** A scripted server behind the fake HTTP port: one account, one license, and switches for what a test needs. */
import type { Features } from '../../../shared/api/features.ts';
import { previewLicenseKey } from '../../../shared/formats/license-key.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import type { FakeHttp, FakePlatform, Reply } from '../fake-platform.ts';
import type { LeaseSigner } from './lease-signer.ts';

export const licenseKey = 'SVC-AB12-CD34-EF56-GH7X';
/** The key that replaces the first one. */
export const replacingKey = 'SVC-9K2M-XW4T-7B3P-Q8YH';
const otherDevice = 'HW-00000000-11111111-22222222-33333333';
const ada = { id: '01890000-0000-7000-8000-00000000000a', email: 'ada@lab.org', full_name: 'Ada' };
export const activationId = '01890000-0000-7000-8000-0000000000ac';

type Json = Record<string, unknown>;
type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly expires_at: string };

export class ScriptedServer {
  user: typeof ada = ada;
  plan = 'standard';
  features: Features = seededPlans.standard;
  /** Features of the license's own plan, if that differs from the subscription's. */
  licenseFeatures: Features | null = null;
  /** The code with which validations refuse the license, or `null` while it is valid. */
  invalidCode: string | null = null;
  /** True while the license belongs to no account, until it is activated. */
  unassigned = false;
  activated = false;
  activations = 1;
  maxActivations = 3;
  hasLicense = true;
  /** The current key of the license. */
  key = licenseKey;
  subscription: { status: string; end: string; cancelAtEnd: boolean } | null = {
    status: 'active',
    end: '2026-12-24T00:00:00.000Z',
    cancelAtEnd: false,
  };
  warning: string | null = null;
  refreshes = 0;
  /** The only refresh token that is accepted. */
  refreshToken = '';
  /** The access tokens that are accepted. */
  accessTokens = new Set<string>();
  lists = true;
  accessLifetimeMs = 3_600_000;
  /** Signs the leases; `null` on a server without leases. */
  leases: LeaseSigner | null = null;
  readonly #http: FakeHttp;
  readonly #clock: FakePlatform['clock'];

  constructor({ http, clock }: Pick<FakePlatform, 'http' | 'clock'>) {
    this.#http = http;
    this.#clock = clock;
    http.on('POST /auth/login', ({ json }) => this.#signIn(json));
    http.on('POST /auth/signup', ({ json }) => this.#signUp(json));
    http.on('POST /auth/refresh', ({ json }) => this.#refresh(json));
    http.on('POST /auth/logout', { json: { success: true } });
    this.#onSignedIn('GET /subscription/status', () => this.#subscriptionStatus());
    this.#onSignedIn('POST /license/validate', (json) => this.#validateLicense(json));
    this.#onSignedIn('POST /license/activate', (json) => this.#activateLicense(json));
    this.#onSignedIn('POST /license/lease', (json) => this.#lease(json));
    http.on('GET /.well-known/jwks.json', () => (this.leases === null ? missing : { json: this.leases.jwks }));
    this.#onSignedIn('POST /license/replace-key', (json) => this.#replaceKey(json));
    this.#onSignedIn('GET /license/activations', () => this.#listActivations());
    this.#onSignedIn(`DELETE /license/activations/${activationId}`, () => this.#releaseActivation());
    this.#onSignedIn('POST /metrics/api-key', (json) => this.#generateApiKey(json));
    this.#onSignedIn('POST /heartbeat', () => this.#heartbeat());
    http.on('GET /binary-hash', { status: 404, json: { error: 'Not configured', message: 'No hashes.' } });
  }

  #onSignedIn(route: string, reply: (json: Json) => Reply): void {
    this.#http.on(route, ({ headers, json }) => {
      const token = headers.authorization?.replace('Bearer ', '') ?? '';
      return this.accessTokens.has(token) ? reply(json) : errorReply(401, 'TOKEN_EXPIRED');
    });
  }

  #signIn({ password }: Json): Reply {
    if (password === 'wrong') return errorReply(401, 'INVALID_CREDENTIALS');
    return { json: { ...this.#issueTokens(), user: this.user } };
  }

  #signUp({ email }: Json): Reply {
    if (email === ada.email) return errorReply(409, 'EMAIL_EXISTS');
    return { json: { ...this.#issueTokens(), user: { ...this.user, email } } };
  }

  #refresh({ refresh_token }: Json): Reply {
    return refresh_token === this.refreshToken ? { json: this.#issueTokens() } : errorReply(401, 'INVALID_TOKEN');
  }

  #issueTokens(): Tokens {
    const number = ++this.refreshes;
    this.refreshToken = `v1.refresh-${number}`;
    this.accessTokens.add(`access-${number}`);
    const expires_at = new Date(this.#clock.now() + this.accessLifetimeMs).toISOString();
    return { access_token: `access-${number}`, refresh_token: this.refreshToken, expires_at };
  }

  #lease({ device_id }: Json): Reply {
    if (this.leases === null) return missing;
    if (this.invalidCode !== null || !this.activated) return errorReply(403, 'LICENSE_INACTIVE');
    const about = { sub: this.user.id, license: previewLicenseKey(this.key), plan: this.plan, features: this.features };
    return { json: this.leases.sign({ ...about, device_id: String(device_id) }, this.#clock.now()) };
  }

  #subscriptionStatus(): Reply {
    const { subscription, plan, features, activations } = this;
    const shown = { key_preview: previewLicenseKey(this.key), plan, status: 'active', activations };
    const license = this.hasLicense && !this.unassigned ? { ...shown, max_activations: this.maxActivations } : null;
    if (!subscription) return { json: { has_subscription: false, subscription: null, license, features } };
    const { status, end: current_period_end, cancelAtEnd: cancel_at_period_end } = subscription;
    const current_period_start = '2026-02-24T00:00:00.000Z';
    return {
      json: {
        has_subscription: true,
        subscription: { plan, status, current_period_start, current_period_end, cancel_at_period_end },
        license,
        features,
      },
    };
  }

  #validateLicense({ license_key }: Json): Reply {
    if (license_key !== this.key) return invalidReply('LICENSE_NOT_FOUND');
    if (this.invalidCode) return invalidReply(this.invalidCode);
    const { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices } =
      this.licenseFeatures ?? this.features;
    return {
      json: {
        valid: true,
        plan: this.plan,
        status: 'active',
        activations: this.activations,
        max_activations: this.maxActivations,
        can_activate: this.activated || this.activations < this.maxActivations,
        already_activated_on_device: this.activated,
        features: { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices },
      },
    };
  }

  #activateLicense({ license_key, replaces }: Json): Reply {
    if (license_key !== this.key) return errorReply(404, 'LICENSE_NOT_FOUND');
    if (this.invalidCode) return errorReply(403, 'LICENSE_INACTIVE');
    if (!this.activated && this.activations >= this.maxActivations && replaces === undefined) {
      return errorReply(409, 'MAX_ACTIVATIONS_REACHED');
    }
    if (!this.activated && replaces === undefined) this.activations++;
    this.activated = true;
    this.unassigned = false;
    const { activations, maxActivations: max_activations } = this;
    return {
      json: { success: true, activation_id: activationId, activations, max_activations, message: 'Activated.' },
    };
  }

  #replaceKey({ password }: Json): Reply {
    if (password === 'wrong') return errorReply(401, 'INVALID_CREDENTIALS');
    this.key = replacingKey;
    const { plan, activations, maxActivations: max_activations } = this;
    const license = { key_preview: previewLicenseKey(this.key), plan, status: 'active', activations, max_activations };
    return { json: { license_key: this.key, license } };
  }

  #listActivations(): Reply {
    if (!this.lists) return missing;
    const at = '2026-03-01T00:00:00.000Z';
    const about = {
      key_preview: previewLicenseKey(this.key),
      platform: 'linux x64',
      activated_at: at,
      last_seen_at: at,
      activity: 'active',
    };
    const other = { activation_id: 'other', device_id: otherDevice, device_name: 'Old Laptop', ...about };
    if (!this.activated) return { json: { activations: [other] } };
    const sent = this.#http.requests.findLast((request) => request.body?.includes('device_id'))?.body ?? '{}';
    const { device_id } = JSON.parse(sent);
    const own = { activation_id: activationId, device_id, device_name: 'Studio Mac', ...about };
    return { json: { activations: [other, own] } };
  }

  #releaseActivation(): Reply {
    this.activated = false;
    this.activations--;
    return { json: { success: true, activations: this.activations, max_activations: this.maxActivations } };
  }

  #generateApiKey({ regenerate }: Json): Reply {
    const about = {
      is_legacy: false,
      plan: this.plan,
      features: { api_access: true },
      created_at: this.#timestamp(),
      message: '',
    };
    const key = regenerate || !this.lists ? { api_key: newKey } : { api_key_prefix: 'svc_live_AbCd' };
    return { json: { ...key, ...about } };
  }

  #heartbeat(): Reply {
    const warning = this.warning === null ? {} : { warning: this.warning };
    return { json: { success: true, timestamp: this.#timestamp(), ...warning } };
  }

  #timestamp(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

export const newKey = 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz0';
export const missing: Reply = { status: 404, json: { error: 'There is nothing at this address.', code: 'NOT_FOUND' } };

export function errorReply(status: number, code: string): Reply {
  return { status, json: { error: `The server says ${code}.`, code } };
}

function invalidReply(code: string): Reply {
  return { json: { valid: false, error: `The server says ${code}.`, code } };
}
