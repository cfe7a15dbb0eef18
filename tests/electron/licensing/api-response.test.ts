/** What an HTTP response means: a table of statuses and bodies. */
import { describe, expect, it } from 'vitest';
import { parseServerTime, readResponse, readRetryAfter } from '../../../electron/licensing/api-response.ts';
import { type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { clientErrorCodes } from '../../../shared/ipc/result.ts';

const envelope = (code: string) => ({ error: 'A sentence.', code });
const invalid = { valid: false, error: 'Revoked.', code: 'LICENSE_REVOKED' };
const beat = { success: true, timestamp: '2026-03-03T09:00:00Z' };
const tokens = { access_token: 'a', refresh_token: 'v1.b', expires_at: '2026-03-03T10:00:00+01:00' };
const hashes = { version: '4.2.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' };

function read(name: EndpointName, status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readResponse(endpoints[name], { status, headers, body: text }, { nowMs: 0, secrets: ['secret-token'] });
}

describe('a response', () => {
  it.each<[string, EndpointName, number, unknown, string]>([
    ['the shape of the API', 'heartbeat', 200, beat, 'success'],
    ['another success status', 'heartbeat', 201, beat, 'success'],
    ['unknown fields', 'heartbeat', 200, { ...beat, extra: 1 }, 'success'],
    ['an invalid license with 200', 'validateLicense', 200, invalid, 'success'],
    ['an invalid license with the status of another server', 'validateLicense', 404, invalid, 'success'],
    ['an error', 'login', 401, envelope('INVALID_CREDENTIALS'), 'error'],
    [
      'an error with 200, as another server may send it',
      'activateLicense',
      200,
      envelope('MAX_ACTIVATIONS_REACHED'),
      'error',
    ],
    ['an error with 400', 'refresh', 400, envelope('INVALID_TOKEN'), 'error'],
    ['a missing extension', 'listActivations', 404, envelope('NOT_FOUND'), 'unsupported'],
    ['a missing extension, as HTML', 'listActivations', 404, '<h1>Cannot GET</h1>', 'unsupported'],
    ['a missing extension on a known path', 'logout', 405, envelope('METHOD_NOT_ALLOWED'), 'unsupported'],
    ['an activation that no longer exists', 'releaseActivation', 404, envelope('NOT_FOUND'), 'error'],
    ['no hashes published', 'installerHashes', 404, { error: 'None', message: 'None' }, 'unsupported'],
    ['no hashes published, with 200', 'installerHashes', 200, { error: 'None', message: 'None' }, 'unsupported'],
    ['hashes without platforms', 'installerHashes', 200, hashes, 'success'],
    ['an unknown path', 'login', 404, envelope('NOT_FOUND'), 'error'],
    ['an unknown page', 'login', 404, '<html>', 'inconclusive'],
    ['a request that took too long', 'login', 408, envelope('TIMEOUT'), 'inconclusive'],
    ['an empty response', 'login', 200, '', 'inconclusive'],
    ['null', 'login', 200, 'null', 'inconclusive'],
    ['tokens without a user', 'login', 200, tokens, 'inconclusive'],
    ['a refresh', 'refresh', 200, tokens, 'success'],
    ['a code that is not a string', 'login', 401, { error: 'x', code: 7 }, 'inconclusive'],
    ['a success with the status of an error', 'heartbeat', 404, beat, 'inconclusive'],
    ['a success with an informational status', 'heartbeat', 199, beat, 'inconclusive'],
    ['a success with several choices', 'heartbeat', 300, beat, 'inconclusive'],
    ['a missing extension with errors of its own, as HTML', 'releaseActivation', 404, '<html>', 'unsupported'],
    ['a missing extension, as not implemented', 'listActivations', 501, envelope('NOT_IMPLEMENTED'), 'unsupported'],
    ['a redirect', 'refresh', 301, envelope('INVALID_TOKEN'), 'inconclusive'],
    ['a 5xx with an envelope', 'refresh', 500, envelope('INVALID_TOKEN'), 'inconclusive'],
    ['a 5xx with an invalid license', 'validateLicense', 503, invalid, 'inconclusive'],
    ['a 429 with an invalid license', 'validateLicense', 429, invalid, 'inconclusive'],
  ])('with %s is classified correctly', (_, name, status, body, kind) => {
    expect(read(name, status, body).kind).toBe(kind);
  });

  it.each([
    ['Tue, 03 Mar 2026 09:00:00 GMT', 1_772_528_400_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 253_402_300_799_000],
    ['Sat, 01 Jan 10000 00:00:00 GMT', null],
    ['Sat, 13 Sep 275760 00:00:00 GMT', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Wed, 31 Dec 1969 23:59:59 GMT', null],
    ['soon', null],
  ])('with the Date %s has the time %s', (date, serverTimeMs) => {
    expect(read('heartbeat', 200, beat, { date })).toMatchObject({ kind: 'success', serverTimeMs });
  });

  it('can have the last time that a document can store', () => {
    expect(parseServerTime('9999-12-31T23:59:59.999Z')).toBe(253_402_300_799_999);
  });

  it('has no time if a cache has stored it', () => {
    const date = 'Tue, 03 Mar 2026 09:00:00 GMT';
    expect(read('heartbeat', 200, beat, { date, age: '0' })).toMatchObject({ kind: 'success', serverTimeMs: null });
  });

  it.each([
    ['a', 'a'],
    ['a'.repeat(16 * 1024), 'a'.repeat(16 * 1024)],
    [`${'a'.repeat(16 * 1024)}b`, 'a'.repeat(16 * 1024)],
  ])('has its lease and tokens truncated to the maximum length of a lease', (lease, read16K) => {
    const answer = { lease, renew_after: beat.timestamp, expires_at: beat.timestamp };
    expect(read('lease', 200, answer)).toMatchObject({ kind: 'success', response: { lease: read16K } });
    const long = { ...tokens, access_token: lease, refresh_token: lease };
    expect(read('refresh', 200, long)).toMatchObject({ response: { access_token: read16K, refresh_token: read16K } });
  });

  it('has every other text truncated to 1,000 characters: hundreds of longer ones would freeze the window', () => {
    const warning = 'x'.repeat(1001);
    expect(read('heartbeat', 200, { ...beat, warning })).toMatchObject({ response: { warning: 'x'.repeat(1000) } });
  });

  it('keeps the request id if it is printable', () => {
    expect(read('login', 401, envelope('INVALID_CREDENTIALS'), { 'x-request-id': 'req-1' })).toMatchObject({
      failure: { requestId: 'req-1' },
    });
    for (const headers of [{ 'x-request-id': 'a b\n' }, { 'x-request-id': 'a b' }, {}] as Record<string, string>[]) {
      expect(read('login', 401, envelope('INVALID_CREDENTIALS'), headers)).not.toHaveProperty('failure.requestId');
    }
  });

  it.each([
    ['INVALID_TOKEN', 'SERVER_UNREACHABLE'],
    ['LICENSE_REVOKED', 'SERVER_UNREACHABLE'],
    ['DISK_ON_FIRE', 'SERVER_UNREACHABLE'],
    ['INTERNAL_ERROR', 'INTERNAL_ERROR'],
    ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  ])('of a failing server with the code %s becomes %s, so that it is never taken for an answer', (code, read500) => {
    expect(read('lease', 500, envelope(code))).toMatchObject({ failure: { code: read500 } });
  });

  const page = '<!doctype html><title>Hotel</title>';
  it.each([
    ['a page', 200, page, {}, 'web-page'],
    ['a page by its type', 200, 'Welcome', { 'content-type': 'text/html' }, 'web-page'],
    ['a redirect', 302, '', { location: 'http://hotel.example/' }, 'web-page'],
    ['a network that wants a sign-in', 511, '', {}, 'web-page'],
    ['a proxy whose server is down', 502, page, {}, 'gateway'],
    ['a proxy without a server', 503, '', {}, 'gateway'],
    ['a proxy whose server is silent', 504, '{}', {}, 'gateway'],
  ])('of %s says what responded in place of the server', (_, status, body, headers, kind) => {
    const failure = { code: 'SERVER_UNREACHABLE', respondedInstead: { kind, status } };
    expect(read('heartbeat', status, body, headers)).toMatchObject({ kind: 'inconclusive', failure });
  });

  it.each<[string, number, unknown, Record<string, string>?]>([
    ['a server that fails', 500, 'oops'],
    ['a server that is overloaded', 503, envelope('SERVICE_UNAVAILABLE')],
    ['something unknown', 503, envelope('DISK_ON_FIRE')],
    ['an empty response', 204, ''],
    ['an invalid response of a server', 200, { success: 'yes' }],
    ['a page with the status of a limit', 429, page],
    ['an invalid response that says it is a page', 200, { success: 'yes' }, { 'content-type': 'text/html' }],
  ])('of %s does not', (_, status, body, headers = {}) => {
    expect(read('heartbeat', status, body, headers)).not.toHaveProperty('failure.respondedInstead');
  });

  it.each(clientErrorCodes)('never has the code %s, which only the client uses', (code) => {
    expect(read('login', 403, envelope(code))).toMatchObject({ kind: 'error', failure: { code: 'OTHER' } });
  });

  it.each<[EndpointName, number, unknown, string, string]>([
    ['login', 429, '', 'RATE_LIMITED', 'Too many requests.'],
    ['login', 429, envelope('RATE_LIMITED'), 'RATE_LIMITED', 'A sentence.'],
    ['listActivations', 404, '', 'NOT_SUPPORTED_BY_SERVER', 'The server does not support this.'],
    ['login', 500, '', 'SERVER_UNREACHABLE', 'The server responded with status 500.'],
    ['heartbeat', 300, beat, 'SERVER_UNREACHABLE', 'The response with status 300 is not from the server.'],
    ['login', 302, '', 'SERVER_UNREACHABLE', 'The response with status 302 is not from the server.'],
    [
      'installerHashes',
      404,
      { error: 'None', message: 'None' },
      'NOT_FOUND',
      'The server has published nothing there.',
    ],
    ['login', 200, {}, 'SERVER_RESPONSE_INVALID', 'The response with status 200 has an unexpected shape.'],
  ])('to %s with %i and %j has a code and a message', (name, status, body, code, message) => {
    expect(read(name, status, body)).toMatchObject({ failure: { code, message } });
  });

  it('keeps any other code, up to 64 characters', () => {
    expect(read('login', 403, envelope('DISK_ON_FIRE'))).toMatchObject({ failure: { code: 'DISK_ON_FIRE' } });
    expect(read('login', 403, envelope('X'.repeat(65)))).toMatchObject({ failure: { code: 'X'.repeat(64) } });
  });

  it('keeps the Retry-After of a 503', () => {
    expect(read('login', 503, envelope('SERVICE_UNAVAILABLE'), { 'retry-after': '9' })).toMatchObject({
      failure: { retryAfterSeconds: 9 },
    });
  });

  it('never contains a secret that was sent, nor an unlimited message', () => {
    const outcome = read('heartbeat', 400, { error: `secret-token ${'x'.repeat(9000)}`, code: 'secret-token' });
    expect(JSON.stringify(outcome)).not.toContain('secret-token');
    expect(JSON.stringify(outcome).length).toBeLessThan(1000);
    expect(JSON.stringify(read('heartbeat', 200, { ...beat, warning: 'secret-token' }))).not.toContain('secret-token');
    // What the server gives in exchange for a secret is not changed, even if it is the same text.
    const same = { ...tokens, access_token: 'secret-token' };
    expect(read('refresh', 200, same)).toMatchObject({ response: { access_token: 'secret-token' } });
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-03T09:00:00.000Z');
  it.each([
    ['7', 7],
    [' 7 ', 7],
    ['0', 1],
    ['999999', 3600],
    ['Tue, 03 Mar 2026 09:00:30 GMT', 30],
    ['Tue, 03 Mar 2026 08:00:00 GMT', 1],
    ['soon', null],
    ['7 seconds', null],
    ['about Tue, 03 Mar 2026 09:00:30 GMT', null],
    ['-1', null],
    [undefined, null],
  ])('%s is %s s', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });

  it('of any other error is limited to one hour, which a user may have to wait', () => {
    expect(read('login', 401, envelope('INVALID_CREDENTIALS'), { 'retry-after': '315360000' })).toMatchObject({
      failure: { retryAfterSeconds: 3600 },
    });
  });

  it('at the device limit may be months ahead, and is absent if the header is', () => {
    const body = envelope('MAX_ACTIVATIONS_REACHED');
    const wait = (headers: Record<string, string>) => read('activateLicense', 409, body, headers);
    expect(wait({ 'retry-after': '2592000' })).toMatchObject({ failure: { retryAfterSeconds: 2_592_000 } });
    const date = 'Sat, 31 Jan 1970 00:00:00 GMT';
    expect(wait({ 'retry-after': date })).toMatchObject({ failure: { retryAfterSeconds: 2_592_000 } });
    expect(wait({})).not.toHaveProperty('failure.retryAfterSeconds');
  });

  it('defaults to 30 s after a 429', () => {
    expect(read('login', 429, '')).toMatchObject({ failure: { retryAfterSeconds: 30 } });
  });
});
