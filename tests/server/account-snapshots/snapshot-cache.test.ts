/** Snapshots of accounts: invalidated in time, and identical whether cached or not. */
import { describe, expect, it } from 'vitest';
import { SnapshotCache } from '../../../server/account-snapshots/snapshot-cache.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { AccountChange } from '../../../server/database/cache-invalidation.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { activate, issueLicense, signUp, subscriber } from '../../harness/users.ts';

describe('a cached account', () => {
  it('is invalidated before the write that changes it resolves', async () => {
    const app = await startTestApp();
    const { id, email } = await subscriber(app);
    const snapshots = new SnapshotCache(app);
    // Processes the writes made so far, which would otherwise seem to have happened during the load.
    expect(app.database.cacheInvalidation.catchUp()).toBe(true);
    const account = await snapshots.findAccount(id);
    expect(account?.subscriptions[0]?.plan).toBe('standard');
    expect(await snapshots.findAccount(id)).toBe(account);
    const changes: unknown[] = [];
    app.database.cacheInvalidation.onChange((change) => changes.push(change));
    await app.services.subscriptions.set(id, { plan: 'advanced' }, byCommand);
    expect(changes).toEqual([[id]]);
    expect((await snapshots.requireAccount(id)).subscriptions[0]?.plan).toBe('advanced');
    await app.admin('user', 'delete', email);
    expect(await snapshots.findAccount(id)).toBeUndefined();
  });

  it('is not cached if it changes while it is being loaded', async () => {
    const app = await startTestApp();
    const { id } = await subscriber(app);
    const snapshots = new SnapshotCache(app);
    const { cacheInvalidation } = app.database;
    expect(cacheInvalidation.catchUp()).toBe(true);
    const load = async (change: AccountChange) => {
      const loading = snapshots.findAccount(id);
      cacheInvalidation.apply(change);
      return loading;
    };
    for (const change of [[id], 'everything'] as const) {
      const account = await load(change);
      expect(account?.userId).toBe(id);
      expect(await load(change)).not.toBe(account);
    }
    const account = await load(['another account']);
    expect(await snapshots.findAccount(id)).toBe(account);
  });
});

it('an account with a very large number of licenses gets the same answers', async () => {
  const app = await startTestApp();
  const user = await signUp(app);
  const issued = [];
  for (let count = 0; count < 101; count++) issued.push(await issueLicense(app, '--email', user.email));
  const [{ key, id } = { key: '', id: '' }] = issued;
  const { deviceId } = await activate(app, user, key);
  const { token } = user;
  const body = { license_key: key, device_id: deviceId };
  const validate = () => app.call('validateLicense', { token, body });
  const heartbeat = () => app.call('heartbeat', { token, body: { device_id: deviceId } });
  const usable = { valid: true, plan: 'standard', activations: 1, already_activated_on_device: true };
  for (let times = 0; times < 2; times++) {
    expect((await validate()).body).toMatchObject(usable);
    expect((await heartbeat()).body).not.toHaveProperty('warning');
    expect((await app.call('subscriptionStatus', { token })).body).toMatchObject({
      has_subscription: false,
      license: { status: 'active' },
      features: { max_devices: 3 },
    });
  }
  await app.admin('license', 'release', id, deviceId);
  expect((await validate()).body).toMatchObject({ ...usable, activations: 0, already_activated_on_device: false });
  expect((await heartbeat()).body.warning).toBe('This device is not activated on your license.');
  await app.admin('license', 'set', id, '--status', 'revoked');
  expect((await validate()).body).toMatchObject({ valid: false, code: 'LICENSE_REVOKED' });
});
