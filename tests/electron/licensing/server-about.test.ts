/** What a server says it offers, requested rarely and kept for use offline. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startSignedIn, startTestClient, type TestClient } from './start-client.ts';

const about = { sign_up: 'invited', password_min_length: 12, mail: false, leases: true, account_page: true } as const;
const offers = { signUp: 'invited', passwordMinLength: 12, mail: false, leases: true, accountPage: true } as const;
const hour = 3_600_000;

function startWith(said: object): Promise<TestClient> {
  const platform = createFakePlatform();
  platform.http.on('GET /about', { json: said });
  return startTestClient(platform);
}

const serverOf = ({ client }: TestClient) => client.getState().server;
const asked = ({ platform }: Pick<TestClient, 'platform'>) => platform.http.to('/about').length;

describe('what the server offers', () => {
  it('is known before anybody signs in', async () => {
    const test = await startWith(about);
    expect(serverOf(test).offers).toEqual(offers);
    expect(test.client.getState().session.kind).toBe('signed-out');
  });

  it.each([
    [false, 'missing'],
    [true, 'available'],
  ])('with mail: %s decides whether features that need mail are available', async (mail, capability) => {
    const test = await startWith({ ...about, mail });
    expect(serverOf(test)).toMatchObject({ passwordReset: capability, emailChange: capability });
  });

  it.each([
    ['a server that lacks it', errorReply(404, 'NOT_FOUND')],
    ['a server that fails', errorReply(500, 'INTERNAL_ERROR')],
    ['an answer that is none', { json: { sign_up: 'maybe' } }],
  ])('is unknown with %s, and everything works as without it', async (_, reply) => {
    const platform = createFakePlatform();
    platform.http.on('GET /about', reply);
    const test = await startTestClient(platform);
    await platform.clock.advance(5000);
    expect(serverOf(test)).toMatchObject({ offers: null, passwordReset: 'unknown', emailChange: 'unknown' });
    expect(await test.client.signUp({ email: 'bob@lab.org', password: 'good enough', fullName: '' })).toMatchObject({
      ok: true,
    });
  });

  it('stays known offline after a restart', async () => {
    const test = await startWith(about);
    expect([...test.platform.plain.values.keys()]).toContain('about');
    const again = await test.restart(({ http }) => http.cut({ fails: 'unreachable' }));
    expect(serverOf(again).offers).toEqual(offers);
    await again.platform.clock.advance(5000);
    expect(serverOf(again)).toMatchObject({ offers, reachability: { kind: 'unknown' } });
  });

  it('is shown in the window as soon as it is known', async () => {
    const test = await startWith({ ...about, sign_up: 'open' });
    await test.platform.clock.advance(0);
    const shown: unknown[] = [];
    test.client.subscribe(({ server }) => shown.push(server.offers?.signUp));
    test.platform.http.on('GET /about', { json: about });
    await test.platform.clock.advance(hour);
    test.client.setForeground(true);
    await test.platform.clock.advance(0);
    expect(shown.at(-1)).toBe('invited');
  });

  it('is requested again a minute after an attempt without an answer, not before', async () => {
    const test = await startWith(about);
    await test.platform.clock.advance(hour);
    test.platform.http.cut({ fails: 'timeout' });
    const show = async () => {
      test.client.setForeground(true);
      await test.platform.clock.advance(1000);
      test.client.setForeground(false);
    };
    await show();
    const before = asked(test);
    await test.platform.clock.advance(58_000);
    await show();
    expect(asked(test)).toBe(before);
    await test.platform.clock.advance(1000);
    await show();
    expect(asked(test)).toBeGreaterThan(before);
  });

  it('of the server before is not used, even if its answer comes last', async () => {
    const test = await startWith(about);
    await test.platform.clock.advance(hour);
    const respondLate = test.platform.http.hold('GET /about');
    test.client.setForeground(true);
    await settle();
    test.platform.http.on('GET /about', { json: { ...about, sign_up: 'open' } });
    await test.client.setServerAddress({ address: 'https://other.example' });
    await settle();
    respondLate({ json: about });
    await settle();
    expect(serverOf(test).offers).toEqual({ ...offers, signUp: 'open' });
  });

  it('is discarded once the server no longer reports it', async () => {
    const test = await startWith(about);
    const again = await test.restart(({ http }) => http.on('GET /about', errorReply(404, 'NOT_FOUND')));
    expect(serverOf(again).offers).toBeNull();
  });

  it('is requested from another server as soon as that is chosen, and never shown for it before', async () => {
    const test = await startWith(about);
    let respond = () => {};
    test.platform.http.on('GET /about', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: { ...about, sign_up: 'open' } };
    });
    await test.client.setServerAddress({ address: 'https://other.example' });
    await settle();
    expect(serverOf(test)).toMatchObject({ address: 'https://other.example', offers: null, passwordReset: 'unknown' });
    respond();
    await settle();
    expect(serverOf(test).offers).toEqual({ ...offers, signUp: 'open' });
  });

  it('is requested again within a session after an hour, not in every sync', async () => {
    const test = await startSignedIn();
    test.platform.http.on('GET /about', { json: about });
    await test.sync();
    const before = asked(test);
    await test.platform.clock.advance(hour - 60_000);
    expect(asked(test)).toBe(before);
    await test.platform.clock.advance(10 * 60_000);
    expect(asked(test)).toBe(before + 1);
  });

  it('is requested again when the window comes to the front an hour later, even with nobody signed in', async () => {
    const test = await startWith(about);
    test.client.setForeground(true);
    await settle();
    expect(asked(test)).toBe(1);
    test.platform.http.on('GET /about', { json: { ...about, sign_up: 'open' } });
    await test.platform.clock.advance(hour);
    test.client.setForeground(false);
    test.client.setForeground(true);
    await settle();
    expect(serverOf(test).offers?.signUp).toBe('open');
  });

  it('is requested again when a sign-up turns out to be closed', async () => {
    const test = await startWith({ ...about, sign_up: 'open' });
    test.platform.http.on('POST /auth/signup', errorReply(403, 'SIGN_UP_CLOSED'));
    test.platform.http.on('GET /about', { json: about });
    const input = { email: 'bob@lab.org', password: 'good enough now', fullName: '' };
    expect(await test.client.signUp(input)).toMatchObject({ ok: false, failure: { code: 'SIGN_UP_CLOSED' } });
    await settle();
    expect(serverOf(test).offers?.signUp).toBe('invited');
  });
});
