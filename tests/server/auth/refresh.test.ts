/** `POST /auth/refresh`: rotation, reuse, expiry, and the retry after a lost response. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { day, hour } from '../../harness/fake-clock.ts';
import { accessToken, envelope, refreshToken, timestamp } from '../../harness/response-shapes.ts';
import { auditActions } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { signUp } from '../../harness/users.ts';

const server = sharedApp();

function refresh(token: string, idempotencyKey?: string) {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return server.call('refresh', { body: { refresh_token: token }, headers });
}

/** Refreshes and returns the next token. */
async function rotate(token: string, idempotencyKey?: string): Promise<string> {
  const response = await refresh(token, idempotencyKey);
  expect(response.status, response.text).toBe(200);
  return stringIn(response.body, 'refresh_token');
}

describe('a refresh', () => {
  it('responds with 200 and a token set without the user', async () => {
    const { status, body } = await refresh((await signUp(server)).refreshToken);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ access_token: accessToken, refresh_token: refreshToken, expires_at: timestamp });
  });

  it('replaces the refresh token', async () => {
    const { refreshToken: first } = await signUp(server);
    expect(await rotate(first)).not.toBe(first);
  });

  it('gives an access token that works', async () => {
    const response = await refresh((await signUp(server)).refreshToken);
    const token = stringIn(response.body, 'access_token');
    expect((await server.call('subscriptionStatus', { token })).status).toBe(200);
  });

  it('gives a new access token that is valid for one hour', async () => {
    const user = await signUp(server);
    server.clock.advance(1000);
    const { body } = await refresh(user.refreshToken);
    expect(body.access_token).not.toBe(user.token);
    expect(Math.abs(Date.parse(String(body.expires_at)) - server.now() - hour)).toBeLessThan(1000);
  });

  it('can be repeated with each new token', async () => {
    let token = (await signUp(server)).refreshToken;
    for (let turn = 0; turn < 5; turn++) token = await rotate(token);
    expect((await refresh(token)).status).toBe(200);
  });

  it('needs no access token and ignores an invalid one', async () => {
    const { refreshToken: token } = await signUp(server);
    const response = await server.call('refresh', { token: 'rubbish', body: { refresh_token: token } });
    expect(response.status).toBe(200);
  });
});

describe('an invalid refresh token', () => {
  it.each([
    ['is empty', ''],
    ['is the prefix alone', 'v1.'],
    ['is unknown', `v1.${'A'.repeat(43)}`],
    ['has no prefix', 'A'.repeat(43)],
    ['has another prefix', `v2.${'A'.repeat(43)}`],
    ['is too short', 'v1.abc'],
    ['is too long', `v1.${'A'.repeat(20_000)}`],
    ['has characters that no token has', 'v1.!!!!\u0000🦊'],
    ['has a lone surrogate', 'v1.\ud83e'],
  ])('is rejected as INVALID_TOKEN if it %s', async (_, token) => {
    const { status, body } = await refresh(token);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is rejected as INVALID_TOKEN if it is an access token', async () => {
    expect((await refresh((await signUp(server)).token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is rejected as INVALID_TOKEN if it differs from a valid one in its last character', async () => {
    const { refreshToken: token } = await signUp(server);
    // The last of 43 characters holds four bits: the next one in the alphabet would be another spelling of the same
    // bits.
    const last = token.endsWith('A') ? 'Q' : 'A';
    expect((await refresh(token.slice(0, -1) + last)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(token)).status, 'the good one is untouched').toBe(200);
  });

  it('is rejected as INVALID_TOKEN once the account has been deleted', async () => {
    const { email, refreshToken: token } = await signUp(server);
    await server.admin('user', 'delete', email);
    expect((await refresh(token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('gets a response with WWW-Authenticate', async () => {
    expect((await refresh('v1.rubbish')).headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });
});

describe('reusing a token that was rotated out', () => {
  it('is rejected as INVALID_TOKEN', async () => {
    const { refreshToken: first } = await signUp(server);
    await rotate(first);
    const { status, body } = await refresh(first);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('ends the whole session: the newest token no longer works either', async () => {
    const { refreshToken: first } = await signUp(server);
    const newest = await rotate(await rotate(first));
    await refresh(first);
    expect((await refresh(newest)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('leaves the other sessions of the account alone', async () => {
    const user = await signUp(server);
    const other = await server.call('login', { body: { email: user.email, password: user.password } });
    await rotate(user.refreshToken);
    await refresh(user.refreshToken);
    expect((await refresh(stringIn(other.body, 'refresh_token'))).status).toBe(200);
  });

  it('succeeds for only one of ten simultaneous requests without a key, and ends the session', async () => {
    const { refreshToken: token } = await signUp(server);
    const responses = await Promise.all(Array.from({ length: 10 }, () => refresh(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = responses.find(({ status }) => status === 200);
    const next = await refresh(stringIn(winner?.body ?? {}, 'refresh_token'));
    expect(next.body, 'nine reuses ended the session').toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('the audit log', () => {
  it('records the reuse of a token, with the account and the address, but no other refusal', async () => {
    const app = await startTestApp();
    const { email, refreshToken: first } = await signUp(app);
    const refreshFrom = (token: string) => app.call('refresh', { body: { refresh_token: token }, from: '192.0.2.7' });
    const { body } = await refreshFrom(first);
    for (const token of ['v1.rubbish', first, stringIn(body, 'refresh_token')]) await refreshFrom(token);
    expect(await auditActions(app, 'refresh_token.reuse')).toMatchObject([
      { actor: 'anonymous', target: `account ${email}`, address: '192.0.2.7' },
    ]);
  });
});

describe('a refresh with an Idempotency-Key', () => {
  it('gives the same successor to the same token with the same key', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    const successor = await rotate(first, key);
    expect(await rotate(first, key)).toBe(successor);
    expect(await rotate(first, key)).toBe(successor);
  });

  it('keeps the session usable after the retry', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    await rotate(first, key);
    const successor = await rotate(first, key);
    expect((await refresh(successor)).status).toBe(200);
  });

  it('answers a retry with the same fields and a working access token', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    await rotate(first, key);
    const { body } = await refresh(first, key);
    expect(body).toStrictEqual({ access_token: accessToken, refresh_token: refreshToken, expires_at: timestamp });
    const token = stringIn(body, 'access_token');
    expect((await server.call('subscriptionStatus', { token })).status).toBe(200);
  });

  it('gives the same successor to ten simultaneous requests', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    const successors = await Promise.all(Array.from({ length: 10 }, () => rotate(first, key)));
    expect(new Set(successors).size).toBe(1);
    expect((await refresh(successors[0] ?? '')).status).toBe(200);
  });

  it('counts as reuse and ends the session if the key differs', async () => {
    const { refreshToken: first } = await signUp(server);
    const successor = await rotate(first, randomUUID());
    expect((await refresh(first, randomUUID())).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('counts as reuse if the first request had no key', async () => {
    const { refreshToken: first } = await signUp(server);
    const successor = await rotate(first);
    expect((await refresh(first, randomUUID())).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('counts as reuse if the retry has no key', async () => {
    const { refreshToken: first } = await signUp(server);
    const successor = await rotate(first, randomUUID());
    expect((await refresh(first)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('counts as reuse and ends the session once the successor has been used', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    const newest = await rotate(await rotate(first, key));
    expect((await refresh(first, key)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(newest)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('gives a fresh access token to each retry, even days later', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    const before = await refresh(first, key);
    server.clock.advance(2 * day);
    const retry = await refresh(first, key);
    expect(retry.body.refresh_token).toBe(before.body.refresh_token);
    expect(Date.parse(String(retry.body.expires_at)) - Date.parse(String(before.body.expires_at))).toBe(2 * day);
  });

  it('answers TOKEN_EXPIRED once the successor has expired', async () => {
    const { refreshToken: first } = await signUp(server);
    const key = randomUUID();
    await rotate(first, key);
    server.clock.advance(7 * day);
    expect((await refresh(first, key)).body).toStrictEqual(envelope('TOKEN_EXPIRED'));
  });

  it('answers VALIDATION_ERROR if the key is too long, and the token stays usable', async () => {
    const { refreshToken: first } = await signUp(server);
    const response = await refresh(first, 'k'.repeat(256));
    expect(response.status).toBe(400);
    expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
    await rotate(first);
  });

  it('ties the key to its token: two sessions may use the same key', async () => {
    const [one, other] = await Promise.all([signUp(server), signUp(server)]);
    const key = randomUUID();
    expect(await rotate(one.refreshToken, key)).not.toBe(await rotate(other.refreshToken, key));
  });
});

describe('an expired refresh token', () => {
  it('gets TOKEN_EXPIRED seven days after its rotation, and not a millisecond earlier', async () => {
    const { refreshToken: first } = await signUp(server);
    server.clock.advance(7 * day - 1);
    const second = await rotate(first);
    server.clock.advance(7 * day - 1);
    const third = await rotate(second);
    server.clock.advance(7 * day);
    const { status, headers, body } = await refresh(third);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('TOKEN_EXPIRED'));
    expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
  });
});

describe('with LATCHKEY_REFRESH_TOKEN_TTL', () => {
  const shortLived = sharedApp({ LATCHKEY_REFRESH_TOKEN_TTL: '90s' });

  it('a refresh token is valid for as long as the setting says', async () => {
    const { refreshToken: first } = await signUp(shortLived);
    shortLived.clock.advance(90_000);
    const { body } = await shortLived.call('refresh', { body: { refresh_token: first } });
    expect(body).toStrictEqual(envelope('TOKEN_EXPIRED'));
  });
});
