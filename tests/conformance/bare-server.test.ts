/** The licensing client over real sockets against a server without any extensions. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import { BareServer } from './bare-server.ts';
import { startMachine } from './start-machine.ts';

const installer = new Uint8Array(100_000).fill(3);
const password = 'a long enough password';
const otherDevice = 'HW-00000000-11111111-22222222-33333333';

let server: BareServer;
const clients: LicensingClient[] = [];

async function start(name: string): Promise<LicensingClient> {
  const { client, fake } = await startMachine({ serverAddress: server.address, name });
  fake.contents.set('/downloads/setup', installer);
  clients.push(client);
  return client;
}

beforeAll(async () => {
  server = await BareServer.start(createHash('sha256').update(installer).digest('hex'));
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await server.close();
});

describe('against a server without extensions', () => {
  let client: LicensingClient;

  it('signs up, and reports errors', async () => {
    client = await start('machine-a');
    const short = await client.signUp({ email: 'ada@lab.org', password: 'short', fullName: 'Ada' });
    expect(short).toMatchObject({ ok: false, failure: { code: 'VALIDATION_ERROR' } });
    expect(await client.signUp({ email: 'ada@lab.org', password, fullName: 'Ada' })).toEqual({ ok: true, value: null });
    expect(client.getState().session).toMatchObject({ kind: 'signed-in', user: { full_name: 'Ada' } });
  });

  it('signs out and in again without the logout extension', async () => {
    expect(await client.signOut({ allDevices: false })).toMatchObject({ ok: true });
    expect(await client.signIn({ email: 'ada@lab.org', password: 'wrong' })).toMatchObject({
      ok: false,
      failure: { code: 'INVALID_CREDENTIALS' },
    });
    expect(await client.signIn({ email: 'eve@lab.org', password })).toMatchObject({
      ok: false,
      failure: { code: 'USER_NOT_FOUND' },
    });
    expect(await client.signIn({ email: 'ada@lab.org', password })).toMatchObject({ ok: true });
  });

  it('syncs, and notices that devices cannot be listed', async () => {
    expect(await client.syncNow()).toMatchObject({ ok: true });
    const state = client.getState();
    expect(state.license).toEqual({ kind: 'not-activated' });
    expect(state.server).toMatchObject({ deviceList: 'missing', reachability: { kind: 'online' } });
    expect(state.heartbeat.lastAt).not.toBeNull();
  });

  it('activates with a key in another format', async () => {
    const result = await client.activateLicense({ licenseKey: server.licenseKey });
    expect(result).toEqual({ ok: true, value: { kind: 'activated', activations: 1, maxActivations: 2 } });
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
    expect(client.feature('session_recording').ok).toBe(true);
    expect(client.feature('signal_filtering').ok).toBe(false);
  });

  it('activates again without a second activation', async () => {
    const again = await client.activateLicense({ licenseKey: server.licenseKey });
    expect(again).toMatchObject({ ok: true, value: { activations: 1 } });
  });

  it('refreshes an expired token', async () => {
    server.endAccessTokens();
    expect(await client.syncNow()).toMatchObject({ ok: true });
    expect(server.called).toContain('POST /auth/refresh');
  });

  it('generates an API key once, and finds its prefix later', async () => {
    const first = await client.generateApiKey({ replace: false });
    expect(first).toMatchObject({
      ok: true,
      value: { kind: 'generated', apiKey: expect.stringMatching(/^acme_live_/) },
    });
    await client.confirmApiKeySaved();
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ ok: true, value: { kind: 'existing' } });
  });

  it('verifies an installer', async () => {
    expect(await client.verifyInstaller({ path: '/downloads/setup' })).toMatchObject({ ok: true });
    expect(client.getState().installer).toMatchObject({ kind: 'genuine', version: '7.0.1', platform: 'linux_amd64' });
  });

  it('reports the device limit to a second machine, and offers no device to replace', async () => {
    server.activateOther(otherDevice);
    const second = await start('machine-b');
    await second.signIn({ email: 'ada@lab.org', password });
    const result = await second.activateLicense({ licenseKey: server.licenseKey });
    expect(result).toEqual({
      ok: true,
      value: {
        kind: 'device-limit-reached',
        maxActivations: 2,
        placeFreeAt: null,
        replacement: { kind: 'not-listed' },
      },
    });
    expect(second.getState().license.kind).toBe('not-activated');
  });

  it('disables everything once the license is revoked', async () => {
    server.revoke();
    await client.syncNow();
    expect(client.getState().license).toEqual({ kind: 'blocked', reason: 'revoked' });
    expect(client.getState().features.some(({ on }) => on)).toBe(false);
  });

  it('calls only the ten endpoints and optional extensions', () => {
    const extensions = server.called.filter((route) => /logout|activations/.test(route));
    expect(new Set(extensions)).toEqual(new Set(['POST /auth/logout', 'GET /license/activations']));
    expect(server.headersSeen.has('x-api-key')).toBe(false);
  });
});
