/** `POST /auth/logout`: one session ends, or all of them, and nobody learns whether a token was real. */
import { describe, expect, it } from 'vitest';
import { envelope } from '../harness/response-shapes.ts';
import { stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { type Person, signUp } from '../harness/users.ts';

const service = startedService();

function signOut(token: string, allDevices?: boolean) {
  const all = allDevices === undefined ? {} : { all_devices: allDevices };
  return service.call('logout', { body: { refresh_token: token, ...all } });
}

function refresh(token: string) {
  return service.call('refresh', { body: { refresh_token: token } });
}

async function anotherSession({ email, password }: Person): Promise<string> {
  const { body } = await service.call('login', { body: { email, password } });
  return stringIn(body, 'refresh_token');
}

describe('sign-out', () => {
  it('answers 200 with success and nothing else', async () => {
    const { status, body } = await signOut((await signUp(service)).refreshToken);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true });
  });

  it('ends the session: its token refreshes no more', async () => {
    const { refreshToken } = await signUp(service);
    await signOut(refreshToken);
    expect((await refresh(refreshToken)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('leaves the other devices signed in', async () => {
    const person = await signUp(service);
    const other = await anotherSession(person);
    await signOut(person.refreshToken);
    expect((await refresh(other)).status).toBe(200);
  });

  it('ends every session of the account where all_devices is asked', async () => {
    const person = await signUp(service);
    const others = await Promise.all([anotherSession(person), anotherSession(person)]);
    expect((await signOut(person.refreshToken, true)).body).toStrictEqual({ success: true });
    for (const token of [person.refreshToken, ...others]) {
      expect((await refresh(token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it('of all devices leaves other accounts alone', async () => {
    const [person, stranger] = await Promise.all([signUp(service), signUp(service)]);
    await signOut(person.refreshToken, true);
    expect((await refresh(stranger.refreshToken)).status).toBe(200);
  });

  it('of all devices needs a current token: an ended one ends nothing', async () => {
    const person = await signUp(service);
    const other = await anotherSession(person);
    await signOut(person.refreshToken);
    await signOut(person.refreshToken, true);
    expect((await refresh(other)).status).toBe(200);
  });

  it('can be repeated', async () => {
    const { refreshToken } = await signUp(service);
    await signOut(refreshToken);
    expect((await signOut(refreshToken)).body).toStrictEqual({ success: true });
  });

  it('leaves a new sign-in possible', async () => {
    const person = await signUp(service);
    await signOut(person.refreshToken, true);
    expect((await refresh(await anotherSession(person))).status).toBe(200);
  });

  it.each(['', 'rubbish', `v1.${'A'.repeat(43)}`, 'v1.\ud83e'])(
    'treats the unknown token %j as no error',
    async (token) => {
      const { status, body } = await signOut(token);
      expect(status).toBe(200);
      expect(body).toStrictEqual({ success: true });
    },
  );
});
