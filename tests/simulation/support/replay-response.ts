/** Creates an HTTP response that the client reads as the recorded one, with substitute tokens, keys and signatures. */
import type { HttpResult } from '../../../electron/licensing/platform.ts';
import { errorTable } from '../../../shared/api/errors.ts';
import type { LeaseClaims } from '../../../shared/lease.ts';
import type { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import { makeUpLicenseKey, makeUpUser, ownActivationId } from './made-up-key.ts';
import type { RecordedAnswer } from './recorded-answers.ts';

export type ResponseContext = {
  /** The server time, if known. */
  readonly serverMs: number | null;
  readonly nowMs: number;
  /** Lifetime of the access token, if the response has one. */
  readonly tokenLifetimeMs: number;
  /** The account that is signed in, or signs in. */
  readonly accountId: string;
  readonly signerOf: (kid: string) => LeaseSigner;
};

let tokens = 0;

export function makeResponse(answer: RecordedAnswer, context: ResponseContext): HttpResult {
  const { code } = answer;
  switch (answer.outcome) {
    case 'success':
      return respond(200, makeBody(answer, context), context.serverMs);
    case 'error':
      return respondNo(code ?? undefined);
    case 'unsupported':
      return respond(404, envelope('NOT_FOUND'), null);
    case 'inconclusive':
      return makeInconclusive(code ?? 'SERVER_UNREACHABLE');
  }
}

/** Returns a response that proves nothing, not even that the server is unreachable. */
export function respondNothing(): HttpResult {
  return respond(500, envelope('INTERNAL_ERROR'), null);
}

/** Returns a successful response without further content. */
export function respondDone(serverMs: number | null): HttpResult {
  return respond(200, { success: true }, serverMs);
}

/** Returns a conclusive refusal without a server time. */
export function respondNo(code = 'VALIDATION_ERROR'): HttpResult {
  return respond(400, envelope(code), null);
}

export const unreachable: HttpResult = { ok: false, reason: 'unreachable', message: 'as recorded' };

/** Returns a response by which the connection doctor recognizes a license server. */
export function respondNotConfigured(): HttpResult {
  return respond(404, { error: 'Not configured', message: 'No hashes.' }, null);
}

function makeInconclusive(code: string): HttpResult {
  if (code === 'RATE_LIMITED') return respond(429, envelope(code), null, { 'retry-after': '1' });
  if (code === 'SERVER_RESPONSE_INVALID') return respond(200, [], null);
  const statuses: Readonly<Record<string, { readonly status: number }>> = errorTable;
  const status = statuses[code]?.status ?? 0;
  if (status >= 500) return respond(status, envelope(code), null);
  return unreachable;
}

function makeBody({ endpoint, said = {} }: RecordedAnswer, context: ResponseContext): unknown {
  switch (endpoint) {
    case 'login':
    case 'signup':
      return { ...makeTokens(context), user: makeUpUser(said.account_id ?? context.accountId) };
    case 'refresh':
      return makeTokens(context);
    case 'validateLicense':
      return said.validation;
    case 'subscriptionStatus':
      return said.status;
    case 'activateLicense':
      return { success: true, activation_id: ownActivationId, message: '', ...said.activation };
    case 'releaseActivation':
      return { success: true, activations: 0, max_activations: 0 };
    case 'listActivations':
      return { activations: [] };
    case 'apiKeyStatus':
      return { key: null };
    case 'lease':
      return said.lease && signLease(said.lease.claims, context.signerOf(said.lease.kid));
    case 'leaseKeys':
      return { keys: (said.kids ?? []).map((kid) => context.signerOf(kid).jwk) };
    case 'heartbeat':
      return { success: true, timestamp: new Date(context.serverMs ?? context.nowMs).toISOString() };
    case 'about':
      return makeAbout(said.leases ?? false);
    case 'features':
      return { features: (said.feature_names ?? []).map(makeFeatureText) };
    case 'replaceLicenseKey': {
      const key_preview = said.key_preview ?? '';
      const license = { key_preview, plan: '', status: 'active', activations: 0, max_activations: 0 };
      return { license_key: makeUpLicenseKey(key_preview), license };
    }
    default:
      return { success: true };
  }
}

function makeTokens({ serverMs, nowMs, tokenLifetimeMs }: ResponseContext) {
  const number = ++tokens;
  // The `Date` header has no milliseconds, and the client subtracts it.
  const sinceMs = serverMs === null ? nowMs : Math.floor(serverMs / 1000) * 1000;
  const expires_at = new Date(sinceMs + tokenLifetimeMs).toISOString();
  return { access_token: `replay-access-${number}`, refresh_token: `replay-refresh-${number}`, expires_at };
}

function signLease(claims: LeaseClaims, signer: LeaseSigner) {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  return { lease: signer.signClaims(claims), renew_after: at(claims.renew_after), expires_at: at(claims.exp) };
}

/** Returns the server's description of itself, of which only leases affect decisions. */
export function makeAbout(leases: boolean) {
  return { sign_up: 'open', password_min_length: 10, mail: false, leases, account_page: false } as const;
}

/** Returns a feature with this name. */
export function makeFeatureText(name: string) {
  return { name, title: name, does: name, hidden: false, built_in: false };
}

function envelope(code: string) {
  return { error: `The server said ${code}.`, code };
}

function respond(
  status: number,
  json: unknown,
  serverMs: number | null,
  more: Record<string, string> = {},
): HttpResult {
  const date: Record<string, string> = serverMs === null ? {} : { date: new Date(serverMs).toUTCString() };
  return { ok: true, response: { status, headers: { ...date, ...more }, body: JSON.stringify(json ?? null) } };
}
