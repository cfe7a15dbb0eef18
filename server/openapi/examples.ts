/**
 * Examples of every request and response of the interface. The tests compare them with what the server really sends.
 */
import type { z } from 'zod';
import type { Endpoint, EndpointName, endpoints } from '../../shared/api/endpoints.ts';
import type { IntegrationEndpointName, integrationEndpoints } from '../../shared/api/integration-endpoints.ts';
import { seededPlans } from '../../shared/seeded-features.ts';

type Table = typeof endpoints & typeof integrationEndpoints;
type Name = EndpointName | IntegrationEndpointName;
type Of<N extends Name> = Table[N] & Endpoint;

type ExamplesOf<E extends Endpoint> = {
  readonly request?: E['request'] extends z.ZodType ? z.input<E['request']> : undefined;
  /** Responses with status 200, by name. */
  readonly responses: Readonly<Record<string, z.output<E['response']>>>;
  /** Responses with another status that are not `{error, code}`. */
  readonly otherResponses?: Readonly<Record<string, unknown>>;
};

export type OperationExamples = {
  readonly request?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly otherResponses?: Readonly<Record<string, unknown>>;
};

const at = '2027-01-31T12:00:00.000Z';
const user = { id: '019b5f2a-7c1e-7d3a-9f10-2b6c8d4e5f60', email: 'ada@example.org', full_name: 'Ada Lovelace' };
const license_key = 'SVC-7K3M-9QXA-2TNB-W4HD';
const key_preview = 'SVC-7K3M...W4HD';
const device_id = 'HW-0F1E2D3C-4B5A6978-8796A5B4-C3D2E1F0';
const device_name = 'Office computer';
const platform = 'linux x64';
const activation_id = '019b5f2b-11aa-7c42-8e5d-6a7b8c9d0e1f';
const api_key = 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxJN';
const api_key_prefix = 'svc_live_AbCd';

const tokens = {
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTliIn0.c2lnbmF0dXJl',
  refresh_token: 'v1.q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
  expires_at: at,
};
const tokenSet = { ...tokens, user };
const device = { activation_id, key_preview, device_id, device_name, platform };
const license = { key_preview, plan: 'standard', status: 'active', activations: 1, max_activations: 3 };
const { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices } = seededPlans.standard;
const keyFacts = { is_legacy: false, plan: 'standard', features: { api_access: true }, created_at: at };
const keyStatus = { api_key_prefix, is_legacy: false, created_at: at, revoked_at: null, reported_at: null };

export const examples: { readonly [N in Name]: ExamplesOf<Of<N>> } = {
  login: { request: { email: user.email, password: 'quiet harbour lantern 47' }, responses: { signedIn: tokenSet } },
  signup: {
    request: { email: user.email, password: 'quiet harbour lantern 47', full_name: user.full_name },
    responses: { created: tokenSet },
  },
  refresh: { request: { refresh_token: tokens.refresh_token }, responses: { refreshed: tokens } },
  logout: { request: { refresh_token: tokens.refresh_token }, responses: { ended: { success: true } } },
  changePassword: {
    request: {
      current_password: 'quiet harbour lantern 47',
      new_password: 'seven bright anchors 12',
      refresh_token: tokens.refresh_token,
    },
    responses: { changed: { success: true } },
  },
  forgotPassword: { request: { email: user.email }, responses: { accepted: { success: true } } },
  resetPassword: {
    request: { token: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA', new_password: 'seven bright anchors 12' },
    responses: { changed: { success: true } },
  },
  sessions: {
    responses: {
      sessions: {
        sessions: [
          {
            session_id: '019b5f2c-22bb-7d53-9f6e-7b8c9d0e1f2a',
            created_at: at,
            last_used_at: at,
            user_agent: 'Desktop/1.0 (Linux)',
            current: true,
          },
        ],
      },
    },
  },
  accountSignIn: {
    request: { email: user.email, password: 'quiet harbour lantern 47' },
    responses: { signedIn: { user } },
  },
  accountSession: { responses: { signedIn: { user } } },
  accountSignOut: { request: { all_devices: false }, responses: { ended: { success: true } } },
  emailStatus: { responses: { confirmed: { email: user.email, confirmation_needed: false } } },
  changeEmail: {
    request: { email: 'ada@lab.example.org', password: 'quiet harbour lantern 47' },
    responses: { mailed: { success: true } },
  },
  sendEmailConfirmation: { responses: { mailed: { success: true } } },
  confirmEmail: {
    request: { token: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA' },
    responses: { confirmed: { success: true, email: user.email } },
  },
  deleteOwnAccount: {
    request: { password: 'quiet harbour lantern 47' },
    responses: { deleted: { success: true } },
  },
  exportAccount: {
    responses: {
      exported: {
        exported_at: at,
        account: { ...user, created_at: at, password_changed_at: at, email_confirmed_at: null },
        subscription: null,
        other_subscriptions: [],
        licenses: [],
        api_key: null,
        sessions: [],
        activity: [
          {
            id: '019b5f2d-33cc-7e64-8f7a-8c9d0e1f2a3b',
            at,
            actor: user.email,
            action: 'account.sign_in',
            address: '192.0.2.7',
          },
        ],
      },
    },
  },
  endSession: { responses: { ended: { success: true } } },
  subscriptionStatus: {
    responses: {
      subscribed: {
        has_subscription: true,
        subscription: {
          plan: 'standard',
          status: 'active',
          current_period_start: '2027-01-01T00:00:00.000Z',
          current_period_end: '2027-02-01T00:00:00.000Z',
          cancel_at_period_end: false,
        },
        license,
        features: seededPlans.standard,
      },
      withoutSubscription: { has_subscription: false, subscription: null, license: null, features: seededPlans.free },
    },
  },
  validateLicense: {
    request: { license_key, device_id },
    responses: {
      valid: {
        valid: true,
        plan: 'standard',
        status: 'active',
        activations: 1,
        max_activations: 3,
        can_activate: true,
        already_activated_on_device: false,
        features: { real_time_visualization, osc_lsl_streaming, csv_export, api_access, max_devices },
      },
      invalid: {
        valid: false,
        error: 'There is no license with this key. Check it for typing errors.',
        code: 'LICENSE_NOT_FOUND',
      },
    },
  },
  activateLicense: {
    request: { license_key, device_id, device_name, platform },
    responses: {
      activated: {
        success: true,
        activation_id,
        activations: 1,
        max_activations: 3,
        message: 'This device is activated.',
      },
    },
  },
  listActivations: {
    responses: {
      devices: {
        activations: [{ ...device, activated_at: at, last_seen_at: at, activity: 'active' }],
      },
      few_places: {
        activations: [],
        released_devices: [{ ...device, released_at: at, place_free_at: at }],
        new_devices: [{ key_preview, remaining: 1, until: at }],
      },
    },
  },
  releaseActivation: { responses: { released: { success: true, activations: 0, max_activations: 3 } } },
  lease: {
    request: { device_id },
    responses: {
      lease: {
        lease: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImxlYXNlK2p3dCJ9.eyJpc3MiOiJsaWNlbnNlLXNlcnZpY2UifQ.c2lnbmF0dXJl',
        renew_after: '2027-02-07T12:00:00.000Z',
        expires_at: '2027-02-14T12:00:00.000Z',
      },
    },
  },
  apiKey: {
    request: { regenerate: false },
    responses: {
      newKey: { api_key, ...keyFacts, message: 'Save this key now: it is shown only once.' },
      existingKey: {
        api_key_prefix,
        ...keyFacts,
        message: 'This is the beginning of your key. The whole key was shown only when it was generated.',
      },
    },
  },
  validateApiKey: {
    request: { api_key },
    responses: {
      valid: {
        valid: true,
        plan: 'standard',
        source: 'new',
        features: { api_access: true, csv_export: true },
        subscription_active: true,
      },
      invalid: { valid: false, error: 'The API key does not exist or is malformed.', code: 'INVALID_API_KEY' },
      legacyEnded: { valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: at },
    },
  },
  apiKeyStatus: {
    responses: {
      current: {
        key: keyStatus,
      },
      reported: {
        key: { ...keyStatus, revoked_at: at, reported_at: at },
      },
      none: { key: null },
    },
  },
  reportApiKey: { request: { api_key }, responses: { received: { success: true } } },
  heartbeat: {
    request: { device_id },
    responses: {
      usual: { success: true, timestamp: at },
      unusual: { success: true, timestamp: at, warning: 'This device is not activated on your license.' },
    },
  },
  installerHashes: {
    responses: {
      published: {
        version: '4.2.0',
        hashes: { windows_x64: `sha256:${'0a'.repeat(32)}`, linux_amd64: `sha256:${'1b'.repeat(32)}` },
        updated_at: at,
      },
    },
    otherResponses: { none: { error: 'NOT_CONFIGURED', message: 'No installer is published.' } },
  },
  replaceLicenseKey: {
    request: { password: 'quiet harbour lantern 47' },
    responses: { replaced: { license_key, license } },
  },
  about: {
    responses: {
      about: { sign_up: 'open', password_min_length: 8, mail: true, leases: true, account_page: true },
    },
  },
  features: {
    responses: {
      all: {
        features: [
          {
            name: 'csv_export',
            title: 'CSV export',
            does: 'Exports devices and heartbeats to a CSV file that opens in any spreadsheet.',
            hidden: false,
            built_in: true,
          },
          {
            name: 'pdf_reports',
            title: 'PDF reports',
            does: 'Prints sessions as PDF.',
            hidden: false,
            built_in: false,
          },
        ],
      },
    },
  },
  checkoutToken: {
    responses: {
      token: { token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJiaWxsaW5nLWNoZWNrb3V0In0.c2ln', expires_at: at },
    },
  },
  billing_webhook: {
    request: {
      type: 'subscription.updated',
      timestamp: at,
      data: {
        email: user.email,
        plan: 'standard',
        status: 'active',
        current_period_end: '2027-02-28T12:00:00.000Z',
        cancel_at_period_end: false,
      },
    },
    responses: { received: { success: true } },
  },
  billing_stripe: {
    request: {
      id: 'evt_1',
      type: 'customer.subscription.updated',
      created: 1_801_396_800,
      data: { object: { id: 'sub_1', customer: 'cus_1', status: 'active' } },
    },
    responses: { received: { success: true } },
  },
  billing_lemonsqueezy: {
    request: {
      meta: { event_name: 'subscription_updated' },
      data: {
        type: 'subscriptions',
        id: '1',
        attributes: { user_email: user.email, variant_id: 11, status: 'active', updated_at: at },
      },
    },
    responses: { received: { success: true } },
  },
  github_report: {
    request: [{ token: api_key, type: 'api_key', url: null, source: 'content' }],
    responses: { checked: [{ token_raw: api_key, token_type: 'api_key', label: 'true_positive' }] },
  },
  jwks: {
    responses: {
      keys: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      },
    },
  },
  installerByHash: {
    responses: {
      known: { known: true, version: '4.1.0', platform: 'linux_amd64', published_at: at },
      unknown: { known: false },
    },
  },
};
