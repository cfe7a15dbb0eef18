/** `POST /auth/refresh`: rotation, reuse, and the retry of an answer that was lost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accessToken, envelope, refreshToken, timestamp } from '../harness/response-shapes.ts';
import { stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { signUp } from '../harness/users.ts';

const service = startedService();

function refresh(token: string, idempotencyKey?: string) {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return service.call('refresh', { body: { refresh_token: token }, headers });
}

/** Refreshes, and hands over the next token. */
async function rotate(token: string, idempotencyKey?: string): Promise<string> {
  const answer = await refresh(token, idempotencyKey);
  expect(answer.status, answer.text).toBe(200);
  return stringIn(answer.body, 'refresh_token');
}

describe('a refresh', () => {
  it('answers 200 with a token set without the user', async () => {
    const { status, body } = await refresh((await signUp(service)).refreshToken);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ access_token: accessToken, refresh_token: refreshToken, expires_at: timestamp });
  });

  it('replaces the refresh token', async () => {
    const { refreshToken: first } = await signUp(service);
    expect(await rotate(first)).not.toBe(first);
  });

  it('gives an access token that opens the account', async () => {
    const answer = await refresh((await signUp(service)).refreshToken);
    const token = stringIn(answer.body, 'access_token');
    expect((await service.call('subscriptionStatus', { token })).status).toBe(200);
  });

  it('gives an access token of one hour', async () => {
    const before = Date.now();
    const { body } = await refresh((await signUp(service)).refreshToken);
    const lifetimeMs = Date.parse(String(body.expires_at)) - before;
    expect(lifetimeMs).toBeGreaterThan(3_590_000);
    expect(lifetimeMs).toBeLessThan(3_630_000);
  });

  it('can be repeated with each new token', async () => {
    let token = (await signUp(service)).refreshToken;
    for (let turn = 0; turn < 5; turn++) token = await rotate(token);
    expect((await refresh(token)).status).toBe(200);
  });

  it('needs no access token, and takes no notice of a bad one', async () => {
    const { refreshToken: token } = await signUp(service);
    const answer = await service.call('refresh', { token: 'rubbish', body: { refresh_token: token } });
    expect(answer.status).toBe(200);
  });
});

describe('a refresh token that is none', () => {
  it.each([
    ['is empty', ''],
    ['is unknown', `v1.${'A'.repeat(43)}`],
    ['has no prefix', 'A'.repeat(43)],
    ['has another prefix', `v2.${'A'.repeat(43)}`],
    ['is too short', 'v1.abc'],
    ['is too long', `v1.${'A'.repeat(20_000)}`],
    ['has characters that no token has', 'v1.!!!!\u0000🦊'],
    ['has a lone surrogate', 'v1.\ud83e'],
  ])('is INVALID_TOKEN where it %s', async (_, token) => {
    const { status, body } = await refresh(token);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is INVALID_TOKEN where it is an access token', async () => {
    expect((await refresh((await signUp(service)).token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is INVALID_TOKEN where it differs from a good one in its last character', async () => {
    const { refreshToken: token } = await signUp(service);
    // The last of 43 characters holds four bits: the neighbour in the alphabet would be another spelling of them.
    const last = token.endsWith('A') ? 'Q' : 'A';
    expect((await refresh(token.slice(0, -1) + last)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(token)).status, 'the good one is untouched').toBe(200);
  });

  it('is INVALID_TOKEN once the account has been deleted', async () => {
    const { email, refreshToken: token } = await signUp(service);
    await service.admin('user', 'delete', email);
    expect((await refresh(token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is answered with WWW-Authenticate', async () => {
    expect((await refresh('v1.rubbish')).headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });
});

describe('the use of a token that was rotated out', () => {
  it('is refused', async () => {
    const { refreshToken: first } = await signUp(service);
    await rotate(first);
    const { status, body } = await refresh(first);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('ends its whole family: the newest token dies with it', async () => {
    const { refreshToken: first } = await signUp(service);
    const newest = await rotate(await rotate(first));
    await refresh(first);
    expect((await refresh(newest)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('leaves the other sessions of the account alone', async () => {
    const person = await signUp(service);
    const other = await service.call('login', { body: { email: person.email, password: person.password } });
    await rotate(person.refreshToken);
    await refresh(person.refreshToken);
    expect((await refresh(stringIn(other.body, 'refresh_token'))).status).toBe(200);
  });

  it('lets at most one of ten through that come at once without a key', async () => {
    const { refreshToken: token } = await signUp(service);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.find(({ status }) => status === 200);
    const next = await refresh(stringIn(winner?.body ?? {}, 'refresh_token'));
    expect(next.body, 'nine reuses ended the family').toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('a refresh with an Idempotency-Key', () => {
  it('gives the same successor to the same token with the same key', async () => {
    const { refreshToken: first } = await signUp(service);
    const key = randomUUID();
    const successor = await rotate(first, key);
    expect(await rotate(first, key)).toBe(successor);
    expect(await rotate(first, key)).toBe(successor);
  });

  it('keeps the session usable after the retry', async () => {
    const { refreshToken: first } = await signUp(service);
    const key = randomUUID();
    await rotate(first, key);
    const successor = await rotate(first, key);
    expect((await refresh(successor)).status).toBe(200);
  });

  it('answers a retry with the same fields and a working access token', async () => {
    const { refreshToken: first } = await signUp(service);
    const key = randomUUID();
    await rotate(first, key);
    const { body } = await refresh(first, key);
    expect(body).toStrictEqual({ access_token: accessToken, refresh_token: refreshToken, expires_at: timestamp });
    const token = stringIn(body, 'access_token');
    expect((await service.call('subscriptionStatus', { token })).status).toBe(200);
  });

  it('gives one successor to ten that come at once', async () => {
    const { refreshToken: first } = await signUp(service);
    const key = randomUUID();
    const successors = await Promise.all(Array.from({ length: 10 }, () => rotate(first, key)));
    expect(new Set(successors).size).toBe(1);
    expect((await refresh(successors[0] ?? '')).status).toBe(200);
  });

  it('is reuse, and ends the family, where the key is another', async () => {
    const { refreshToken: first } = await signUp(service);
    const successor = await rotate(first, randomUUID());
    expect((await refresh(first, randomUUID())).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is reuse where the first request had no key', async () => {
    const { refreshToken: first } = await signUp(service);
    const successor = await rotate(first);
    expect((await refresh(first, randomUUID())).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is reuse where the retry has no key', async () => {
    const { refreshToken: first } = await signUp(service);
    const successor = await rotate(first, randomUUID());
    expect((await refresh(first)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(successor)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is reuse, and ends the family, once the successor has been used', async () => {
    const { refreshToken: first } = await signUp(service);
    const key = randomUUID();
    const newest = await rotate(await rotate(first, key));
    expect((await refresh(first, key)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(newest)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('belongs to its token: two sessions may use the same key', async () => {
    const [one, other] = await Promise.all([signUp(service), signUp(service)]);
    const key = randomUUID();
    expect(await rotate(one.refreshToken, key)).not.toBe(await rotate(other.refreshToken, key));
  });
});

describe('a refresh token past its lifetime', () => {
  const shortLived = startedService({ LATCHKEY_REFRESH_TOKEN_TTL: '1s' });

  it('is TOKEN_EXPIRED', async () => {
    let newest = (await signUp(shortLived)).refreshToken;
    // A try that comes early rotates the token, so the newest one is the one that is asked about.
    const askAgain = async () => {
      const answer = await shortLived.call('refresh', { body: { refresh_token: newest } });
      if (answer.status === 200) newest = stringIn(answer.body, 'refresh_token');
      return answer;
    };
    await expect
      .poll(async () => (await askAgain()).body, { timeout: 10_000, interval: 1_100 })
      .toStrictEqual(envelope('TOKEN_EXPIRED'));
    expect((await askAgain()).status).toBe(401);
  });
});
