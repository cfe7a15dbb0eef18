/** What happens while a command waits for the server or a slow keyring: nothing is lost, or taken for another account. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { activationId, errorReply, licenseKey, replacingKey, ScriptedServer } from './scripted-server.ts';
import {
  licenseDocumentName,
  startActivated,
  startSignedIn,
  startTestClient,
  type TestClient,
} from './start-client.ts';
import { about, startSignedIn as startAtLeases, storedFacts } from './start-leased.ts';

const ada = { email: 'ada@lab.org', password: 'right' };
const bob = { id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org', full_name: 'Bob' };
const entries = ({ client }: TestClient) => client.getState().activity.map(({ kind, detail }) => [kind, detail]);

/** Makes writes of documents whose name starts like this wait until the returned function is called. */
function holdWrites({ platform: { secrets } }: TestClient, prefix: string): () => Promise<void> {
  const { write } = secrets;
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(secrets, {
    write: async (name: string, value: string) => {
      if (name.startsWith(prefix)) await promise;
      return write(name, value);
    },
  });
  return async () => {
    resolve();
    await settle();
  };
}

async function signInAsBob({ client, server }: TestClient) {
  server.user = bob;
  return client.signIn({ ...ada, email: bob.email });
}

describe('a sign-in whose session is slow to be stored', () => {
  it('keeps the activation made meanwhile', async () => {
    const test = await startTestClient();
    const release = holdWrites(test, 'session');
    const signingIn = test.client.signIn(ada);
    await settle();
    expect(await test.client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    await release();
    expect(await signingIn).toMatchObject({ ok: true });
    await settle();
    const kept = { thisDevice: { activated: true }, license: { kind: 'works' } };
    expect(test.client.getState()).toMatchObject(kept);
    expect(entries(test).map(([kind]) => kind)).toContain('device-activated');
    expect((await test.restart()).client.getState()).toMatchObject(kept);
  });

  it('shows nothing of the account before', async () => {
    const test = await startSignedIn();
    await test.client.signOut({ allDevices: false });
    const release = holdWrites(test, 'session');
    const signingIn = signInAsBob(test);
    await settle();
    expect(test.client.getState().session).toMatchObject({ user: { email: bob.email } });
    expect(entries(test)).toEqual([]);
    await release();
    await signingIn;
    expect(entries(test)).toContainEqual(['signed-in', bob.email]);
  });
});

describe('while another user signs in', () => {
  it('a changed email address that is slow to be stored is not named in their activity', async () => {
    const test = await startSignedIn();
    test.platform.http.on('GET /auth/email', { json: { email: 'countess@lab.org', confirmation_needed: false } });
    const release = holdWrites(test, 'session');
    const loading = test.client.loadEmail();
    await settle();
    const signingIn = signInAsBob(test);
    await settle();
    await release();
    await Promise.all([loading, signingIn]);
    expect(JSON.stringify(entries(test))).not.toContain('countess');
  });

  it('an activation that still waits for its lease is not recorded in their activity', async () => {
    const test = await startAtLeases();
    const respond = test.platform.http.hold('POST /license/lease');
    const activating = test.client.activateLicense({ licenseKey });
    await settle();
    await signInAsBob(test);
    respond(errorReply(503, 'SERVICE_UNAVAILABLE'));
    await test.platform.clock.advance(5000);
    expect(await activating).toMatchObject({ ok: true });
    expect(entries(test).map(([kind]) => kind)).not.toContain('device-activated');
  });

  it('a license that becomes readable adds nothing to their activity', async () => {
    const first = await startActivated();
    const name = licenseDocumentName(first.platform);
    const { user } = first.server;
    await signInAsBob(first);
    await first.sync();
    first.server.user = user;
    await first.client.signIn(ada);
    const test = await first.restart(({ secrets }) => secrets.breakRead(name, true));
    const { read } = test.platform.secrets;
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(test.platform.secrets, {
      read: async (each: string) => {
        if (each === name) await promise;
        return read(each);
      },
    });
    const syncing = test.sync();
    await settle();
    await signInAsBob(test);
    const before = entries(test).filter(([kind]) => kind !== 'heartbeat');
    resolve();
    await syncing;
    expect(entries(test).filter(([kind]) => kind !== 'heartbeat')).toEqual(before);
  });
});

describe('while a request about this device waits', () => {
  it('an activation with another key is not undone by the new key of the license before', async () => {
    const test = await startActivated();
    const other = 'SVC-CCCC-DDDD-EEEE-FFFF';
    const respond = test.platform.http.hold('POST /license/replace-key');
    const replacing = test.client.replaceLicenseKey({ password: 'right', language: 'en' });
    await settle();
    test.server.key = other;
    expect(await test.client.activateLicense({ licenseKey: other })).toMatchObject({ ok: true });
    const license = {
      key_preview: 'SVC-9K2M-…',
      plan: 'standard',
      status: 'active',
      activations: 1,
      max_activations: 3,
    };
    respond({ json: { license_key: replacingKey, license } });
    expect(await replacing).toMatchObject({ ok: true, value: { licenseKey: replacingKey } });
    await settle();
    expect(storedFacts(test).licenseKey).toBe(other);
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('a later activation is not ended by the release of the one before', async () => {
    const test = await startActivated();
    const respond = test.platform.http.hold(`DELETE /license/activations/${activationId}`);
    const releasing = test.client.releaseDevice({ activationId });
    await settle();
    const counts = { activations: 2, max_activations: 3 };
    // The server has released it, and its reply is slow.
    test.server.activated = false;
    test.platform.http.on('POST /license/activate', () => {
      test.server.activated = true;
      return { json: { success: true, activation_id: 'later', ...counts, message: 'Activated.' } };
    });
    expect(await test.client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    respond({ json: { success: true, ...counts } });
    expect(await releasing).toMatchObject({ ok: true });
    await settle();
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true, activationId: 'later' });
  });
});

describe('an imported lease that is slow to be stored', () => {
  async function importSlowly() {
    const test = await startAtLeases();
    await test.client.activateLicense({ licenseKey });
    await test.client.requestLease({ licenseKey });
    await settle();
    await test.platform.clock.advance(2000);
    const { lease: text } = test.signer.sign(about(test), test.platform.clock.now());
    const release = holdWrites(test, 'license-');
    const importing = test.client.importLease({ text });
    await settle();
    return { test, importing, release };
  }

  it('does not count if the server ends the session meanwhile, and then leaves nothing of the account', async () => {
    const { test, importing, release } = await importSlowly();
    test.server.accessTokens.clear();
    test.server.refreshToken = 'another';
    const listing = test.client.listDevices();
    await settle();
    expect(test.client.getState().session).toMatchObject({ reason: 'session-revoked' });
    await release();
    await listing;
    expect(await importing).toMatchObject({ ok: false, failure: { code: 'LEASE_REFUSED', problem: 'older' } });
    expect(test.on()).toEqual([]);
    expect(test.client.getState().thisDevice).toMatchObject({ license: null, activated: false });
    expect(entries(test).map(([kind]) => kind)).not.toContain('lease-imported');
  });

  it('is stored with its account though the app quits meanwhile', async () => {
    const test = await startAtLeases();
    const { lease: text } = test.signer.sign(about(test), test.platform.clock.now());
    await test.client.signOut({ allDevices: false });
    const release = holdWrites(test, 'license-');
    const importing = test.client.importLease({ text });
    await settle();
    const restarting = test.restart();
    await release();
    expect(await importing).toMatchObject({ ok: true });
    expect((await restarting).on()).toHaveLength(6);
  });

  it('does not count if the server refuses the license meanwhile', async () => {
    const { test, importing, release } = await importSlowly();
    test.server.invalidCode = 'LICENSE_REVOKED';
    const syncing = test.client.syncNow();
    await settle();
    await release();
    await syncing;
    expect(await importing).toMatchObject({ ok: false, failure: { problem: 'older' } });
    expect(test.on()).toEqual([]);
  });
});

it('a session opened at the moment at which a refresh of the one before begins is what the next start finds', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const test = await startActivated();
    const [answerCall, answerSignIn] = [
      test.platform.http.hold('POST /license/validate'),
      test.platform.http.hold('POST /auth/login'),
    ];
    const activating = test.client.activateLicense({ licenseKey });
    const signingIn = test.client.signIn({ ...ada, email: bob.email });
    await settle();
    answerCall(errorReply(401, 'TOKEN_EXPIRED'));
    for (let tick = 0; tick < ticks; tick++) await null;
    const expires_at = '2026-03-03T10:00:00.000Z';
    answerSignIn({ json: { access_token: 'access-bob', refresh_token: 'v1.bob', expires_at, user: bob } });
    expect(await signingIn).toMatchObject({ ok: true });
    await activating;
    await test.client.stop();
    const { user } = JSON.parse(test.platform.secrets.values.get('session') ?? '{}');
    expect(user, `answers ${ticks} microtasks apart`).toEqual(bob);
  }
});

it('a session that cannot be removed when the user goes back to the server of the app is never sent there', async () => {
  const test = await startTestClient();
  const { client, platform } = test;
  await client.setServerAddress({ address: 'https://chosen.example' });
  await client.signIn(ada);
  await platform.clock.advance(10);
  platform.secrets.setFailing(true);
  expect(await client.setServerAddress({ address: 'http://127.0.0.1:8470' })).toMatchObject({ ok: true });
  const again = await test.restart();
  await again.platform.clock.advance(60_000);
  expect(again.client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'server-changed' });
  const refreshes = platform.http.to('/auth/refresh').filter(({ url }) => url.startsWith('http://127.0.0.1:8470'));
  expect(refreshes).toEqual([]);
});

it('a session that is saved while a refreshed token is being stored is found with that token', async () => {
  const test = await startSignedIn();
  test.server.accessTokens.clear();
  const { write } = test.platform.secrets;
  const { promise, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  Object.assign(test.platform.secrets, {
    write: async (name: string, value: string) => {
      if (name === 'session' && ++writes === 2) await promise;
      return write(name, value);
    },
  });
  const listing = test.client.listDevices();
  await settle();
  const choosing = test.client.chooseSecretStorage({ keep: true });
  await settle();
  resolve();
  await Promise.all([listing, choosing]);
  expect(JSON.parse(test.platform.secrets.values.get('session') ?? '{}').refreshToken).toBe(test.server.refreshToken);
});

it('lease keys that a full disk did not take are stored by the next sync, so that the lease counts after a restart', async () => {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  server.leases = new LeaseSigner();
  const test = await startTestClient(platform, server);
  platform.secrets.setFailing(true);
  await test.client.signIn(ada);
  await test.client.activateLicense({ licenseKey });
  await settle();
  platform.secrets.setFailing(false);
  await test.sync();
  const again = await test.restart(({ http }) => http.cut({ fails: 'unreachable' }));
  expect(again.client.getState().lease.state).toBe('good');
});
