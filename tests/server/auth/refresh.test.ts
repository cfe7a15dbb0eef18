/** Refresh tokens: rotation, reuse, retry after a lost answer, expiry and sign-out. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { day, hour } from '../../harness/fake-clock.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
let person: SignedUp;
beforeEach(async () => {
  service = await startTestApp();
  person = await service.signUp();
});
afterEach(() => service.close());

const refresh = (token: string, idempotencyKey?: string) =>
  service.call('POST', '/auth/refresh', {
    body: { refresh_token: token },
    ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
  });
const refreshed = async (token: string, idempotencyKey?: string) => {
  const answer = await refresh(token, idempotencyKey);
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.refresh_token);
};
const expectRefused = async (token: string, code = 'INVALID_TOKEN', idempotencyKey?: string) => {
  const answer = await refresh(token, idempotencyKey);
  expect(answer).toMatchObject({ status: 401, body: { code } });
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
};
const logIn = async () => {
  const { body } = await service.call('POST', '/auth/login', { body: person });
  return String(body.refresh_token);
};

describe('a refresh', () => {
  it('answers with new tokens and no user', async () => {
    service.clock.advance(1000);
    const { body } = await refresh(person.refreshToken);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_at', 'refresh_token']);
    expect(body.access_token).not.toBe(person.accessToken);
    expect(body.refresh_token).toMatch(/^v1\.[\w-]{43}$/);
  });

  it('of a rotated token ends its family for good, although it fails', async () => {
    const child = await refreshed(person.refreshToken);
    await expectRefused(person.refreshToken);
    await expectRefused(child);
  });

  it('that ends one family leaves the other sessions of the account alone', async () => {
    const other = await logIn();
    await refreshed(person.refreshToken);
    await expectRefused(person.refreshToken);
    await refreshed(other);
  });

  it('passes once when the same token comes many times at once, and the family ends', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(person.refreshToken)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.find(({ status }) => status === 200);
    await expectRefused(String(winner?.body.refresh_token));
  });

  it.each(['', 'v1.', 'v1.unknown', 'v2.abc', 'x'.repeat(10_000), 'v1.\u0000'])('refuses %j', async (token) => {
    await expectRefused(token);
  });

  it('lasts seven days from each rotation, not a millisecond more', async () => {
    service.clock.advance(7 * day - 1);
    const child = await refreshed(person.refreshToken);
    service.clock.advance(7 * day - 1);
    const grandchild = await refreshed(child);
    service.clock.advance(7 * day);
    await expectRefused(grandchild, 'TOKEN_EXPIRED');
  });

  it('keeps no rotated tokens for ever', async () => {
    let token = person.refreshToken;
    for (let week = 0; week < 12; week++) {
      service.clock.advance(6 * day);
      token = await refreshed(token);
    }
    const rows = await service.database.read.selectFrom('refresh_tokens').select('token_hash').execute();
    expect(rows.length).toBeLessThan(9);
  });
});

describe('a retry with the same Idempotency-Key', () => {
  it('gets the same successor again for as long as that is unused', async () => {
    const child = await refreshed(person.refreshToken, 'retry-1');
    service.clock.advance(2 * day);
    expect(await refreshed(person.refreshToken, 'retry-1')).toBe(child);
    await refreshed(child, 'retry-2');
    await expectRefused(person.refreshToken, 'INVALID_TOKEN', 'retry-1');
  });

  it('gets the same one when both come at once', async () => {
    const tokens = await Promise.all([
      refreshed(person.refreshToken, 'retry-1'),
      refreshed(person.refreshToken, 'retry-1'),
    ]);
    expect(tokens[0]).toBe(tokens[1]);
  });

  it('gets a fresh access token each time', async () => {
    const first = await refresh(person.refreshToken, 'retry-1');
    service.clock.advance(hour);
    const second = await refresh(person.refreshToken, 'retry-1');
    expect(Date.parse(String(second.body.expires_at)) - Date.parse(String(first.body.expires_at))).toBe(hour);
  });

  it('with another key, or none, is a reuse', async () => {
    const child = await refreshed(person.refreshToken, 'retry-1');
    await expectRefused(person.refreshToken, 'INVALID_TOKEN', 'retry-2');
    await expectRefused(child);
    const other = await logIn();
    await refreshed(other, 'retry-1');
    await expectRefused(other);
  });

  it('cannot be had for a token that was rotated without one', async () => {
    await refreshed(person.refreshToken);
    await expectRefused(person.refreshToken, 'INVALID_TOKEN', 'retry-1');
  });

  it('has expired once its successor has', async () => {
    await refreshed(person.refreshToken, 'retry-1');
    service.clock.advance(7 * day);
    await expectRefused(person.refreshToken, 'TOKEN_EXPIRED', 'retry-1');
  });

  it('is refused where the key is too long', async () => {
    expect(await refresh(person.refreshToken, 'k'.repeat(256))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    await refreshed(person.refreshToken);
  });
});

describe('sign-out', () => {
  const logOut = (token: string, allDevices?: boolean) =>
    service.call('POST', '/auth/logout', { body: { refresh_token: token, all_devices: allDevices } });

  it('ends the session of the token, and twice is no error', async () => {
    const other = await logIn();
    for (const _twice of [1, 2]) {
      expect(await logOut(person.refreshToken)).toMatchObject({ status: 200, body: { success: true } });
    }
    await expectRefused(person.refreshToken);
    await refreshed(other);
  });

  it('takes an unknown token for one whose session has ended', async () => {
    expect(await logOut('v1.unknown')).toMatchObject({ status: 200, body: { success: true } });
  });

  it('of all devices ends every session, and wants the current token for it', async () => {
    const other = await logIn();
    const stale = await logIn();
    const current = await refreshed(stale);
    expect(await logOut(stale, true)).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } });
    await expectRefused(current);
    await refreshed(await logIn());
    expect((await logOut(other, true)).status).toBe(200);
    await expectRefused(person.refreshToken);
  });
});
