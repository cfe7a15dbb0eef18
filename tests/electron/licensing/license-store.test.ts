/** What is stored about the license belongs to one account: another one on the same profile never overwrites it. */
import { describe, expect, it } from 'vitest';
import { licenseKey } from './scripted-server.ts';
import { licenseDocumentName, startActivated, startSignedIn, type TestClient } from './start-client.ts';

const grace = { id: '01890000-0000-7000-8000-00000000000b', email: 'grace@lab.org', full_name: 'Grace' };

async function signInAs({ client, server, platform }: TestClient, user: typeof grace): Promise<void> {
  server.user = user;
  expect(await client.signIn({ email: user.email, password: 'correct horse battery' })).toMatchObject({ ok: true });
  await platform.clock.advance(10);
}

/** What the window knows of this device's license before the server was asked again. */
async function signInWithoutSync(testClient: TestClient, user: typeof grace) {
  const { client, server, platform } = testClient;
  server.user = user;
  for (const route of ['POST /license/validate', 'GET /subscription/status'])
    platform.http.on(route, { fails: 'timeout' });
  await client.signIn({ email: user.email, password: 'correct horse battery' });
  return client.getState().thisDevice;
}

describe('a second account on the same profile', () => {
  it('starts without a license key, and the first one returns to its activated device', async () => {
    const testClient = await startActivated();
    const { client, platform, server } = testClient;
    const ada = server.user;
    await testClient.sync();
    const ofAda = platform.secrets.values.get(licenseDocumentName(platform));
    await client.signOut({ allDevices: false });
    await signInAs(testClient, grace);
    expect(client.getState().thisDevice).toMatchObject({ activated: false, license: null });
    await client.activateLicense({ licenseKey });
    await testClient.sync();
    const stored = [...platform.secrets.values.values()];
    expect(stored).toContain(ofAda);
    expect(stored.filter((text) => text.includes(licenseKey))).toHaveLength(2);
    await client.signOut({ allDevices: false });
    expect(await signInWithoutSync(testClient, ada)).toMatchObject({
      activated: true,
      license: { keyPreview: 'SVC-AB12...GH7X', status: 'active' },
    });
  });

  it('that signs in while the first one is signed in does not overwrite it either', async () => {
    const testClient = await startActivated();
    const ada = testClient.server.user;
    await signInAs(testClient, grace);
    await testClient.client.activateLicense({ licenseKey });
    await testClient.sync();
    expect(await signInWithoutSync(testClient, ada)).toMatchObject({ activated: true });
  });
});

describe('the single document of earlier versions', () => {
  /** As an earlier version has stored it for Ada. */
  async function startWithEarlierDocument() {
    const testClient = await startActivated();
    await testClient.sync();
    const { values } = testClient.platform.secrets;
    const name = licenseDocumentName(testClient.platform);
    const { binding, facts } = JSON.parse(values.get(name) ?? '{}');
    const { time, pendingApiKey: _, ...rest } = facts;
    const earlier = JSON.stringify({ version: 2, binding, facts: { ...rest, highestWallMs: time.trustedMs } });
    const restarted = await testClient.restart((platform) => {
      platform.secrets.values.delete(name);
      platform.secrets.values.set('license', earlier);
    });
    return { ...restarted, name, earlier };
  }

  it('moves to a document of the account, and is removed once that is stored', async () => {
    const { client, platform, name } = await startWithEarlierDocument();
    const { values, writes } = platform.secrets;
    expect(client.getState().thisDevice).toMatchObject({ activated: true, license: { status: 'active' } });
    expect(values.get(name)).toContain(licenseKey);
    expect(values.has('license')).toBe(false);
    expect(writes.findIndex((each) => each.name === name)).toBeLessThan(
      writes.findIndex((each) => each.name === 'license' && each.value === null),
    );
  });

  it('waits for its own account if another one signs in first', async () => {
    const testClient = await startSignedIn();
    const ada = testClient.server.user;
    await testClient.client.activateLicense({ licenseKey });
    await testClient.sync();
    const { values } = testClient.platform.secrets;
    const name = licenseDocumentName(testClient.platform);
    const earlier = values.get(name) ?? '';
    await testClient.client.signOut({ allDevices: false });
    values.delete(name);
    values.set('license', earlier);
    await signInAs(testClient, grace);
    await testClient.client.activateLicense({ licenseKey });
    await testClient.sync();
    expect(values.get('license')).toBe(earlier);
    await testClient.client.signOut({ allDevices: false });
    expect(await signInWithoutSync(testClient, ada)).toMatchObject({ activated: true });
    expect(values.has('license')).toBe(false);
  });

  it('stays if the new one cannot be stored', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const name = licenseDocumentName(testClient.platform);
    const document = testClient.platform.secrets.values.get(name) ?? '';
    const { client, platform } = await testClient.restart(({ secrets }) => {
      secrets.values.delete(name);
      secrets.values.set('license', document);
      secrets.setFailing(true);
    });
    expect(client.getState().thisDevice).toMatchObject({ activated: true });
    expect(platform.secrets.values.get('license')).toBe(document);
  });

  it('that cannot be read now is read later', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const name = licenseDocumentName(testClient.platform);
    const document = testClient.platform.secrets.values.get(name) ?? '';
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, platform, sync } = await testClient.restart(({ secrets }) => {
      secrets.values.delete(name);
      secrets.values.set('license', document);
      secrets.breakRead('license', true);
    });
    expect(client.getState().license).toEqual({ kind: 'unknown' });
    expect(platform.secrets.values.has(name)).toBe(false);
    platform.secrets.breakRead('license', false);
    platform.http.cut(null);
    await sync();
    expect(client.getState().license.kind).toBe('works');
    expect(platform.secrets.values.get(name)).toContain(licenseKey);
  });
});
