/** What each measurement of the connection doctor means. Pure: a table of cases tests all of it. */
import { endpoints } from '../../shared/api/endpoints.ts';
import type { ValidateLicenseResponse } from '../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { findIntermediary } from '../../shared/find-intermediary.ts';
import type { SignedOutReason } from '../../shared/ipc/app-state.ts';
import type { DoctorFinding, TlsDetail } from '../../shared/ipc/doctor.ts';
import { hasSessionEnded } from '../../shared/ipc/session-ended.ts';
import { type ApiResult, readResponse } from './api-response.ts';
import { toTimestamp } from './failure.ts';
import type { ConnectResult, FoundProxy, HostLookup, HttpResult, TlsResult } from './platform.ts';
import { normalizeServerAddress } from './server-address.ts';
import { clockToleranceMs } from './trusted-time.ts';

/** `detail` is a `TlsDetail` for the step `tls`, and a short fact for every other. */
export type Found<Detail = string> = { readonly finding: DoctorFinding; readonly detail: Detail | null };

export function found<Detail = string>(finding: DoctorFinding, detail: Detail | null = null): Found<Detail> {
  return { finding, detail };
}

export function judgeAddress(address: string | null): Found {
  if (address === null) return found('address-missing');
  return found(normalizeServerAddress(address) === null ? 'address-invalid' : 'address-valid');
}

/** `isProxy`: true if the name is the proxy's. */
export function judgeLookup(lookup: HostLookup, isProxy: boolean): Found {
  switch (lookup.kind) {
    case 'found':
      return found('name-resolved', lookup.addresses[0] ?? null);
    case 'not-found':
      return found(isProxy ? 'proxy-name-not-found' : 'name-not-found', lookup.code);
    case 'no-answer':
      return found('dns-silent', lookup.code);
  }
}

export function judgeConnection(result: ConnectResult, isProxy: boolean): Found {
  if (result.kind === 'connected') return found('connected', result.address);
  const { code } = result;
  if (isProxy) return found('proxy-unreachable', code);
  if (code === 'ECONNREFUSED') return found('connection-refused', code);
  if (code === 'ETIMEDOUT' || code === 'ABORTED') return found('connection-timeout', shownCode(code));
  return found('connection-failed', code);
}

/** Error codes of a certificate from an unknown issuer. */
const unknownIssuer = /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY)\w*|CERT_UNTRUSTED)$/;
/** Error codes of an endpoint that does not speak TLS, e.g. HTTP on the port. */
const notTls =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_TOO_SMALL|BAD_RECORD_TYPE/;

type TlsContext = {
  readonly nowMs: number;
  /** The server's best known time; `null` if unknown. */
  readonly serverTimeMs: number | null;
  /** True if the app itself got a response, through a network stack that trusts more than this measurement. */
  readonly appConnects: boolean;
};

export function judgeTls(result: TlsResult, context: TlsContext): Found<TlsDetail> {
  if (result.kind === 'no-tunnel' || result.kind === 'not-measured') return found('tls-not-measured');
  if (result.kind === 'failed') {
    const detail = { issuer: null, expires_at: null, protocol: null, code: shownCode(result.code) };
    if (context.appConnects) return found('tls-not-measured', detail);
    if (result.code === 'ABORTED' || result.code === 'ETIMEDOUT') return found('tls-timeout', detail);
    return found(notTls.test(result.code) ? 'tls-not-spoken' : 'tls-failed', detail);
  }
  const { problem, issuer, expiresAtMs, protocol } = result;
  const expires_at = expiresAtMs === null ? null : toTimestamp(expiresAtMs);
  const isTrusted = problem === null || context.appConnects;
  const detail = { issuer, expires_at, protocol, code: isTrusted ? null : problem };
  return found(isTrusted ? 'certificate-trusted' : certificateFinding(problem, result, context), detail);
}

type Certificate = Extract<TlsResult, { kind: 'secured' }>;

function certificateFinding(problem: string, certificate: Certificate, context: TlsContext): DoctorFinding {
  if (problem === 'DEPTH_ZERO_SELF_SIGNED_CERT') return 'certificate-self-signed';
  if (unknownIssuer.test(problem)) return 'certificate-issuer';
  if (problem === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'certificate-name';
  if (problem !== 'CERT_HAS_EXPIRED' && problem !== 'CERT_NOT_YET_VALID') return 'certificate-invalid';
  if (isClockToBlame(certificate, context)) return 'certificate-clock';
  return problem === 'CERT_HAS_EXPIRED' ? 'certificate-expired' : 'certificate-not-yet-valid';
}

/** True if the certificate is valid by the server's time but this clock differs. */
function isClockToBlame({ validFromMs, expiresAtMs }: Certificate, { nowMs, serverTimeMs }: TlsContext): boolean {
  if (serverTimeMs === null || validFromMs === null || expiresAtMs === null) return false;
  const isValidThere = validFromMs <= serverTimeMs && serverTimeMs <= expiresAtMs;
  return isValidThere && Math.abs(nowMs - serverTimeMs) > clockToleranceMs;
}

/** `refusal`: the status with which the proxy refused a tunnel that the app needs. */
export function judgeProxy(proxy: FoundProxy | null, refusal: number | null): Found {
  if (proxy === null) return found('proxy-unknown');
  const { route, pacUrl } = proxy;
  const address = route.kind === 'direct' ? 'DIRECT' : `PROXY ${bracket(route.host)}:${route.port}`;
  const detail = pacUrl === null ? address : `PAC ${pacUrl}`;
  if (route.kind === 'direct') return found('proxy-none', detail);
  if (refusal === null) return found('proxy-used', detail);
  return found(refusal === 407 ? 'proxy-authentication' : 'proxy-refuses', detail);
}

/** `aheadMs`: how far this machine's wall clock is ahead of the server's; `null` if unknown. */
export function judgeClock(aheadMs: number | null): Found {
  if (aheadMs === null) return found('clock-unknown');
  if (Math.abs(aheadMs) <= clockToleranceMs) return found('clock-in-sync');
  return found(aheadMs > 0 ? 'clock-ahead' : 'clock-behind', durationText(Math.abs(aheadMs)));
}

/** A license server sends installer hashes, their own 404, or any error in the API's envelope. */
export function judgeApi(result: HttpResult, nowMs: number): Found {
  if (!result.ok) {
    if (result.reason === 'too-large') return found('not-a-license-server');
    const isCode = /^[A-Z][A-Z0-9_]+$/.test(result.message);
    return found('no-response', isCode ? result.message : result.reason === 'timeout' ? 'TIMEOUT' : null);
  }
  const { response } = result;
  const detail = `HTTP ${response.status}`;
  const isWebPage = findIntermediary(response).respondedInstead?.kind === 'web-page';
  if (response.status === 429 || (response.status >= 500 && !isWebPage)) return found('server-busy', detail);
  const { kind } = readResponse(endpoints.installerHashes, response, { nowMs, secrets: [] });
  if (kind !== 'inconclusive') return found('license-server', detail);
  return found(isWebPage ? 'web-page' : 'not-a-license-server', detail);
}

/** Judges the session while nobody is signed in. */
export function judgeSignedOut(reason: SignedOutReason | null): Found {
  return hasSessionEnded(reason) ? found('session-ended', reason) : found('signed-out');
}

export function judgeSession(result: ApiResult<unknown>): Found {
  if (result.kind !== 'inconclusive' && result.kind !== 'error') return found('session-accepted');
  const { code } = result.failure;
  if (code === 'INVALID_TOKEN' || code === 'TOKEN_EXPIRED') return found('session-ended', code);
  return result.kind === 'error' ? found('session-accepted', code) : found('session-unknown', code);
}

/** `null` if this device has no license key. */
export type Validation = ApiResult<ValidateLicenseResponse> | null;

export function judgeLicense(validation: Validation, status: SubscriptionStatusResponse): Found {
  if (validation === null) return status.license ? judgeStatus(status.license.status) : found('license-none');
  if (validation.kind !== 'success') return found('license-unknown', validation.failure.code);
  const { response } = validation;
  return response.valid ? found('license-good') : found(invalidFinding(response.code), response.code);
}

/** An unknown code counts as suspended, as everywhere. */
function invalidFinding(code: string): DoctorFinding {
  switch (code) {
    case 'LICENSE_REVOKED':
      return 'license-revoked';
    case 'LICENSE_EXPIRED':
      return 'license-expired';
    case 'SUBSCRIPTION_INACTIVE':
      return 'subscription-ended';
    case 'LICENSE_NOT_FOUND':
      return 'license-not-found';
    default:
      return 'license-suspended';
  }
}

function judgeStatus(status: string): Found {
  switch (status) {
    case 'active':
      return found('license-good');
    case 'revoked':
      return found('license-revoked', status);
    case 'expired':
      return found('license-expired', status);
    case 'inactive':
      return found('license-suspended', status);
    default:
      return found('license-unknown');
  }
}

/** Called only for a good license. */
export function judgeSeat(validation: Validation, { license }: SubscriptionStatusResponse): Found {
  if (validation?.kind === 'success' && validation.response.valid) {
    const { activations, max_activations, already_activated_on_device, can_activate } = validation.response;
    const detail = `${activations}/${max_activations}`;
    if (already_activated_on_device) return found('seat-taken', detail);
    return found(can_activate ? 'seat-not-activated' : 'seat-limit-reached', detail);
  }
  if (!license) return found('seat-not-activated');
  const isFull = license.activations >= license.max_activations;
  return found(
    isFull ? 'seat-limit-reached' : 'seat-not-activated',
    `${license.activations}/${license.max_activations}`,
  );
}

function shownCode(code: string): string | null {
  return code === 'ABORTED' ? 'TIMEOUT' : code;
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Formats a duration for support, e.g. `12 min` or `52 h`. */
function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
