/** License administration by staff. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { insertRows } from '../../../server/database/queries.ts';
import { day } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { numberedDeviceId, signUp } from '../../harness/users.ts';

const server = sharedApp();

describe('issuing a license', () => {
  it('shows the key only once, and stores neither the key nor a plain hash of it', async () => {
    const { license_key, license } = await server.services.licenseAdmin.issue({}, byCommand);
    expect(license_key).toMatch(/^SVC(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
    expect(license).toMatchObject({
      plan: 'standard',
      status: 'active',
      activations: 0,
      max_activations: 3,
      email: null,
    });
    const row = await server.database.read
      .selectFrom('licenses')
      .selectAll()
      .where('id', '=', license.id)
      .executeTakeFirst();
    expect(JSON.stringify(row)).not.toContain(license_key);
    expect(row?.key_preview).toBe(`${license_key.slice(0, 8)}...${license_key.slice(-4)}`);
  });

  it('takes the plan of its owner’s subscription, and its number of devices', async () => {
    const { id } = await signUp(server);
    await server.services.subscriptions.set(id, { plan: 'advanced' }, byCommand);
    const { license } = await server.services.licenseAdmin.issue({ userId: id }, byCommand);
    expect(license).toMatchObject({ plan: 'advanced', max_activations: 10, user_id: id, with_subscription: false });
  });

  it('uses the plan as it is after all earlier writes', async () => {
    await server.services.plans.set('changing', { max_devices: 2 }, byCommand);
    const [, { license }] = await Promise.all([
      server.services.plans.set('changing', { max_devices: 7 }, byCommand),
      server.services.licenseAdmin.issue({ plan: 'changing' }, byCommand),
    ]);
    expect(license.max_activations).toBe(7);
  });

  it.each([
    { issue: { withSubscription: true }, code: 'VALIDATION_ERROR' },
    { issue: { expiresAtMs: 9e15 }, code: 'VALIDATION_ERROR' },
    { issue: { plan: 'gold' }, code: 'NOT_FOUND' },
  ])('rejects $issue', async ({ issue, code }) => {
    await expect(server.services.licenseAdmin.issue(issue, byCommand)).rejects.toMatchObject({ code });
  });

  it('accepts a date in the past, with which the license is expired, whatever status is set', async () => {
    const { license } = await server.services.licenseAdmin.issue({ expiresAtMs: server.clock.now() - day }, byCommand);
    expect(license.status).toBe('expired');
    expect(
      (await server.services.licenseChanges.setStatus(license.id, { status: 'active', as: 'owner' }, byCommand)).status,
    ).toBe('expired');
  });
});

describe('the list of licenses', () => {
  it('shows owner and devices, oldest first', async () => {
    const user = await signUp(server);
    const { license_key } = await server.services.licenseAdmin.issue({ userId: user.id }, byCommand);
    server.clock.advance(1000);
    const second = await server.services.licenseAdmin.issue({ userId: user.id }, byCommand);
    await server.services.licenses.activate(
      user.id,
      {
        license_key,
        device_id: numberedDeviceId(1),
        device_name: 'Office computer',
        platform: 'linux',
      },
      byCommand,
    );
    const [first, ...rest] = await server.services.licenseAdmin.list(user.id);
    expect(first).toMatchObject({ email: user.email, activations: 1, devices: [{ device_id: numberedDeviceId(1) }] });
    expect(rest).toStrictEqual([second.license]);
  });
});

describe('a device', () => {
  it('can be removed from a license', async () => {
    const user = await signUp(server);
    const { license, license_key } = await server.services.licenseAdmin.issue({ userId: user.id }, byCommand);
    const call = { license_key, device_id: numberedDeviceId(1), device_name: '', platform: '' };
    await server.services.licenses.activate(user.id, call, byCommand);
    expect(await server.services.licenseAdmin.release(license.id, numberedDeviceId(1), byCommand)).toMatchObject({
      activations: 0,
      devices: [],
    });
    await expect(
      server.services.licenseAdmin.release(license.id, numberedDeviceId(1), byCommand),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

it('lists the licenses of an account that has more of them than a statement can have parameters', async () => {
  const { id: user_id } = await signUp(server);
  const { license } = await server.services.licenseAdmin.issue({ userId: user_id }, byCommand);
  const { read } = server.database;
  const row = await read.selectFrom('licenses').selectAll().where('id', '=', license.id).executeTakeFirstOrThrow();
  const rows = Array.from({ length: 33_000 }, (_, index) => ({
    ...row,
    id: `many-${index}`,
    key_hash: `many-${index}`,
  }));
  await server.database.write((transaction) => insertRows(transaction, 'licenses', rows));
  expect(await server.services.licenseAdmin.list(user_id)).toHaveLength(33_001);
  await server.services.accounts.removeById(user_id, byCommand);
});

it('an unknown id is NOT_FOUND', async () => {
  await expect(
    server.services.licenseChanges.setStatus('x', { status: 'revoked', as: 'owner' }, byCommand),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(server.services.licenseAdmin.release('x', numberedDeviceId(1), byCommand)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
