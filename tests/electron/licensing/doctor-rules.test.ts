/** What each measurement of the connection doctor means, and that every failing finding has exactly one remedy. */

import { describe, expect, it } from 'vitest';
import { readServerTime } from '../../../electron/licensing/api-response.ts';
import {
  judgeAddress,
  judgeApi,
  judgeClock,
  judgeConnection,
  judgeLicense,
  judgeLookup,
  judgeProxy,
  judgeSeat,
  judgeSession,
  judgeSignedOut,
  judgeTls,
  type Validation,
} from '../../../electron/licensing/doctor-rules.ts';
import type { HttpResult, TlsResult } from '../../../electron/licensing/platform.ts';
import type { SubscriptionStatusResponse } from '../../../shared/api/subscription.ts';
import { doctorFindings } from '../../../shared/ipc/doctor.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';

const now = Date.parse('2026-03-03T09:00:00.000Z');
const day = 86_400_000;

it('every failing finding has exactly one remedy, and no other finding has one', () => {
  for (const [finding, { outcome, remedy }] of Object.entries(doctorFindings)) {
    expect([finding, remedy !== null]).toEqual([finding, outcome === 'fail']);
  }
});

it.each([
  [{ kind: 'found', addresses: ['192.0.2.7', '192.0.2.8'] }, false, 'name-resolved', '192.0.2.7'],
  [{ kind: 'not-found', code: 'ENOTFOUND' }, false, 'name-not-found', 'ENOTFOUND'],
  [{ kind: 'not-found', code: 'ENOTFOUND' }, true, 'proxy-name-not-found', 'ENOTFOUND'],
  [{ kind: 'no-answer', code: 'EAI_AGAIN' }, true, 'dns-silent', 'EAI_AGAIN'],
] as const)('judges the lookup of a name: %j of a proxy: %s', (lookup, isProxy, finding, detail) => {
  expect(judgeLookup(lookup, isProxy)).toEqual({ finding, detail });
});

it.each([
  ['ECONNREFUSED', false, 'connection-refused', 'ECONNREFUSED'],
  ['ECONNREFUSED', true, 'proxy-unreachable', 'ECONNREFUSED'],
  ['ETIMEDOUT', false, 'connection-timeout', 'ETIMEDOUT'],
  ['ABORTED', false, 'connection-timeout', 'TIMEOUT'],
  ['ENETUNREACH', false, 'connection-failed', 'ENETUNREACH'],
  ['EHOSTUNREACH', false, 'connection-failed', 'EHOSTUNREACH'],
] as const)('judges a connection that fails with %s to a proxy: %s', (code, isProxy, finding, detail) => {
  expect(judgeConnection({ kind: 'failed', code }, isProxy)).toEqual({ finding, detail });
});

it.each([
  [null, 'address-missing'],
  ['http://example.org', 'address-invalid'],
  ['https://example.org', 'address-valid'],
])('judges the address %s', (address, finding) => {
  expect(judgeAddress(address)).toEqual({ finding, detail: null });
});

it('judges a connection that is made by where it leads', () => {
  expect(judgeConnection({ kind: 'connected', address: '192.0.2.7' } as never, true)).toEqual({
    finding: 'connected',
    detail: '192.0.2.7',
  });
});

describe('a certificate', () => {
  const certificate = (problem: string | null): TlsResult => ({
    kind: 'secured',
    problem,
    issuer: 'Lab CA',
    validFromMs: now - day,
    expiresAtMs: now + day,
    protocol: 'TLSv1.3',
  });
  const context = { nowMs: now, serverTimeMs: null, appConnects: false };

  it.each([
    [null, 'certificate-trusted'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate-self-signed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate-issuer'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate-issuer'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate-issuer'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-name'],
    ['CERT_REVOKED', 'certificate-invalid'],
    ['CERT_HAS_EXPIRED', 'certificate-expired'],
    ['CERT_NOT_YET_VALID', 'certificate-not-yet-valid'],
  ])('with the problem %s', (problem, finding) => {
    const expires_at = '2026-03-04T09:00:00.000Z';
    const detail = { issuer: 'Lab CA', expires_at, protocol: 'TLSv1.3', code: problem };
    expect(judgeTls(certificate(problem), context)).toEqual({ finding, detail });
  });

  it.each([
    ['this clock is ahead', 'CERT_HAS_EXPIRED', now + 5 * day, now, 'certificate-clock'],
    ['this clock is behind', 'CERT_NOT_YET_VALID', now - 5 * day, now, 'certificate-clock'],
    ['it has expired by both clocks', 'CERT_HAS_EXPIRED', now + 5 * day, now + 5 * day, 'certificate-expired'],
    ['both are wrong', 'CERT_HAS_EXPIRED', now + 5 * day, now + 4 * day, 'certificate-expired'],
    ['the clocks agree, so another one of the chain has', 'CERT_HAS_EXPIRED', now, now + 1000, 'certificate-expired'],
    ['the clocks differ by as much as is tolerated', 'CERT_HAS_EXPIRED', now + 300_000, now, 'certificate-expired'],
    ['the clocks differ by more', 'CERT_HAS_EXPIRED', now + 300_001, now, 'certificate-clock'],
    ['the server is at its begin', 'CERT_NOT_YET_VALID', now - 5 * day, now - day, 'certificate-clock'],
    ['the server is at its end', 'CERT_HAS_EXPIRED', now + 5 * day, now + day, 'certificate-clock'],
    ['the server is before its begin', 'CERT_NOT_YET_VALID', now, now - day - 1, 'certificate-not-yet-valid'],
  ])('that is not valid now: %s', (_case, problem, nowMs, serverTimeMs, finding) => {
    expect(judgeTls(certificate(problem), { nowMs, serverTimeMs, appConnects: false }).finding).toBe(finding);
  });

  it.each([
    [null, now + day, now],
    [now - day, null, now],
    [now - day, now + day, null],
  ])(
    'is not said to be wrong by the clock if one of the times is not known',
    (validFromMs, expiresAtMs, serverTimeMs) => {
      const result = { ...certificate('CERT_HAS_EXPIRED'), validFromMs, expiresAtMs } as TlsResult;
      const judged = judgeTls(result, { nowMs: now + 5 * day, serverTimeMs, appConnects: false });
      expect(judged).toMatchObject({
        finding: 'certificate-expired',
        detail: { expires_at: expiresAtMs === null ? null : '2026-03-04T09:00:00.000Z' },
      });
    },
  );

  it('is trusted if the app itself accepts it', () => {
    const result = judgeTls(certificate('SELF_SIGNED_CERT_IN_CHAIN'), { ...context, appConnects: true });
    expect(result).toMatchObject({ finding: 'certificate-trusted', detail: { code: null } });
  });

  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls-not-spoken'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls-not-spoken'],
    ['ABORTED', 'tls-timeout'],
    ['ETIMEDOUT', 'tls-timeout'],
    ['ECONNRESET', 'tls-failed'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls-failed'],
  ] as const)('that was never presented: %s', (code, finding) => {
    const shown = code === 'ABORTED' ? 'TIMEOUT' : code;
    const detail = { issuer: null, expires_at: null, protocol: null, code: shown };
    expect(judgeTls({ kind: 'failed', code }, context)).toEqual({ finding, detail });
    const accepted = judgeTls({ kind: 'failed', code }, { ...context, appConnects: true });
    expect(accepted).toEqual({ finding: 'tls-not-measured', detail });
  });

  it('is not measured if the proxy opens no tunnel', () => {
    const result = judgeTls({ kind: 'no-tunnel', status: 407 }, context);
    expect(result).toEqual({ finding: 'tls-not-measured', detail: null });
    expect(judgeTls({ kind: 'not-measured' } as never, context)).toEqual(result);
  });
});

const proxied = { kind: 'proxy', protocol: 'http', host: 'proxy.lab', port: 3128 } as const;
it.each([
  [null, null, 'proxy-unknown', null],
  [{ route: { kind: 'direct' }, pacUrl: null }, null, 'proxy-none', 'DIRECT'],
  [{ route: proxied, pacUrl: null }, null, 'proxy-used', 'PROXY proxy.lab:3128'],
  [{ route: { ...proxied, host: '2001:db8::1' }, pacUrl: null }, null, 'proxy-used', 'PROXY [2001:db8::1]:3128'],
  [{ route: proxied, pacUrl: 'http://wpad.lab/p.pac' }, null, 'proxy-used', 'PAC http://wpad.lab/p.pac'],
  [{ route: proxied, pacUrl: null }, 407, 'proxy-authentication', 'PROXY proxy.lab:3128'],
  [{ route: proxied, pacUrl: null }, 403, 'proxy-refuses', 'PROXY proxy.lab:3128'],
] as const)('judges a proxy: %j, refused with %s', (proxy, refusal, finding, detail) => {
  expect(judgeProxy(proxy, refusal)).toEqual({ finding, detail });
});

it.each([
  [null, 'clock-unknown', null],
  [0, 'clock-in-sync', null],
  [300_000, 'clock-in-sync', null],
  [-300_000, 'clock-in-sync', null],
  [300_001, 'clock-ahead', '5 min'],
  [-119 * 60_000, 'clock-behind', '119 min'],
  [120 * 60_000, 'clock-ahead', '2 h'],
  [12 * 60_000, 'clock-ahead', '12 min'],
  [-52 * 3_600_000, 'clock-behind', '52 h'],
])('judges a clock that is ahead by %s ms', (aheadMs, finding, detail) => {
  expect(judgeClock(aheadMs)).toEqual({ finding, detail });
});

it('takes no time from a cached response', () => {
  const date = new Date(now).toUTCString();
  expect(readServerTime({ status: 200, headers: { date }, body: '' })).toBe(now);
  expect(readServerTime({ status: 200, headers: { date, age: '3600' }, body: '' })).toBeNull();
  expect(readServerTime({ status: 200, headers: {}, body: '' })).toBeNull();
});

const html = { 'content-type': 'text/html' };
const respond = (status: number, body: string, headers: Record<string, string> = {}): HttpResult => ({
  ok: true,
  response: { status, headers, body },
});
it.each([
  [respond(200, '<p>Welcome to the hotel</p>', html), 'web-page', 'HTTP 200'],
  [respond(200, '<!doctype html><html>'), 'web-page', 'HTTP 200'],
  [respond(302, '', { location: 'http://hotel.example/' }), 'web-page', 'HTTP 302'],
  [respond(511, 'Sign in', html), 'web-page', 'HTTP 511'],
  [respond(404, '<html>Not found</html>', html), 'not-a-license-server', 'HTTP 404'],
  [respond(200, '{"hello":"world"}'), 'not-a-license-server', 'HTTP 200'],
  [respond(500, '{}'), 'server-busy', 'HTTP 500'],
  [respond(502, '<html>Bad gateway</html>', html), 'server-busy', 'HTTP 502'],
  [respond(429, '{"error":"Slow down.","code":"RATE_LIMITED"}'), 'server-busy', 'HTTP 429'],
  [respond(404, '{"error":"Not configured","message":"No hashes."}'), 'license-server', 'HTTP 404'],
  [respond(404, '{"error":"Nothing here.","code":"NOT_FOUND"}'), 'license-server', 'HTTP 404'],
  [{ ok: false, reason: 'too-large', message: 'long' }, 'not-a-license-server', null],
  [{ ok: false, reason: 'timeout', message: 'late' }, 'no-response', 'TIMEOUT'],
  [{ ok: false, reason: 'unreachable', message: 'ECONNRESET' }, 'no-response', 'ECONNRESET'],
  [{ ok: false, reason: 'unreachable', message: 'connect to 10.0.0.1 failed' }, 'no-response', null],
  [{ ok: false, reason: 'unreachable', message: 'ECONNRESET by 10.0.0.1' }, 'no-response', null],
  [{ ok: false, reason: 'unreachable', message: '10.0.0.1 ECONNRESET' }, 'no-response', null],
] as const)('judges a response of the API: %j', (result, finding, detail) => {
  expect(judgeApi(result, now)).toEqual({ finding, detail });
});

const at = new Date(now).toISOString();
const failed = (kind: 'error' | 'inconclusive', code: string) =>
  ({ kind, failure: { code, message: '', at } }) as const;
it.each([
  [{ kind: 'success', response: {}, serverTimeMs: null }, 'session-accepted', null],
  [failed('error', 'INVALID_TOKEN'), 'session-ended', 'INVALID_TOKEN'],
  [failed('inconclusive', 'TOKEN_EXPIRED'), 'session-ended', 'TOKEN_EXPIRED'],
  [failed('error', 'FORBIDDEN'), 'session-accepted', 'FORBIDDEN'],
  [failed('inconclusive', 'RATE_LIMITED'), 'session-unknown', 'RATE_LIMITED'],
] as const)('judges a session: %j', (result, finding, detail) => {
  expect(judgeSession(result)).toEqual({ finding, detail });
});

it.each([
  [null, 'signed-out'],
  ['server-changed', 'signed-out'],
  ['session-expired', 'session-ended'],
  ['session-revoked', 'session-ended'],
] as const)('judges a missing session with the reason %s', (reason, finding) => {
  expect(judgeSignedOut(reason).finding).toBe(finding);
});

const license = { key_preview: 'SVC-AB12...GH7X', plan: 'standard', activations: 1, max_activations: 3 };
const statusWith = (given: { status?: string; activations?: number } | null): SubscriptionStatusResponse => ({
  has_subscription: false,
  subscription: null,
  license: given && { ...license, status: 'active', ...given },
  features: seededPlans.standard,
});
const valid = (place: { already?: boolean; can?: boolean; activations?: number }): Validation => ({
  kind: 'success',
  serverTimeMs: null,
  response: {
    valid: true,
    plan: 'standard',
    status: 'active',
    activations: place.activations ?? 1,
    max_activations: 3,
    can_activate: place.can ?? true,
    already_activated_on_device: place.already ?? false,
    features: seededPlans.standard,
  },
});
const invalid = (code: string): Validation => ({
  kind: 'success',
  serverTimeMs: null,
  response: { valid: false, error: 'No.', code },
});

it.each([
  [valid({}), {}, 'license-good', null],
  [invalid('LICENSE_REVOKED'), {}, 'license-revoked', 'LICENSE_REVOKED'],
  [invalid('LICENSE_EXPIRED'), {}, 'license-expired', 'LICENSE_EXPIRED'],
  [invalid('LICENSE_INACTIVE'), {}, 'license-suspended', 'LICENSE_INACTIVE'],
  [invalid('SUBSCRIPTION_INACTIVE'), {}, 'subscription-ended', 'SUBSCRIPTION_INACTIVE'],
  [invalid('LICENSE_NOT_FOUND'), {}, 'license-not-found', 'LICENSE_NOT_FOUND'],
  [failed('inconclusive', 'RATE_LIMITED'), {}, 'license-unknown', 'RATE_LIMITED'],
  [null, {}, 'license-good', null],
  [null, { status: 'revoked' }, 'license-revoked', 'revoked'],
  [null, { status: 'expired' }, 'license-expired', 'expired'],
  [null, { status: 'inactive' }, 'license-suspended', 'inactive'],
  [null, { status: 'odd' }, 'license-unknown', null],
  [null, null, 'license-none', null],
] as const)('judges a license: %j with the status %j', (validation, status, finding, detail) => {
  expect(judgeLicense(validation, statusWith(status))).toEqual({ finding, detail });
});

it.each([
  [valid({ already: true, activations: 3 }), {}, 'seat-taken', '3/3'],
  [valid({ activations: 2 }), {}, 'seat-not-activated', '2/3'],
  [valid({ can: false, activations: 3 }), {}, 'seat-limit-reached', '3/3'],
  [null, { activations: 2 }, 'seat-not-activated', '2/3'],
  [null, { activations: 3 }, 'seat-limit-reached', '3/3'],
  [null, null, 'seat-not-activated', null],
] as const)('judges a place on the license: %j with the status %j', (validation, status, finding, detail) => {
  expect(judgeSeat(validation, statusWith(status))).toEqual({ finding, detail });
});
