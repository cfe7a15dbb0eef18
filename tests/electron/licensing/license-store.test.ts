/** The stored license data belongs to one account: another account on the same profile never overwrites it. */
import { describe, expect, it } from 'vitest';
import { LicenseStore } from '../../../electron/licensing/license-store.ts';
import type { StoreRead } from '../../../electron/licensing/platform.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { licenseKey } from './scripted-server.ts';
import { licenseDocumentName, startActivated, startSignedIn, type TestClient } from './start-client.ts';

const grace = { id: '01890000-0000-7000-8000-00000000000b', email: 'grace@lab.org', full_name: 'Grace' };

async function signInAs({ client, server, platform }: TestClient, user: typeof grace): Promise<void> {
  server.user = user;
  expect(await client.signIn({ email: user.email, password: 'correct horse battery' })).toMatchObject({ ok: true });
  await platform.clock.advance(10);
}

/** The state of this device's license before the server was asked again. */
async function signInWithoutSync(testClient: TestClient, user: typeof grace) {
  const { client, server, platform } = testClient;
  server.user = user;
  for (const route of ['POST /license/validate', 'GET /subscription/status'])
    platform.http.on(route, { fails: 'timeout' });
  await client.signIn({ email: user.email, password: 'correct horse battery' });
  return client.getState().thisDevice;
}

describe('a second account on the same profile', () => {
  it('starts without a license key, and the first account finds its device still activated', async () => {
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

  it('does not overwrite the license of the first account if it signs in over that one either', async () => {
    const testClient = await startActivated();
    const ada = testClient.server.user;
    await signInAs(testClient, grace);
    await testClient.client.activateLicense({ licenseKey });
    await testClient.sync();
    expect(await signInWithoutSync(testClient, ada)).toMatchObject({ activated: true });
  });
});

describe('the single document of earlier versions', () => {
  /** Starts with the document that an earlier version stored for Ada. */
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

  it('is moved to a document of the account, and removed once that is stored', async () => {
    const { client, platform, name } = await startWithEarlierDocument();
    const { values, writes } = platform.secrets;
    expect(client.getState().thisDevice).toMatchObject({ activated: true, license: { status: 'active' } });
    expect(values.get(name)).toContain(licenseKey);
    expect(values.has('license')).toBe(false);
    expect(writes.findIndex((each) => each.name === name)).toBeLessThan(
      writes.findIndex((each) => each.name === 'license' && each.value === null),
    );
  });

  it('is kept for its own account if another one signs in first', async () => {
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

  it('is kept if the new document cannot be stored', async () => {
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

  it('is read later if it cannot be read now', async () => {
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

const owner = { serverAddress: 'https://license.org', accountId: 'ada', deviceId: 'HW-1' };
/** These names must not change: existing documents are stored under them. */
const ofAda = 'license-83bd23d7076b2c061bc4bf7d4d95402e';
const ofAdaHere = 'license-cdc72b0591c9bed479a3de4648c4e8cf';
const ofAdaElsewhere = 'license-985ee02abae54477d51e6f34312a9158';

function startStore(platform = createFakePlatform()) {
  const { secrets, log, subtle, logged } = platform;
  const stored = (name = ofAda) => JSON.parse(secrets.values.get(name) ?? 'null');
  return { platform, secrets, logged, stored, store: new LicenseStore({ secrets, log, subtle }) };
}

/** A document of Ada with the given key, as this version writes it. */
async function documentOf(licenseKey: string, of = owner): Promise<Record<string, unknown>> {
  const { store, secrets } = startStore();
  await store.open(of, null);
  await store.update({ licenseKey });
  return JSON.parse([...secrets.values.values()][0] ?? '');
}

async function openWith(documents: Record<string, unknown>, { of = owner, movedFrom = null as string | null } = {}) {
  const started = startStore();
  for (const [name, document] of Object.entries(documents))
    started.secrets.values.set(name, typeof document === 'string' ? document : JSON.stringify(document));
  await started.store.open(of, movedFrom);
  return started;
}

describe('the license store', () => {
  it('has no facts while it is closed, and stores none', async () => {
    const { store, secrets } = startStore();
    expect(store.owner).toBeNull();
    await store.update({ licenseKey: 'key' });
    await store.save();
    await store.move('https://other.org');
    expect(await store.retryRead()).toBe(false);
    expect(secrets.writes).toEqual([]);
    expect(store.owner).toBeNull();
  });

  it('stores all facts for the next start, under a name that does not reveal the owner', async () => {
    const { store, platform, stored, secrets } = startStore();
    await store.open(owner, null);
    const { facts } = store;
    expect(facts).toMatchObject({ licenseKey: null, activity: [], needsLease: false, lease: null });
    await store.update({ licenseKey: 'key' });
    expect([...secrets.values.keys()]).toEqual([ofAda]);
    expect(stored()).toEqual({ version: 3, min_reader: 3, binding: owner, facts: { ...facts, licenseKey: 'key' } });
    const again = startStore(platform).store;
    await again.open(owner, null);
    expect(again.facts).toEqual({ ...facts, licenseKey: 'key' });
    expect(again.owner).toEqual(owner);
    again.close();
    expect(again.owner).toBeNull();
    expect(again.facts).toEqual(facts);
  });

  it('uses the same name with the real Web Crypto', async () => {
    const { secrets, log } = createFakePlatform();
    const store = new LicenseStore({ secrets, log, subtle: globalThis.crypto.subtle });
    await store.open(owner, null);
    await store.save();
    expect([...secrets.values.keys()]).toEqual([ofAda]);
  });

  it('changes its facts immediately, and defers writes that may be deferred', async () => {
    const { store, secrets, stored } = startStore();
    await store.open(owner, null);
    await store.update({ licenseKey: 'key' }, 'later');
    expect(store.facts.licenseKey).toBe('key');
    expect(secrets.writes).toEqual([]);
    const writing = store.update({ activationId: 'a1' });
    expect(store.facts.activationId).toBe('a1');
    await writing;
    expect(stored().facts).toMatchObject({ licenseKey: 'key', activationId: 'a1' });
    expect(secrets.writes).toHaveLength(1);
  });

  it('waits for a pending write', async () => {
    const { store, stored } = startStore();
    await store.open(owner, null);
    void store.update({ licenseKey: 'key' });
    await store.flush();
    expect(stored().facts.licenseKey).toBe('key');
  });

  it('continues on a full disk and logs it, and stores the facts with the next change', async () => {
    const { store, secrets, stored, logged } = startStore();
    await store.open(owner, null);
    secrets.setFailing(true);
    await store.update({ licenseKey: 'key' });
    expect(store.facts.licenseKey).toBe('key');
    expect(logged).toEqual(['the license could not be stored {}']);
    secrets.setFailing(false);
    await store.save();
    expect(stored().facts.licenseKey).toBe('key');
  });

  it('discards what it was reading if it is closed or opened for another account meanwhile', async () => {
    const document = await documentOf('key');
    const { store, secrets } = startStore();
    secrets.values.set(ofAda, JSON.stringify(document));
    const opening = store.open(owner, null);
    store.close();
    await opening;
    expect(store).toMatchObject({ owner: null, facts: { licenseKey: null } });
    const bob = { ...owner, accountId: 'bob' };
    await Promise.all([store.open(owner, null), store.open(bob, null)]);
    expect(store).toMatchObject({ owner: bob, facts: { licenseKey: null } });
  });
});

describe('a document', () => {
  it.each([
    ['of another account', { accountId: 'bob' }],
    ['of another device', { deviceId: 'HW-2' }],
    ['of another server', { serverAddress: 'https://other.org' }],
  ])('%s is not read, and is kept under its name', async (_, more) => {
    const other = await documentOf('other', { ...owner, ...more });
    const { store, stored, secrets } = await openWith({ [ofAda]: other });
    expect(store.facts.licenseKey).toBeNull();
    await store.update({ licenseKey: 'key' });
    expect(stored()).toEqual(other);
    expect(stored(ofAdaHere).facts.licenseKey).toBe('key');
    expect(secrets.values.size).toBe(2);
  });

  it('is found under either name', async () => {
    const other = await documentOf('other', { ...owner, serverAddress: 'https://other.org' });
    const own = await documentOf('key');
    expect((await openWith({ [ofAda]: other, [ofAdaHere]: own })).store.facts.licenseKey).toBe('key');
    const { store, stored } = await openWith({ [ofAdaHere]: own });
    expect(store.facts.licenseKey).toBe('key');
    await store.update({ licenseKey: 'next' });
    expect(stored(ofAdaHere).facts.licenseKey).toBe('next');
    expect(stored()).toBeNull();
  });

  it('is set aside if both names are taken by other owners', async () => {
    const other = await documentOf('other', { ...owner, accountId: 'bob' });
    const { store, stored, secrets } = await openWith({ [ofAda]: other, [ofAdaHere]: other });
    expect(store.facts.licenseKey).toBeNull();
    await store.update({ licenseKey: 'key' });
    expect(stored().facts.licenseKey).toBe('key');
    expect(JSON.parse(secrets.values.get(`${ofAda}.unreadable-1`) ?? '')).toEqual(other);
  });

  it('may be bound to the earlier address of the same server, and is stored with the new address', async () => {
    const of = { ...owner, serverAddress: 'https://other.org' };
    const { store, stored } = await openWith(
      { [ofAda]: await documentOf('key') },
      { of, movedFrom: owner.serverAddress },
    );
    expect(store.facts.licenseKey).toBe('key');
    await store.save();
    expect(stored().binding).toEqual(of);
    expect(stored(ofAdaElsewhere)).toBeNull();
  });

  it('follows a server that moves while the store is open, or being opened', async () => {
    const { store, stored } = await openWith({ [ofAda]: await documentOf('key') });
    await store.move('https://other.org');
    expect(store.owner).toEqual({ ...owner, serverAddress: 'https://other.org' });
    expect(stored()).toMatchObject({ binding: { serverAddress: 'https://other.org' }, facts: { licenseKey: 'key' } });

    const early = startStore();
    early.secrets.values.set(ofAda, JSON.stringify(await documentOf('key')));
    const opening = early.store.open(owner, null);
    await Promise.all([opening, early.store.move('https://other.org')]);
    expect(early.store).toMatchObject({ owner: { serverAddress: 'https://other.org' }, facts: { licenseKey: 'key' } });
  });
});

describe('a document that cannot be read', () => {
  it.each([
    ['is damaged', 'damaged'],
    ['is of a newer version', JSON.stringify({ version: 4 })],
  ])('because it %s is left alone until another key is stored, and is then set aside once', async (_, text) => {
    const { store, secrets, stored, logged } = await openWith({ [ofAda]: text });
    expect(logged).toEqual(['the stored license cannot be read {}']);
    expect(store.owner).toEqual(owner);
    await store.update({ needsLease: true });
    expect(secrets.writes).toEqual([]);
    expect(await store.retryRead()).toBe(false);
    await store.update({ licenseKey: 'key' });
    await store.update({ licenseKey: 'next' });
    expect(stored().facts).toMatchObject({ licenseKey: 'next', needsLease: true });
    expect(secrets.values.get(`${ofAda}.unreadable-1`)).toBe(text);
    expect(secrets.values.size).toBe(2);
  });

  it('now is read later, and changes made in the meantime are kept, except for the time and the activity', async () => {
    const document = await documentOf('key');
    const { store, secrets, platform } = startStore();
    secrets.values.set(ofAda, JSON.stringify(document));
    secrets.breakRead(ofAda, true);
    await store.open(owner, null);
    expect(store.facts.licenseKey).toBeNull();
    const response = { has_subscription: false, subscription: null, license: null, features: {} } as never;
    const status = { response, at: new Date(platform.clock.now()).toISOString() };
    const time = { trustedMs: 1, wallMs: 1, fromServer: false, boot: null, gap: null, signedMs: null, aheadMs: null };
    await store.update({
      status,
      activationId: 'a9',
      time,
      activity: [{ id: 1, at: status.at, kind: 'signed-in', detail: null }],
    });
    secrets.breakRead(ofAda, false);
    expect(store.isUnreadable).toBe(true);
    expect(await store.retryRead()).toBe(true);
    expect(store.isUnreadable).toBe(false);
    const ofStored = { time: null, activity: [] };
    expect(store.facts).toMatchObject({ licenseKey: 'key', activationId: 'a9', status, ...ofStored });
    expect(await store.retryRead()).toBe(false);
  });

  it('under the second name takes precedence over an unused name', async () => {
    const { store, secrets } = await openWith({ [ofAdaHere]: 'damaged' });
    await store.update({ needsLease: true });
    expect(secrets.writes).toEqual([]);
    await store.update({ licenseKey: 'key' });
    expect(secrets.values.get(`${ofAdaHere}.unreadable-1`)).toBe('damaged');
  });

  it('in full because a newer version wrote it is read as far as possible, and set aside before it is overwritten', async () => {
    const newer = { ...(await documentOf('key')), version: 4, min_reader: 3, more: true };
    const { store, secrets, stored } = await openWith({ [ofAda]: newer });
    expect(store.facts.licenseKey).toBe('key');
    await store.update({ licenseKey: 'next' });
    expect(stored().version).toBe(3);
    expect(JSON.parse(secrets.values.get(`${ofAda}.unreadable-1`) ?? '')).toEqual(newer);
  });
});

describe('a document of an earlier version', () => {
  const at = '2026-03-03T08:00:00.000Z';
  const common = { licenseKey: 'key', activationId: null, apiKey: null, activity: [], highestWallMs: 77 };
  const no = { valid: false, error: '', code: 'LICENSE_REVOKED' };
  const answered = { has_subscription: false, subscription: null, license: null, features: seededPlans.free };
  const version1 = (more: object) => ({
    version: 1,
    binding: owner,
    facts: { ...common, validation: null, status: null, ...more },
  });
  const time = { trustedMs: 77, wallMs: 77, fromServer: false, boot: null, gap: null, signedMs: null, aheadMs: null };
  const added = {
    localChange: null,
    pendingApiKey: null,
    lease: null,
    unknownKeyLease: null,
    needsLease: false,
    endedAt: null,
    givenName: null,
    dismissedWarnings: [],
  };

  it('is moved to its owner’s name, with defaults for what that version did not have', async () => {
    const { store, secrets, stored } = await openWith({ license: version1({}) });
    expect(store.facts).toMatchObject({ licenseKey: 'key', validation: null, status: null, time, ...added });
    expect(stored()).toMatchObject({ version: 3, binding: owner, facts: { licenseKey: 'key' } });
    expect(secrets.values.has('license')).toBe(false);
  });

  it('keeps the responses that it stored under another field name', async () => {
    const { store } = await openWith({
      license: version1({ validation: { answer: no, at }, status: { answer: answered, at } }),
    });
    expect(store.facts.validation).toEqual({ response: no, at });
    expect(store.facts.status).toMatchObject({ at, response: { has_subscription: false, license: null } });
  });

  it('of another account is kept for that account, and an unreadable one counts as no license', async () => {
    const other = { ...version1({}), binding: { ...owner, accountId: 'bob' } };
    const { store, stored, secrets } = await openWith({ license: other });
    expect(store.facts.licenseKey).toBeNull();
    await store.save();
    expect(stored('license')).toEqual(other);
    expect(stored().facts.licenseKey).toBeNull();
    expect(secrets.values.size).toBe(2);
    const damaged = await openWith({ license: 'damaged' });
    await damaged.store.update({ needsLease: true });
    expect(damaged.secrets.writes).toEqual([]);
  });

  it('is kept if it cannot be moved, and a failure to remove it afterwards is logged', async () => {
    const full = startStore();
    full.secrets.values.set('license', JSON.stringify(version1({})));
    full.secrets.setFailing(true);
    await full.store.open(owner, null);
    expect(full.secrets.values.has('license')).toBe(true);
    expect(full.logged).toEqual(['the license could not be stored {}']);

    const stuck = startStore();
    stuck.secrets.values.set('license', JSON.stringify(version1({})));
    Object.assign(stuck.secrets, { remove: async () => Promise.reject(new Error('EBUSY')) });
    await stuck.store.open(owner, null);
    expect(stuck.stored().facts.licenseKey).toBe('key');
    expect(stuck.logged).toEqual(['the license document of an earlier version could not be removed {}']);
  });

  it('is moved even if both names of its owner are taken by others', async () => {
    const other = await documentOf('other', { ...owner, accountId: 'bob' });
    const { store, stored } = await openWith({ license: version1({}), [ofAda]: other, [ofAdaHere]: other });
    expect(store.facts.licenseKey).toBe('key');
    expect(stored().facts.licenseKey).toBe('key');
  });

  it('is ignored if there is a newer one', async () => {
    const own = await documentOf('newer');
    const { store, secrets } = await openWith({ license: version1({}), [ofAda]: own });
    expect(store.facts.licenseKey).toBe('newer');
    expect(secrets.values.has('license')).toBe(true);
  });
});

/** Makes reads wait until the returned function is called, as while a keyring asks for its password. */
function holdReads({ secrets }: { readonly secrets: { read: (name: string) => Promise<StoreRead> } }) {
  const { read } = secrets;
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(secrets, { read: (name: string) => promise.then(() => read(name)) });
  return resolve;
}

describe('a key that is activated while the stored license is being read', () => {
  const activation = { licenseKey: 'new', activationId: 'a-2', validation: null };

  it('is not replaced by an earlier document that can be read again', async () => {
    const { store, secrets, stored, platform } = await openWith({ [ofAda]: await documentOf('old') });
    await store.update({ givenName: 'Old' });
    secrets.breakRead(ofAda, true);
    await store.open(owner, null);
    secrets.breakRead(ofAda, false);
    const old = secrets.values.get(ofAda) ?? '';
    // The read begins before the activation and ends after it.
    Object.assign(platform.secrets, { read: async () => settle().then(() => ({ kind: 'value', value: old })) });
    const reading = store.retryRead();
    await Promise.resolve();
    await store.update(activation);
    await reading;
    expect(store.facts).toMatchObject({ ...activation, givenName: null });
    await store.save();
    expect(stored().facts.licenseKey).toBe('new');
    expect([...secrets.values.keys()].join()).toContain('.unreadable-');
  });

  it.each(['old', null])(
    'at the start is kept, and stored together with the other stored data (%s)',
    async (before) => {
      const apiKey = { prefix: 'svc_live_AbCd', isLegacy: false, createdAt: '2026-01-02T00:00:00.000Z', revoked: null };
      const started = startStore();
      if (before !== null) {
        await started.store.open(owner, null);
        await started.store.update({ licenseKey: before, apiKey });
      }
      const goOn = holdReads(started);
      const opening = started.store.open(owner, null);
      await started.store.update(activation);
      goOn();
      await opening;
      const expected = { ...activation, apiKey: before === null ? null : apiKey };
      expect(started.store.facts).toMatchObject(expected);
      expect(started.stored().facts).toMatchObject(expected);
    },
  );
});

it('a license that is closed and reopened has its latest changes, however slow the disk is', async () => {
  const { store, secrets, stored } = startStore();
  await store.open(owner, null);
  const { write } = secrets;
  Object.assign(secrets, { write: (name: string, value: string) => settle().then(() => write(name, value)) });
  const writing = [store.update({ licenseKey: 'one' }), store.update({ licenseKey: 'two' })];
  store.close();
  await store.open(owner, null);
  expect(store.facts.licenseKey).toBe('two');
  await Promise.all(writing);
  expect(stored().facts.licenseKey).toBe('two');
});
