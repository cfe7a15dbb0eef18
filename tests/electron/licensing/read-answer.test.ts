/** What one HTTP answer means: the table over statuses and bodies. */
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../electron/licensing/read-answer.ts';
import { type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';

const envelope = (code: string) => ({ error: 'A sentence.', code });
const invalid = { valid: false, error: 'Revoked.', code: 'LICENSE_REVOKED' };
const beat = { success: true, timestamp: '2026-03-03T09:00:00Z' };
const tokens = { access_token: 'a', refresh_token: 'v1.b', expires_at: '2026-03-03T10:00:00+01:00' };
const hashes = { version: '4.2.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' };

function read(name: EndpointName, status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(endpoints[name], { status, headers, body: text }, { nowMs: 0, secrets: ['secret-token'] });
}

describe('an answer', () => {
  it.each<[string, EndpointName, number, unknown, string]>([
    ['the shape of the interface', 'heartbeat', 200, beat, 'answer'],
    ['another success status', 'heartbeat', 201, beat, 'answer'],
    ['fields that we do not know', 'heartbeat', 200, { ...beat, extra: 1 }, 'answer'],
    ['a verdict with 200', 'validateLicense', 200, invalid, 'answer'],
    ['a verdict with the status of another server', 'validateLicense', 404, invalid, 'answer'],
    ['a refusal', 'login', 401, envelope('INVALID_CREDENTIALS'), 'refused'],
    [
      'a refusal with 200, as another server may answer',
      'activateLicense',
      200,
      envelope('MAX_ACTIVATIONS_REACHED'),
      'refused',
    ],
    ['a refusal with 400', 'refresh', 400, envelope('INVALID_TOKEN'), 'refused'],
    ['an extension that is not there', 'listActivations', 404, envelope('NOT_FOUND'), 'missing'],
    ['an extension that is not there, as HTML', 'listActivations', 404, '<h1>Cannot GET</h1>', 'missing'],
    ['an extension of another method', 'logout', 405, envelope('METHOD_NOT_ALLOWED'), 'missing'],
    ['an activation that is gone', 'releaseActivation', 404, envelope('NOT_FOUND'), 'refused'],
    ['no hashes published', 'installerHashes', 404, { error: 'None', message: 'None' }, 'missing'],
    ['no hashes published, with 200', 'installerHashes', 200, { error: 'None', message: 'None' }, 'missing'],
    ['hashes without platforms', 'installerHashes', 200, hashes, 'answer'],
    ['a path that is not there', 'login', 404, envelope('NOT_FOUND'), 'refused'],
    ['a page that is not there', 'login', 404, '<html>', 'inconclusive'],
    ['a request that took too long', 'login', 408, envelope('TIMEOUT'), 'inconclusive'],
    ['an empty answer', 'login', 200, '', 'inconclusive'],
    ['null', 'login', 200, 'null', 'inconclusive'],
    ['tokens without a user', 'login', 200, tokens, 'inconclusive'],
    ['a refresh', 'refresh', 200, tokens, 'answer'],
    ['a code that is no text', 'login', 401, { error: 'x', code: 7 }, 'inconclusive'],
    ['a redirect', 'refresh', 301, envelope('INVALID_TOKEN'), 'inconclusive'],
    ['a 5xx with an envelope', 'refresh', 500, envelope('INVALID_TOKEN'), 'inconclusive'],
    ['a 5xx with a verdict', 'validateLicense', 503, invalid, 'inconclusive'],
    ['a 429 with a verdict', 'validateLicense', 429, invalid, 'inconclusive'],
  ])('with %s', (_, name, status, body, kind) => {
    expect(read(name, status, body).kind).toBe(kind);
  });

  it('keeps the id of the request, where it is printable', () => {
    expect(read('login', 401, envelope('INVALID_CREDENTIALS'), { 'x-request-id': 'req-1' })).toMatchObject({
      failure: { requestId: 'req-1' },
    });
    expect(read('login', 401, envelope('INVALID_CREDENTIALS'), { 'x-request-id': 'a b\n' })).not.toHaveProperty(
      'failure.requestId',
    );
  });

  it('keeps the wait of a 503', () => {
    expect(read('login', 503, envelope('SERVICE_UNAVAILABLE'), { 'retry-after': '9' })).toMatchObject({
      failure: { retryAfterSeconds: 9 },
    });
  });

  it('never carries a secret that was sent, nor an endless sentence', () => {
    const outcome = read('heartbeat', 400, { error: `secret-token ${'x'.repeat(9000)}`, code: 'secret-token' });
    expect(JSON.stringify(outcome)).not.toContain('secret-token');
    expect(JSON.stringify(outcome).length).toBeLessThan(1000);
    expect(JSON.stringify(read('heartbeat', 200, { ...beat, warning: 'secret-token' }))).not.toContain('secret-token');
  });
});
