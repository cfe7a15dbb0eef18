/** What the licensing client does over real sockets against our own server with its extensions. */
import { afterAll, expect, it } from 'vitest';
import type { Http } from '../../electron/licensing/platform.ts';
import { createHttp } from '../../electron/platform/http.ts';
import { createNodeFetch } from '../../electron/platform/node-fetch.ts';
import { endpoints } from '../../shared/api/endpoints.ts';
import type { TestServer } from '../harness/test-server.ts';
import { goodPassword, issueLicense, newEmail } from '../harness/users.ts';
import { type MachineOptions, startMachine, type TestMachine } from './start-machine.ts';

const systemHttp = createHttp(createNodeFetch({ environment: {}, authorities: [] }));

/** The transport of a client that does not support leases. */
const withoutLeases: Http = {
  send: async (request) =>
    request.url.endsWith(endpoints.lease.path)
      ? { ok: true, response: { status: 404, headers: {}, body: '{}' } }
      : systemHttp.send(request),
};

/** Defines the cases for one server, which is started before the first of them. */
export function ownServerCases(server: TestServer & { readonly url: string }): void {
  const machines: TestMachine[] = [];

  async function start(name: string, more: Partial<MachineOptions> = {}): Promise<TestMachine> {
    const machine = await startMachine({ serverAddress: server.url, name, ...more });
    machines.push(machine);
    return machine;
  }

  afterAll(async () => {
    await Promise.all(machines.map(({ client }) => client.stop()));
  });

  /** Creates a subscriber with a license who is signed in on a first machine. */
  async function startSubscriber(name: string, ...parameters: readonly (string | Partial<MachineOptions>)[]) {
    const email = newEmail();
    const words = parameters.filter((parameter) => typeof parameter === 'string');
    const [more = {}] = parameters.filter((parameter) => typeof parameter !== 'string');
    const machine = await start(name, more);
    expect(await machine.client.signUp({ email, password: goodPassword, fullName: 'Ada' })).toMatchObject({ ok: true });
    await server.admin('subscription', 'set', email, '--plan', 'standard');
    const license = await issueLicense(server, '--email', email, '--with-subscription', ...words);
    expect(await machine.client.syncNow()).toMatchObject({ ok: true });
    return { ...machine, email, license };
  }

  it('the whole journey works: account, activation, features, API key, devices', async () => {
    const { client, email, license } = await startSubscriber('machine-1');
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
    expect(await client.activateLicense({ licenseKey: license.key.toLowerCase() })).toMatchObject({
      ok: true,
      value: { activations: 1 },
    });
    const state = client.getState();
    expect(state.license).toMatchObject({ kind: 'works', plan: 'standard' });
    expect(state.session).toMatchObject({ user: { email } });
    expect(state.devices.value).toMatchObject([{ name: 'machine-1', isThisDevice: true }]);
    expect(state.thisDevice?.activationId).toBe(state.devices.value?.[0]?.activationId);
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ ok: true, value: { kind: 'generated' } });
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ ok: true, value: { kind: 'existing' } });
    expect(await client.generateApiKey({ replace: true })).toMatchObject({ ok: true, value: { kind: 'generated' } });
  });

  it('a device with a lease keeps its place at the limit, and the user is told until when', async () => {
    const first = await startSubscriber('machine-5a', '--max-activations', '1');
    await first.client.activateLicense({ licenseKey: first.license.key });
    const second = await start('machine-5b');
    await second.client.signIn({ email: first.email, password: goodPassword });
    await second.client.activateLicense({ licenseKey: first.license.key });
    const replaces = second.client.getState().devices.value?.[0]?.activationId;
    const refused = await second.client.activateLicense({ licenseKey: first.license.key, replaces });
    expect(refused).toMatchObject({
      ok: true,
      value: { kind: 'device-limit-reached', placeFreeAt: expect.any(String) },
    });
    const placeFreeAt = refused.ok && 'placeFreeAt' in refused.value ? (refused.value.placeFreeAt ?? '') : '';
    const leaseEndsAt = first.client.getState().lease.expiresAt ?? '';
    // The client counts from the time of the response, which servers give in whole seconds.
    expect(Math.abs(Date.parse(placeFreeAt) - Date.parse(leaseEndsAt))).toBeLessThan(60_000);
  });

  it('a device without a lease is replaced at the limit, and notices it', async () => {
    const first = await startSubscriber('machine-2a', '--max-activations', '1', { http: withoutLeases });
    await first.client.activateLicense({ licenseKey: first.license.key });
    const second = await start('machine-2b');
    await second.client.signIn({ email: first.email, password: goodPassword });
    const full = await second.client.activateLicense({ licenseKey: first.license.key });
    expect(full).toMatchObject({
      ok: true,
      value: { kind: 'device-limit-reached', maxActivations: 1, replacement: { devices: [{ name: 'machine-2a' }] } },
    });
    const replaces = second.client.getState().devices.value?.[0]?.activationId;
    const swapped = await second.client.activateLicense({ licenseKey: first.license.key, replaces });
    expect(swapped).toMatchObject({ ok: true, value: { kind: 'activated' } });
    await first.client.syncNow();
    expect(first.client.getState().license).toEqual({ kind: 'not-activated' });
    expect(second.client.getState().license.kind).toBe('works');
  });

  it('releases this device, and activates it again with the stored key', async () => {
    const { client, license } = await startSubscriber('machine-3');
    await client.activateLicense({ licenseKey: license.key });
    const own = client.getState().thisDevice?.activationId ?? '';
    expect(await client.releaseDevice({ activationId: own })).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ license: { kind: 'not-activated' }, devices: { value: [] } });
    expect(await client.activateLicense({ licenseKey: '' })).toMatchObject({ ok: true, value: { kind: 'activated' } });
  });

  it.each([
    ['revoked', 'revoked'],
    ['inactive', 'suspended'],
    ['expired', 'expired'],
  ])('disables everything when an admin sets the license %s', async (status, reason) => {
    const { client, license } = await startSubscriber(`machine-${status}`);
    await client.activateLicense({ licenseKey: license.key });
    await server.admin('license', 'set', license.id, '--status', status);
    await client.syncNow();
    expect(client.getState().license).toEqual({ kind: 'blocked', reason });
    expect(client.getState().features.some(({ on }) => on)).toBe(false);
  });

  it('stays signed in after a lost refresh response and a crash of the app', async () => {
    const first = await startSubscriber('machine-4');
    await first.client.activateLicense({ licenseKey: first.license.key });
    await first.client.stop();
    let lost = 0;
    const losing: Http = {
      send: async (request) => {
        const outcome = await systemHttp.send(request);
        if (!request.url.endsWith(endpoints.refresh.path)) return outcome;
        lost++;
        return { ok: false, reason: 'timeout', message: 'lost on the way back' };
      },
    };
    const second = await start('machine-4', { before: first, http: losing });
    await second.client.syncNow();
    expect(lost).toBeGreaterThan(0);
    expect(second.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'offline' } });
    await second.client.stop();
    const third = await start('machine-4', { before: second });
    expect(await third.client.syncNow()).toMatchObject({ ok: true });
    expect(third.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'works' } });
  });

  it('gets the generated API key after a lost response and a crash of the app', async () => {
    const first = await startSubscriber('machine-6');
    await first.client.activateLicense({ licenseKey: first.license.key });
    await first.client.generateApiKey({ replace: false });
    await first.client.stop();
    const lostKeys: string[] = [];
    const losing: Http = {
      send: async (request) => {
        const outcome = await systemHttp.send(request);
        if (!outcome.ok || !request.url.endsWith(endpoints.apiKey.path)) return outcome;
        lostKeys.push(JSON.parse(outcome.response.body).api_key);
        return { ok: false, reason: 'timeout', message: 'lost on the way back' };
      },
    };
    const second = await start('machine-6', { before: first, http: losing });
    expect(await second.client.generateApiKey({ replace: true })).toMatchObject({ ok: false });
    await second.client.stop();
    const third = await start('machine-6', { before: second });
    const generated = await third.client.generateApiKey({ replace: true });
    expect(generated).toEqual({ ok: true, value: { kind: 'generated', apiKey: lostKeys[0] } });
    expect(new Set(lostKeys).size).toBe(1);
  });

  it('signs out on all devices, which the other device notices at its next refresh', async () => {
    const first = await startSubscriber('machine-5a');
    const second = await start('machine-5b');
    await second.client.signIn({ email: first.email, password: goodPassword });
    expect(await first.client.signOut({ allDevices: true })).toMatchObject({ ok: true });
    await second.client.stop();
    const again = await start('machine-5b', { before: second });
    await again.client.syncNow();
    expect(again.client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
  });

  it('changes the password and stays signed in, unlike the other device, then deletes the account', async () => {
    const first = await startSubscriber('machine-7a');
    const second = await start('machine-7b');
    await second.client.signIn({ email: first.email, password: goodPassword });
    await first.client.listSessions();
    const sessions = first.client.getState().sessions.value ?? [];
    expect(sessions.map(({ isThisSession }) => isThisSession)).toEqual([true, false]);
    expect(sessions[1]?.client).toContain('machine-7b');
    const newPassword = `${goodPassword} 2`;
    const passwords = { currentPassword: goodPassword, newPassword, language: 'en' } as const;
    expect(await first.client.changePassword(passwords)).toMatchObject({ ok: true });
    expect(first.client.getState().sessions.value).toHaveLength(1);
    expect(await first.client.syncNow()).toMatchObject({ ok: true });
    await second.client.syncNow();
    expect(second.client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
    const wrong = await first.client.deleteAccount({ password: goodPassword, language: 'en' });
    expect(wrong).toMatchObject({ failure: { code: 'INVALID_CREDENTIALS' } });
    expect(await first.client.deleteAccount({ password: newPassword, language: 'en' })).toMatchObject({ ok: true });
    expect(first.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    const again = await second.client.signIn({ email: first.email, password: newPassword });
    expect(again).toMatchObject({ failure: { code: 'USER_NOT_FOUND' } });
  });
}
