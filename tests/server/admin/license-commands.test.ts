/** `admin license`: issued licenses can be activated, and changes by an admin apply at once. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasValidCheckCharacter, normalizeLicenseKey } from '../../../shared/formats/license-key.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { licenseKey, licensePreview, uuid } from '../../harness/response-shapes.ts';
import { expectDocument, expectFailure } from '../../harness/test-admin.ts';
import type { Json } from '../../harness/test-server.ts';
import { activate, issueLicense, newDeviceId, newEmail, signUp, subscriber } from '../../harness/users.ts';

const server = sharedHttpServer();

const licenseFields = { id: uuid, key_preview: licensePreview, status: 'active', activations: 0 };

describe('license issue', () => {
  it('prints the key and the license, by default unassigned and on the standard plan', async () => {
    const issued = expectDocument(await server.run(['license', 'issue', '--json']));
    expect(Object.keys(issued).sort()).toStrictEqual(['license', 'license_key']);
    expect(issued).toMatchObject({
      license_key: licenseKey,
      license: { ...licenseFields, plan: 'standard', max_activations: 3, email: null, expires_at: null },
    });
  });

  it('uses the plan of the owner if there is an owner', async () => {
    const { id, email } = await subscriber(server, 'advanced');
    const words = ['license', 'issue', '--email', email.toUpperCase(), '--with-subscription'];
    expect(await server.admin(...words)).toMatchObject({
      license: {
        user_id: id,
        email,
        plan: 'advanced',
        status: 'active',
        activations: 0,
        max_activations: 10,
        with_subscription: true,
      },
    });
  });

  it('uses the standard plan for an owner without a subscription', async () => {
    const { email } = await signUp(server);
    expect(await server.admin('license', 'issue', '--email', email)).toMatchObject({
      license: { plan: 'standard', email, with_subscription: false },
    });
  });

  it('uses the given plan, number of devices and expiry, whether past or future', async () => {
    const parameters = ['--plan', 'free', '--max-activations', '25', '--expires-at', '2019-12-31T00:00:00Z'];
    expect(await server.admin('license', 'issue', ...parameters)).toMatchObject({
      license: {
        plan: 'free',
        max_activations: 25,
        status: 'expired',
        activations: 0,
        expires_at: '2019-12-31T00:00:00.000Z',
      },
    });
    const future = ['license', 'issue', '--expires-at', '2094-05-06'];
    expect(await server.admin(...future)).toMatchObject({
      license: { status: 'active', expires_at: '2094-05-06T00:00:00.000Z' },
    });
  });

  it('never issues the same key twice, and no list shows the key', async () => {
    const [one, other] = [await issueLicense(server), await issueLicense(server)];
    expect(one.key).not.toBe(other.key);
    const { stdout } = await server.run(['license', 'list', '--json']);
    expect(stdout).not.toContain(one.key);
  });

  it('prints a well-formed key and its preview', async () => {
    const { key, license } = await issueLicense(server);
    expect(normalizeLicenseKey(key)).toBe(key);
    expect(hasValidCheckCharacter(key)).toBe(true);
    expect(license.key_preview).toBe(`${key.slice(0, 8)}...${key.slice(-4)}`);
    const { stdout } = await server.run(['license', 'issue']);
    expect(stdout).toMatch(/^license key {2}SVC(-\w{4}){4}\n/);
  });

  it('fails for an owner or a plan that does not exist', async () => {
    expectFailure(await server.run(['license', 'issue', '--email', newEmail(), '--json']), 'USER_NOT_FOUND');
    expectFailure(await server.run(['license', 'issue', '--plan', 'platinum', '--json']), 'NOT_FOUND');
  });
});

describe('license list', () => {
  it('is an array of all licenses, or of those of one account', async () => {
    const { email } = await signUp(server);
    const { id } = await issueLicense(server, '--email', email);
    const other = await issueLicense(server);
    const own = expectDocument<Json[]>(await server.run(['license', 'list', '--email', email, '--json']));
    expect(own).toMatchObject([{ ...licenseFields, id }]);
    const ids = expectDocument<Json[]>(await server.run(['license', 'list', '--json'])).map((each) => each.id);
    expect(ids).toEqual(expect.arrayContaining([id, other.id]));
  });

  it('shows the devices on which a license is active', async () => {
    const user = await signUp(server);
    const { id, key } = await issueLicense(server);
    const { deviceId: device_id } = await activate(server, user, key);
    expect(await server.admin('license', 'list', '--email', user.email)).toMatchObject([
      { id, activations: 1, devices: [{ device_id, device_name: 'Office computer', platform: 'linux' }] },
    ]);
  });

  it('does not include licenses of a deleted account', async () => {
    const { email } = await signUp(server);
    const { id } = await issueLicense(server, '--email', email);
    await server.admin('user', 'delete', email);
    expect(await server.admin('license', 'list')).not.toContainEqual(expect.objectContaining({ id }));
  });

  it('is an empty array for an account without licenses', async () => {
    const { email } = await signUp(server);
    expect(expectDocument(await server.run(['license', 'list', '--email', email, '--json']))).toStrictEqual([]);
  });
});

describe('license set', () => {
  it.each(['inactive', 'revoked', 'expired', 'active'])('sets the status %s and prints the license', async (status) => {
    const { id } = await issueLicense(server);
    const printed = expectDocument(await server.run(['license', 'set', id, '--status', status, '--json']));
    expect(printed).toMatchObject({ ...licenseFields, id, status });
  });

  it.each([
    ['revoked', { valid: false, code: 'LICENSE_REVOKED' }],
    ['expired', { valid: false, code: 'LICENSE_EXPIRED' }],
    ['inactive', { valid: false, code: 'LICENSE_INACTIVE' }],
    ['active', { valid: true, already_activated_on_device: true }],
  ])('to %s applies to the running server at once', async (status, expected) => {
    const user = await signUp(server);
    const { id, key } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    await server.admin('license', 'set', id, '--status', status);
    const body = { license_key: key, device_id: deviceId };
    expect((await server.call('validateLicense', { token: user.token, body })).body).toMatchObject(expected);
  });

  it('sets and removes the date until which new versions are included', async () => {
    const { id } = await issueLicense(server);
    for (const [time, updates_until] of [
      ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
      ['none', null],
    ] as const) {
      const printed = await server.run(['license', 'set', id, '--updates-until', time, '--json']);
      expect(expectDocument(printed)).toMatchObject({ ...licenseFields, id, updates_until });
    }
  });

  it('fails with NOT_FOUND for an id that does not exist', async () => {
    for (const id of [randomUUID(), 'rubbish']) {
      expectFailure(await server.run(['license', 'set', id, '--status', 'active', '--json']), 'NOT_FOUND');
      expectFailure(await server.run(['license', 'set', id, '--updates-until', 'none', '--json']), 'NOT_FOUND');
    }
  });
});

describe('license release', () => {
  it('releases a device and prints the license', async () => {
    const user = await signUp(server);
    const { id, key } = await issueLicense(server, '--email', user.email, '--max-activations', '1');
    const { deviceId } = await activate(server, user, key);
    const printed = expectDocument(await server.run(['license', 'release', id, deviceId, '--json']));
    expect(printed).toMatchObject({ ...licenseFields, id, max_activations: 1, devices: [] });
    expect((await activate(server, user, key)).response.body).toMatchObject({ success: true, activations: 1 });
  });

  it('fails for a device that is not active on the license, and for an unknown license', async () => {
    const { id } = await issueLicense(server);
    expectFailure(await server.run(['license', 'release', id, newDeviceId(), '--json']), 'NOT_FOUND');
    const nowhere = await server.run(['license', 'release', randomUUID(), newDeviceId(), '--json']);
    expectFailure(nowhere, 'NOT_FOUND');
  });
});
