/**
 * `--dry-run` and `dry_run`: their responses, that they change nothing, and that they are refused like the change
 * itself.
 */
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { tableOrder } from '../../../server/database/tables.ts';
import { newStaff, type Staff } from '../../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { activate, issueLicense, subscriber } from '../../harness/users.ts';

const none = { accounts: 0, licenses: 0, devices: 0 };
const nothing = { would_change: none, lose: {}, gain: {}, over_limit: 0 };

/**
 * Starts a server with a subscriber of `standard` whose license has three devices, and a `free` account without any.
 */
async function start() {
  const server = await startTestApp();
  const user = await subscriber(server);
  const { key, id } = await issueLicense(server, '--email', user.email, '--with-subscription');
  for (const _ of [1, 2, 3]) await activate(server, user, key);
  return { server, user, key, licenseId: id };
}

describe('a dry run reports what would change', () => {
  it('for a plan: features, device limits, and licenses with more devices', async () => {
    const { server } = await start();
    expect(
      await server.admin('plan', 'set', 'standard', '--feature', 'csv_export=false', '--max-devices', '2', '--dry-run'),
    ).toStrictEqual({
      would_change: { accounts: 1, licenses: 1, devices: 3 },
      lose: { csv_export: 3 },
      gain: {},
      over_limit: 1,
    });
    expect(
      await server.admin('plan', 'set', 'standard', '--feature', 'custom_preprocessing=true', '--dry-run'),
    ).toStrictEqual({
      would_change: { accounts: 1, licenses: 1, devices: 3 },
      lose: {},
      gain: { custom_preprocessing: 3 },
      over_limit: 0,
    });
  });

  it('for a feature that is removed from plans', async () => {
    const { server } = await start();
    await server.admin('feature', 'set', 'pdf_reports');
    expect(await server.admin('feature', 'remove', 'pdf_reports', '--dry-run')).toStrictEqual(nothing);
    await server.admin('plan', 'set', 'standard', '--feature', 'pdf_reports=true');
    expect(await server.admin('feature', 'remove', 'pdf_reports', '--from-plans', '--dry-run')).toStrictEqual({
      would_change: { accounts: 1, licenses: 1, devices: 3 },
      lose: { pdf_reports: 3 },
      gain: {},
      over_limit: 0,
    });
  });

  it('for a license, whose devices lose what it gives, while the rest of the account keeps its plan', async () => {
    const { server, user, licenseId } = await start();
    const other = await issueLicense(server, '--email', user.email, '--plan', 'free');
    await activate(server, user, other.key);
    const lost = await server.admin('license', 'set', licenseId, '--status', 'inactive', '--dry-run');
    expect(lost).toMatchObject({
      would_change: { accounts: 1, licenses: 1, devices: 3 },
      lose: { csv_export: 3, real_time_visualization: 3 },
      gain: {},
    });
    await server.admin('license', 'set', licenseId, '--status', 'inactive');
    const gained = await server.admin('license', 'set', licenseId, '--status', 'active', '--dry-run');
    expect(gained).toStrictEqual({ ...lost, lose: {}, gain: lost.lose });
  });

  it('for a license without an owner, which belongs to no account', async () => {
    const { server } = await start();
    const { id } = await issueLicense(server, '--plan', 'advanced');
    expect(await server.admin('license', 'set', id, '--status', 'revoked', '--dry-run')).toStrictEqual({
      ...nothing,
      would_change: { accounts: 0, licenses: 1, devices: 0 },
    });
    expect(await server.admin('plan', 'set', 'advanced', '--new-devices-per-month', '1', '--dry-run')).toStrictEqual({
      ...nothing,
      would_change: { accounts: 0, licenses: 1, devices: 0 },
    });
  });

  it('with zeros if there is nothing to change', async () => {
    const { server, licenseId } = await start();
    expect(await server.admin('plan', 'set', 'standard', '--dry-run')).toStrictEqual(nothing);
    expect(await server.admin('plan', 'set', 'standard', '--feature', 'csv_export=true', '--dry-run')).toStrictEqual(
      nothing,
    );
    expect(await server.admin('plan', 'set', 'a-new-one', '--max-devices', '7', '--dry-run')).toStrictEqual(nothing);
    expect(await server.admin('license', 'set', licenseId, '--status', 'active', '--dry-run')).toStrictEqual(nothing);
  });
});

describe('a dry run changes nothing', () => {
  it('in any table, the audit log, the events or the caches', async () => {
    const { server, licenseId } = await start();
    const owner = await newStaff(server, 'owner');
    await server.admin('feature', 'set', 'pdf_reports');
    await server.admin('plan', 'set', 'standard', '--feature', 'pdf_reports=true');
    await server.admin('webhook', 'add', 'https://example.com/hook');
    await setImmediate();
    const before = await dump(server);
    let dropped = 0;
    server.database.cacheInvalidation.onChange(() => (dropped += 1));
    await server.admin('plan', 'set', 'standard', '--max-devices', '1', '--feature', 'csv_export=false', '--dry-run');
    await server.admin('plan', 'set', 'a-new-one', '--dry-run');
    await server.admin('feature', 'remove', 'pdf_reports', '--from-plans', '--dry-run');
    await server.admin('license', 'set', licenseId, '--status', 'revoked', '--dry-run');
    for (const name of ['suspendLicense', 'reinstateLicense', 'revokeLicense'] as const) {
      await owner.browser.expectOk(name, { at: licenseId, body: { dry_run: true } });
    }
    await owner.browser.expectOk('setPlan', { at: 'standard', body: { max_devices: 1, dry_run: true } });
    await owner.browser.expectOk('removeFeature', { at: 'pdf_reports', body: { from_plans: true, dry_run: true } });
    expect(await dump(server)).toEqual(before);
    expect(dropped).toBe(0);
  });
});

async function dump({ database }: TestApp): Promise<unknown> {
  const tables = tableOrder.map(async (table) => [table, await database.read.selectFrom(table).selectAll().execute()]);
  return Promise.all(tables);
}

describe('the endpoints of the admin page', () => {
  const server = sharedApp();
  let [owner, support, viewer]: Staff[] = [];
  beforeAll(async () => {
    [owner, support, viewer] = [
      await newStaff(server, 'owner'),
      await newStaff(server, 'support'),
      await newStaff(server, 'viewer'),
    ];
  });

  it('report the same as the commands', async () => {
    const user = await subscriber(server, 'advanced');
    const { key, id } = await issueLicense(server, '--email', user.email);
    await activate(server, user, key);
    const plan = { features: { api_access: false }, dry_run: true };
    expect(await owner?.browser.expectOk('setPlan', { at: 'advanced', body: plan })).toStrictEqual(
      await server.admin('plan', 'set', 'advanced', '--feature', 'api_access=false', '--dry-run'),
    );
    await server.admin('feature', 'set', 'pdf_reports');
    await server.admin('plan', 'set', 'advanced', '--feature', 'pdf_reports=true');
    const removal = { from_plans: true, dry_run: true };
    expect(await owner?.browser.expectOk('removeFeature', { at: 'pdf_reports', body: removal })).toStrictEqual(
      await server.admin('feature', 'remove', 'pdf_reports', '--from-plans', '--dry-run'),
    );
    for (const [name, status] of [
      ['suspendLicense', 'inactive'],
      ['reinstateLicense', 'active'],
      ['revokeLicense', 'revoked'],
    ] as const) {
      expect(await owner?.browser.expectOk(name, { at: id, body: { dry_run: true } })).toStrictEqual(
        await server.admin('license', 'set', id, '--status', status, '--dry-run'),
      );
    }
  });

  it('refuse a dry run in the same cases as the change', async () => {
    const user = await subscriber(server);
    const { id } = await issueLicense(server, '--email', user.email);
    await server.admin('license', 'set', id, '--status', 'revoked');
    await server.admin('feature', 'set', 'in_a_plan');
    await server.admin('plan', 'set', 'free', '--feature', 'in_a_plan=true');
    const refusals = [
      [support, 'suspendLicense', { at: id, body: {} }, 'CONFLICT'],
      [support, 'reinstateLicense', { at: id, body: {} }, 'FORBIDDEN'],
      [support, 'revokeLicense', { at: id, body: {} }, 'FORBIDDEN'],
      [support, 'setPlan', { at: 'free', body: {} }, 'FORBIDDEN'],
      [viewer, 'suspendLicense', { at: id, body: {} }, 'FORBIDDEN'],
      [owner, 'suspendLicense', { at: 'no-such-id', body: {} }, 'NOT_FOUND'],
      [owner, 'removeFeature', { at: 'in_a_plan', body: {} }, 'CONFLICT'],
      [owner, 'removeFeature', { at: 'csv_export', body: { from_plans: true } }, 'CONFLICT'],
      [owner, 'removeFeature', { at: 'no_such_feature', body: {} }, 'NOT_FOUND'],
      [owner, 'setPlan', { at: 'No Plan', body: {} }, 'VALIDATION_ERROR'],
      [owner, 'setPlan', { at: 'free', body: { features: { no_such_feature: true } } }, 'VALIDATION_ERROR'],
      [owner, 'setPlan', { at: 'free', body: { max_devices: -1 } }, 'VALIDATION_ERROR'],
    ] as const;
    for (const [staff, name, options, code] of refusals) {
      const tried = await staff?.browser.call(name, { ...options, body: { ...options.body, dry_run: true } });
      const done = await staff?.browser.call(name, options);
      expect(tried?.body, name).toMatchObject({ code });
      expect({ status: tried?.status, body: tried?.body }, name).toStrictEqual({
        status: done?.status,
        body: done?.body,
      });
    }
    const unclear = await owner?.browser.call('suspendLicense', { at: id, body: { dry_run: 'yes' } });
    expect(unclear?.body).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('the commands', () => {
  it('refuse a dry run in the same cases as the change', async () => {
    const admin = createAdmin();
    await admin.json(['feature', 'set', 'in_a_plan']);
    await admin.json(['plan', 'set', 'free', '--feature', 'in_a_plan=true']);
    for (const words of [
      ['plan', 'set', 'No Plan'],
      ['plan', 'set', 'free', '--feature', 'no_such_feature=true'],
      ['feature', 'remove', 'in_a_plan'],
      ['feature', 'remove', 'csv_export', '--from-plans'],
      ['license', 'set', 'no-such-id', '--status', 'revoked'],
    ]) {
      expect(await admin.failure([...words, '--dry-run'])).toStrictEqual(await admin.failure(words));
    }
  });
});
