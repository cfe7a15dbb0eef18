/**
 * A dry run reports exactly what the change then does: on random data each change is tried and then made, and the API
 * responses to accounts, licenses and devices before and after it are compared.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { LicenseStatus, SubscriptionStatus } from '../../../server/database/tables.ts';
import type { Services, ServicesDeps } from '../../../server/services.ts';
import type { PolicyPreview } from '../../../shared/api/admin/policy-preview.ts';
import { isOn, namesOf } from '../../../shared/formats/feature-fields.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { numberedDeviceId } from '../../harness/users.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

type Server = { readonly services: Services; readonly deps: ServicesDeps };
type Account = { readonly userId: string };
type License = { readonly id: string; readonly key: string; readonly owner: string | null };

const planNames = ['free', 'small', 'large'] as const;
const featureNames = ['csv_export', 'session_recording', 'pdf_reports', 'constructor'] as const;
const licenseStatuses: LicenseStatus[] = ['active', 'inactive', 'revoked', 'expired'];
const subscriptionStatuses: SubscriptionStatus[] = ['trialing', 'active', 'past_due', 'canceled', 'expired'];

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const aSubscription = fc.record({
  plan: some(planNames),
  // Mostly a status that gives access.
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant('active' as const) },
    { weight: 1, arbitrary: some(subscriptionStatuses) },
  ),
  days: some([-1, 5, 40]),
  byTypedEmail: fc.boolean(),
  isReplaced: fc.boolean(),
});
const aLicense = fc.record({
  plan: some(planNames),
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant('active' as const) },
    { weight: 1, arbitrary: some(licenseStatuses) },
  ),
  withSubscription: fc.boolean(),
  days: some([null, null, 3]),
  /** Chosen from the same few, so that a device is active on several licenses. */
  devices: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }),
});
const aPlan = fc.record({
  max_devices: fc.nat(4),
  lease_days: some([null, 2]),
  features: fc.dictionary(some(featureNames), fc.boolean()),
});
const aChange = fc.oneof(
  fc.record({
    kind: fc.constant('plan' as const),
    name: some([...planNames, 'new_one']),
    change: fc.record(
      {
        max_devices: fc.nat(4),
        lease_days: some([null, 1, 2]),
        features: fc.dictionary(some(featureNames), fc.boolean()),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    kind: fc.constant('feature' as const),
    name: some(['pdf_reports', 'constructor', 'csv_export']),
    fromPlans: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('license' as const),
    index: fc.nat(20),
    status: some(licenseStatuses),
    as: some(['owner', 'support'] as const),
  }),
);
const someData = fc.record({
  plans: fc.record({ free: aPlan, small: aPlan, large: aPlan }),
  accounts: fc.array(
    fc.record({
      subscriptions: fc.array(aSubscription, { maxLength: 3 }),
      licenses: fc.array(aLicense, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  unclaimed: fc.array(some(planNames), { maxLength: 2 }),
  changes: fc.array(aChange, { minLength: 1, maxLength: 4 }),
});
type Data = typeof someData extends fc.Arbitrary<infer T> ? T : never;
type Change = Data['changes'][number];

describeEachDatabase((database) => {
  it('a dry run reports exactly what the change then does', async () => {
    const clock = createFakeClock();
    const admin = await database.createAdmin();
    await withServices(
      admin,
      async (services, deps) => {
        const isPostgres = admin.settings.DATABASE_URL !== undefined;
        await fc.assert(
          fc.asyncProperty(someData, (data) => expectSame({ services, deps }, data)),
          { numRuns: isPostgres ? 15 : 60 },
        );
      },
      clock,
    );
  });
});

async function expectSame(server: Server, data: Data): Promise<void> {
  const { accounts, licenses } = await fill(server, data);
  for (const change of data.changes) {
    const before = await observe(server, accounts, licenses);
    const limits = await limitsOf(server);
    const preview = await outcome(tryOut(server, change, licenses));
    expect(await observe(server, accounts, licenses)).toEqual(before);
    const done = await outcome(act(server, change, licenses));
    if ('refusal' in preview) {
      expect(done).toEqual(preview);
      continue;
    }
    const after = await observe(server, accounts, licenses);
    expect(preview.value).toEqual(differences(before, after, overLimit(limits, await limitsOf(server), after)));
  }
}

async function outcome<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly refusal: string }> {
  try {
    return { value: await work };
  } catch (error) {
    return { refusal: String(error) };
  }
}

/** Clears the database and fills it with the data. */
async function fill({ services, deps }: Server, data: Data): Promise<{ accounts: Account[]; licenses: License[] }> {
  await deps.database.write(async (transaction) => {
    for (const table of ['users', 'licenses', 'audit_events'] as const) await transaction.deleteFrom(table).execute();
  });
  for (const feature of ['pdf_reports', 'constructor']) await services.features.set(feature, {}, byCommand);
  const off = Object.fromEntries(featureNames.map((name) => [name, false]));
  for (const [name, { features, ...plan }] of Object.entries(data.plans)) {
    await services.plans.set(name, { ...plan, features: { ...off, ...features } }, byCommand);
  }
  const accounts: Account[] = [];
  const licenses: License[] = [];
  for (const plan of data.unclaimed) {
    const issued = await services.licenseAdmin.issue({ plan, maxActivations: 9 }, byCommand);
    licenses.push({ id: issued.license.id, key: issued.license_key, owner: null });
  }
  for (const [index, account] of data.accounts.entries()) {
    const { id: userId } = await services.accounts.create(
      { email: `user-${index}@example.com`, full_name: '' },
      byCommand,
    );
    accounts.push({ userId });
    for (const license of account.licenses) licenses.push(await issue({ services, deps }, userId, license));
    await subscribe({ services, deps }, userId, account.subscriptions);
  }
  return { accounts, licenses };
}

/** Activates the license while it is valid, and only then sets its status and whether it follows a subscription. */
async function issue({ services, deps }: Server, userId: string, given: Data['accounts'][number]['licenses'][number]) {
  const { plan, status, withSubscription, days, devices } = given;
  const { license, license_key: key } = await services.licenseAdmin.issue(
    { userId, plan, maxActivations: 9 },
    byCommand,
  );
  for (const device of devices) {
    const request = { license_key: key, device_id: numberedDeviceId(device), device_name: '', platform: '' };
    await services.licenses.activate(userId, request, byCommand);
  }
  const expires_at_ms = days === null ? null : deps.clock.now() + days * day;
  await deps.database.write((transaction) =>
    transaction
      .updateTable('licenses')
      .set({ status, expires_at_ms, with_subscription: withSubscription ? 1 : 0 })
      .where('id', '=', license.id)
      .execute(),
  );
  return { id: license.id, key, owner: userId };
}

async function subscribe({ deps }: Server, user_id: string, given: Data['accounts'][number]['subscriptions']) {
  const nowMs = deps.clock.now();
  const rows = given.map(({ plan, status, days, byTypedEmail, isReplaced }, index) => ({
    id: `${user_id}-${index}`,
    user_id,
    source: 'stripe' as const,
    reference: `${user_id}-${index}`,
    event_at_ms: null,
    is_replaced: isReplaced && index > 1 ? (1 as const) : (0 as const),
    by_typed_email: byTypedEmail ? (1 as const) : (0 as const),
    plan,
    status,
    current_period_start_ms: nowMs - 60 * day,
    current_period_end_ms: nowMs + days * day,
    cancel_at_period_end: 0 as const,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  }));
  if (rows.length > 0) {
    await deps.database.write((transaction) => transaction.insertInto('subscriptions').values(rows).execute());
  }
}

async function tryOut({ services }: Server, change: Change, licenses: readonly License[]): Promise<PolicyPreview> {
  const { policyPreview } = services;
  if (change.kind === 'plan') return policyPreview.previewPlan(change.name, change.change);
  if (change.kind === 'feature') return policyPreview.previewFeatureRemoval(change.name, change);
  return policyPreview.previewLicenseStatus(idOf(change, licenses), { status: change.status, as: change.as });
}

async function act({ services }: Server, change: Change, licenses: readonly License[]): Promise<unknown> {
  if (change.kind === 'plan') return services.plans.set(change.name, change.change, byCommand);
  if (change.kind === 'feature') return services.features.remove(change.name, change, byCommand);
  const status = { status: change.status, as: change.as };
  return services.licenseChanges.setStatus(idOf(change, licenses), status, byCommand);
}

function idOf({ index }: { readonly index: number }, licenses: readonly License[]): string {
  return licenses[index % Math.max(1, licenses.length)]?.id ?? 'none';
}

type Claims = { readonly features: Readonly<Record<string, unknown>>; readonly exp: number; readonly plan: string };
type Seen = {
  /** The response of `/subscription/status` by account. */
  readonly accounts: ReadonlyMap<string, unknown>;
  /** The record, the response of `/license/validate` and a lease by license. */
  readonly licenses: ReadonlyMap<
    string,
    { readonly owner: string | null; readonly plan: string; readonly devices: number; readonly told: unknown }
  >;
  /** The lease by account and device. */
  readonly devices: ReadonlyMap<string, Claims | null>;
};

async function observe(server: Server, accounts: readonly Account[], licenses: readonly License[]): Promise<Seen> {
  const { services } = server;
  const seen = { accounts: new Map(), licenses: new Map(), devices: new Map() } satisfies Seen;
  for (const { userId } of accounts) {
    const { features, ...status } = await services.entitlements.status(userId);
    // The number of places in use depends on leases, which this test itself grants.
    seen.accounts.set(userId, { ...status, on: whatIsOn(features) });
  }
  for (const { id, key, owner } of licenses) {
    const record = await services.licenseAdmin.get(id);
    const probe = { license_key: key, device_id: numberedDeviceId(99) };
    const asker = owner ?? accounts[0]?.userId ?? '';
    const validated = await services.licenses.validate(asker, probe);
    const told = validated.valid ? { ...validated, features: whatIsOn(validated.features) } : validated;
    for (const { device_id } of record.devices) {
      seen.devices.set(
        `${owner} ${device_id}`,
        await claims(services.leases.issue(String(owner), device_id, byCommand)),
      );
    }
    const [device] = record.devices;
    const request = { license_key: key, device_id: device?.device_id ?? '', device_name: '', platform: '' };
    const lease = device ? await claims(services.leases.issueOffline(request, byCommand)) : null;
    const onlyIt = lease && { plan: lease.plan, exp: lease.exp, on: whatIsOn(lease.features) };
    const { plan } = record;
    // If no device can get a lease (no owner, or at the limit), only the plan says everything that the license would
    // give.
    const { features, lease_days } = await services.plans.require(plan);
    const ofPlan = validated.valid ? [whatIsOn(features), onlyIt === null ? lease_days : null] : null;
    seen.licenses.set(id, { owner, plan, devices: record.devices.length, told: [record.status, told, onlyIt, ofPlan] });
  }
  return seen;
}

/** Returns the claims of the lease, or `null` if none is issued. */
async function claims(issuing: Promise<{ readonly lease: string }>): Promise<Claims | null> {
  const issued = await issuing.catch(() => null);
  if (issued === null) return null;
  const { plan, exp, features } = JSON.parse(Buffer.from(issued.lease.split('.')[1] ?? '', 'base64url').toString());
  return { plan, exp, features };
}

function whatIsOn(features: Readonly<Record<string, unknown>> | undefined): unknown {
  return features && [features.max_devices, ...namesOf(features).filter((name) => isOn(features, name))];
}

async function limitsOf({ services }: Server): Promise<ReadonlyMap<string, number>> {
  return new Map((await services.plans.list()).map(({ name, max_devices }) => [name, max_devices]));
}

function overLimit(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  { licenses }: Seen,
): number {
  return [...licenses.values()].filter(({ plan, devices }) => {
    const limit = after.get(plan) ?? 0;
    return limit !== before.get(plan) && devices > limit;
  }).length;
}

function differences(before: Seen, after: Seen, over_limit: number): PolicyPreview {
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  const changedAccounts = new Set<string | null>();
  for (const [id, status] of before.accounts) if (differs(status, after.accounts.get(id))) changedAccounts.add(id);
  const licenses = [...before.licenses].filter(([id, { told }]) => differs(told, after.licenses.get(id)?.told));
  for (const [, { owner }] of licenses) changedAccounts.add(owner);
  const [lose, gain]: [Record<string, number>, Record<string, number>] = [{}, {}];
  let devices = 0;
  for (const [device, lease] of before.devices) {
    const next = after.devices.get(device) ?? null;
    const terms = (one: Claims | null) => one && [one.plan, one.exp, whatIsOn(one.features)];
    if (!differs(terms(lease), terms(next))) continue;
    devices += 1;
    changedAccounts.add(device.split(' ')[0] ?? '');
    const [had, has] = [lease?.features ?? {}, next?.features ?? {}];
    for (const name of new Set([...namesOf(had), ...namesOf(has)])) {
      if (isOn(had, name) && !isOn(has, name)) lose[name] = (Object.hasOwn(lose, name) ? Number(lose[name]) : 0) + 1;
      if (!isOn(had, name) && isOn(has, name)) gain[name] = (Object.hasOwn(gain, name) ? Number(gain[name]) : 0) + 1;
    }
  }
  changedAccounts.delete(null);
  return {
    would_change: { accounts: changedAccounts.size, licenses: licenses.length, devices },
    lose,
    gain,
    over_limit,
  };
}
