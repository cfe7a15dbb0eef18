/** The lease request of a device that is never online, and what happens to its key once the answer is imported. */
import { describe, expect, it } from 'vitest';
import { leaseRequestFileName, leaseRequestText } from '../../../electron/licensing/lease-request.ts';
import { features } from '../../../shared/api/features.ts';
import { leaseRequestFile } from '../../../shared/api/lease.ts';
import { previewLicenseKey } from '../../../shared/formats/license-key.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { licenseKey, ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startActivated, startTestClient, type TestClient } from './start-client.ts';

/** Starts an app that has the keys of its server built in, and never reaches it. */
async function startOffline() {
  const signer = new LeaseSigner();
  const platform = createFakePlatform();
  const pinned = { from: 'built-in', keys: [signer.jwk] } as const;
  const testClient = await startTestClient(platform, new ScriptedServer(platform), 'http://127.0.0.1:8470', pinned);
  return { ...testClient, signer };
}

/** What staff send back for the request. */
function answer({ signer, platform }: Awaited<ReturnType<typeof startOffline>>, deviceId: string, license: string) {
  const about = {
    sub: '019300aa-0000-7000-8000-000000000001',
    device_id: deviceId,
    license,
    plan: 'standard',
    features: features.parse(seededPlans.standard),
  };
  return signer.sign(about, platform.clock.now()).lease;
}

const storedKey = (testClient: TestClient) =>
  JSON.parse(testClient.platform.secrets.values.get(licenseDocumentName(testClient.platform)) ?? '{}').facts.licenseKey;

async function request({ client }: TestClient, typed?: string) {
  const made = await client.requestLease(typed === undefined ? {} : { licenseKey: typed });
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

describe('without pinned keys, an answer', () => {
  it('is verified after the sign-out with the keys of the server that was used', async () => {
    const platform = createFakePlatform();
    const server = new ScriptedServer(platform);
    const signer = new LeaseSigner();
    server.leases = signer;
    const testClient = await startTestClient(platform, server);
    const { client } = testClient;
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(10);
    await client.signOut({ allDevices: false });
    const test = { ...testClient, signer };
    const { request: made } = await request(test, licenseKey);
    const text = answer(test, made.device_id, previewLicenseKey(licenseKey));
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    expect(client.getState().license.kind).toBe('works');
  });

  it('cannot be verified before the first sign-in', async () => {
    const platform = createFakePlatform();
    const test = { ...(await startTestClient(platform, new ScriptedServer(platform))), signer: new LeaseSigner() };
    const { request: made } = await request(test, licenseKey);
    const text = answer(test, made.device_id, previewLicenseKey(licenseKey));
    expect(await test.client.importLease({ text })).toMatchObject({ failure: { problem: 'unknown_key' } });
  });
});

describe('a lease request', () => {
  it('names the device and contains the key in its normal form, without contacting the server', async () => {
    const test = await startOffline();
    const before = test.platform.http.requests.length;
    const { request: made, fileName } = await request(test, ` ${licenseKey.toLowerCase()} `);
    const { deviceName, platform } = test.platform.machine;
    expect(made).toMatchObject({ license_key: licenseKey, device_name: deviceName, platform });
    expect(leaseRequestFile.parse(made)).toEqual(made);
    expect(Object.keys(made)).toEqual(['license_key', 'device_id', 'device_name', 'platform']);
    expect(fileName).toBe(`latchkey-request-${deviceName}.json`);
    expect(test.platform.http.requests).toHaveLength(before);
  });

  it('contains the key of this device if none is given', async () => {
    const made = await request(await startActivated());
    expect(made.request.license_key).toBe(licenseKey);
  });

  it('is refused if there is no key at all', async () => {
    const { client } = await startOffline();
    const failure = { code: 'LICENSE_NOT_FOUND', message: 'There is no license key yet.' };
    expect(await client.requestLease()).toMatchObject({ failure });
    expect(await client.requestLease({ licenseKey: '  ' })).toMatchObject({ ok: false });
  });

  it('is a text file with a line for each value', () => {
    const made = { license_key: licenseKey, device_id: 'HW-1', device_name: 'Bench', platform: 'linux x64' };
    expect(leaseRequestText(made)).toBe(
      `{\n  "license_key": "${licenseKey}",\n  "device_id": "HW-1",\n  "device_name": "Bench",\n  "platform": "linux x64"\n}\n`,
    );
  });

  it('has a file name of limited length, without spaces at its ends', () => {
    const of = (device_name: string) =>
      leaseRequestFileName({ license_key: licenseKey, device_id: 'HW-1', device_name, platform: 'linux x64' });
    expect(of(' Bench ')).toBe('latchkey-request-Bench.json');
    expect(of('b'.repeat(101))).toBe(`latchkey-request-${'b'.repeat(100)}.json`);
  });

  it('has a file name that is valid on every system', async () => {
    const test = await startOffline();
    Object.assign(test.platform.machine, { deviceName: '../Bench: "4"\n?' });
    expect((await request(test, licenseKey)).fileName).toBe('latchkey-request-..-Bench- -4-.json');
    Object.assign(test.platform.machine, { deviceName: '' });
    const unnamed = await request(test, licenseKey);
    expect(unnamed.fileName).toBe(`latchkey-request-${unnamed.request.device_id}.json`);
  });
});

describe('the key of a request', () => {
  it('becomes the key of this device once the answer is imported, also after a restart', async () => {
    const first = await startOffline();
    const { request: made } = await request(first, licenseKey);
    const test = { ...(await first.restart()), signer: first.signer };
    const text = answer(test, made.device_id, previewLicenseKey(licenseKey));
    expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
    expect(test.client.getState().license.kind).toBe('works');
    expect(storedKey(test)).toBe(licenseKey);
    expect([...test.platform.secrets.values.keys()]).not.toContain('lease-request');
    expect((await request(test)).request.license_key).toBe(licenseKey);
  });

  it('that this device has already leaves its activation as it is', async () => {
    const platform = createFakePlatform();
    const signer = new LeaseSigner();
    const pinned = { from: 'built-in', keys: [signer.jwk] } as const;
    const server = new ScriptedServer(platform);
    const test = { ...(await startTestClient(platform, server, 'http://127.0.0.1:8470', pinned)), signer };
    await test.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await test.client.activateLicense({ licenseKey });
    const facts = () => JSON.parse(platform.secrets.values.get(licenseDocumentName(platform)) ?? '{}').facts;
    const { activationId } = facts();
    const { request: made } = await request(test);
    const about = { sub: server.user.id, device_id: made.device_id, license: previewLicenseKey(licenseKey) };
    const claims = { ...about, plan: 'standard', features: features.parse(seededPlans.standard) };
    const { lease: text } = signer.sign(claims, platform.clock.now());
    expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
    expect(facts()).toMatchObject({ licenseKey, activationId });
    expect(activationId).toMatch(/./);
  });

  it('is kept with the request if the answer is for another license', async () => {
    const test = await startOffline();
    const { request: made } = await request(test, licenseKey);
    const text = answer(test, made.device_id, 'SVC-0000...0001');
    expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
    expect(storedKey(test)).toBeNull();
    expect([...test.platform.secrets.values.keys()]).toContain('lease-request');
  });

  it('is kept with the request if the answer is refused', async () => {
    const test = await startOffline();
    await request(test, licenseKey);
    const text = answer(test, 'HW-01234567-89ABCDEF-01234567-89ABCDEF', previewLicenseKey(licenseKey));
    expect(await test.client.importLease({ text })).toMatchObject({ failure: { problem: 'other_device' } });
    expect([...test.platform.secrets.values.keys()]).toContain('lease-request');
  });

  it('is optional for the import: an answer is valid even if the key could not be stored', async () => {
    const test = await startOffline();
    test.platform.secrets.setFailing(true);
    const { request: made } = await request(test, licenseKey);
    test.platform.secrets.setFailing(false);
    const text = answer(test, made.device_id, previewLicenseKey(licenseKey));
    expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
    expect(test.client.getState().license.kind).toBe('works');
  });

  it('never appears in the state or the log', async () => {
    const test = await startOffline();
    await request(test, licenseKey);
    expect(JSON.stringify(test.client.getState())).not.toContain(licenseKey);
  });
});
