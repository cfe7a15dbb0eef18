/** Leases over HTTP: who gets one, how long it lasts, and that the published keys are enough to verify it. */
import { describe, expect, it } from 'vitest';
import { verifyLease } from '../../../shared/lease.ts';
import { day, hour } from '../../harness/fake-clock.ts';
import { envelope, standardFeatures, timestamp, uuid } from '../../harness/response-shapes.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, isoFromNow, issueLicense, newDeviceId, signUp, subscribe, subscriber } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '900d' });

const readPart = (lease: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(lease.split('.')[part] ?? '', 'base64url').toString());

/** Signs up an account and activates a device on a license issued with these options. */
async function activatedDevice(on: TestApp, ...words: string[]) {
  const user = await subscriber(on);
  const { key, id } = await issueLicense(on, '--email', user.email, ...words);
  const { deviceId, activationId } = await activate(on, user, key);
  const lease = () => on.call('lease', { token: user.token, body: { device_id: deviceId } });
  return { user, key, id, deviceId, activationId, lease };
}

async function expiryOf({ lease }: Awaited<ReturnType<typeof activatedDevice>>): Promise<number> {
  const response = await lease();
  expect(response.status, response.text).toBe(200);
  return Date.parse(stringIn(response.body, 'expires_at'));
}

async function verify(on: TestApp, lease: string, deviceId: string) {
  const { body: jwks } = await on.request('GET', '/.well-known/jwks.json');
  return verifyLease(lease, { jwks, deviceId, nowMs: on.now(), subtle: crypto.subtle });
}

describe('a lease', () => {
  it('says what the device may do and until when, and is verified with only the published keys', async () => {
    const { user, key, deviceId, lease } = await activatedDevice(server);
    const { status, body } = await lease();
    expect(status).toBe(200);
    expect(body).toStrictEqual({ lease: expect.any(String), renew_after: timestamp, expires_at: timestamp });
    const token = stringIn(body, 'lease');
    expect(readPart(token, 0)).toStrictEqual({ alg: 'EdDSA', typ: 'lease+jwt', kid: uuid });
    const iat = Math.floor(server.now() / 1000);
    const claims = {
      iss: 'license-service',
      aud: 'license-lease',
      sub: user.id,
      jti: uuid,
      iat,
      renew_after: iat + 7 * 86_400,
      exp: iat + 14 * 86_400,
      device_id: deviceId,
      license: `${key.slice(0, 8)}...${key.slice(-4)}`,
      plan: 'standard',
      features: standardFeatures,
    };
    expect(readPart(token, 1)).toStrictEqual(claims);
    expect(body.renew_after).toBe(new Date(claims.renew_after * 1000).toISOString());
    expect(body.expires_at).toBe(new Date(claims.exp * 1000).toISOString());
    expect(await verify(server, token, deviceId)).toMatchObject({ valid: true, claims });
    expect(await verify(server, token, newDeviceId())).toStrictEqual({ valid: false, problem: 'other_device' });
  });

  it('lasts as long as the plan says, or otherwise the setting', async () => {
    const quick = await startTestApp({ LATCHKEY_LEASE_TTL: '3d' });
    const device = await activatedDevice(quick);
    const nowMs = Math.floor(quick.now() / 1000) * 1000;
    expect(await expiryOf(device)).toBe(nowMs + 3 * day);
    expect(await quick.admin('plan', 'set', 'standard', '--lease-days', '60')).toMatchObject({ lease_days: 60 });
    expect(await expiryOf(device)).toBe(nowMs + 60 * day);
    expect(await quick.admin('plan', 'set', 'standard', '--lease-days', 'default')).toMatchObject({ lease_days: null });
    expect(await expiryOf(device)).toBe(nowMs + 3 * day);
  });

  it('never outlasts its license, or the subscription that the license depends on', async () => {
    const ending = await activatedDevice(server, '--expires-at', isoFromNow(server, 2 * day));
    expect(await expiryOf(ending)).toBe(Math.floor((server.now() + 2 * day) / 1000) * 1000);

    const dependent = await activatedDevice(server, '--with-subscription');
    await subscribe(server, dependent.user, 'standard', '--period-end', isoFromNow(server, day));
    expect(await expiryOf(dependent)).toBe(Math.floor((server.now() + day) / 1000) * 1000);
    const { body } = await dependent.lease();
    const { iat, renew_after, exp } = readPart(stringIn(body, 'lease'), 1);
    expect(renew_after - iat).toBe(Math.floor((exp - iat) / 2));

    const independent = await activatedDevice(server);
    await subscribe(server, independent.user, 'standard', '--period-end', isoFromNow(server, day));
    expect(await expiryOf(independent)).toBe(Math.floor((server.now() + 14 * day) / 1000) * 1000);
  });

  it('matches the status after an upgrade and a downgrade if the license follows its subscription', async () => {
    const device = await activatedDevice(server, '--plan', 'standard', '--with-subscription');
    await server.admin('plan', 'set', 'advanced', '--lease-days', '30');
    for (const plan of ['advanced', 'standard', 'free', 'advanced']) {
      await subscribe(server, device.user, plan, '--period-end', isoFromNow(server, 90 * day));
      const { body: status } = await server.call('subscriptionStatus', { token: device.user.token });
      const lease = readPart(stringIn((await device.lease()).body, 'lease'), 1);
      expect(lease.features, plan).toStrictEqual(status.features);
      expect(lease.plan).toBe(plan);
      expect(lease.exp - lease.iat).toBe((plan === 'advanced' ? 30 : 14) * 86_400);
    }
    await server.admin('plan', 'set', 'advanced', '--lease-days', 'default');
  });

  it('has the features of the plan of its license if that is independent', async () => {
    const device = await activatedDevice(server, '--plan', 'standard');
    await subscribe(server, device.user, 'advanced');
    const lease = readPart(stringIn((await device.lease()).body, 'lease'), 1);
    expect(lease).toMatchObject({ plan: 'standard', features: standardFeatures });
  });

  it('says until when its license includes new app versions, which no other response does', async () => {
    const device = await activatedDevice(server, '--updates-until', '2027-01-31T12:00:00Z');
    const others = async () => {
      const { token } = device.user;
      const body = { license_key: device.key, device_id: device.deviceId };
      const answers = [
        await server.call('validateLicense', { token, body }),
        await server.call('subscriptionStatus', { token }),
        await server.call('activateLicense', { token, body }),
      ];
      return answers.map(({ text }) => text);
    };
    const before = await others();
    const claims = async () => readPart(stringIn((await device.lease()).body, 'lease'), 1);
    expect(await claims()).toMatchObject({ updates_until: Date.UTC(2027, 0, 31, 12) / 1000 });
    // Seconds since 1970 cannot be negative: the lease would be invalid.
    for (const [date, seconds] of [
      ['1950-01-01', 0],
      ['2030-01-01T00:00:00.999Z', Date.UTC(2030, 0, 1) / 1000],
    ] as const) {
      await server.admin('license', 'set', device.id, '--updates-until', date);
      const lease = stringIn((await device.lease()).body, 'lease');
      expect(await verify(server, lease, device.deviceId)).toMatchObject({
        valid: true,
        claims: { updates_until: seconds },
      });
    }
    await server.admin('license', 'set', device.id, '--updates-until', 'none');
    expect(await claims()).not.toHaveProperty('updates_until');
    expect(await others()).toStrictEqual(before);
  });

  it('is refused if no license of the account is good on the device', async () => {
    const refused = { status: 403, body: envelope('LICENSE_INACTIVE') };
    const device = await activatedDevice(server);
    const other = await signUp(server);
    const leaseOf = (token: string, device_id: string) => server.call('lease', { token, body: { device_id } });
    expect(await leaseOf(device.user.token, newDeviceId())).toMatchObject(refused);
    expect(await leaseOf(other.token, device.deviceId)).toMatchObject(refused);
    for (const status of ['inactive', 'revoked', 'expired']) {
      await server.admin('license', 'set', device.id, '--status', status);
      expect(await device.lease()).toMatchObject(refused);
    }
    await server.admin('license', 'set', device.id, '--status', 'active');
    expect((await device.lease()).status).toBe(200);
    await server.call('releaseActivation', { token: device.user.token, at: device.activationId });
    expect(await device.lease()).toMatchObject(refused);

    const ended = await activatedDevice(server, '--expires-at', isoFromNow(server, hour));
    const unpaid = await activatedDevice(server, '--with-subscription');
    await subscribe(server, unpaid.user, 'standard', '--status', 'canceled');
    server.clock.advance(hour);
    expect(await ended.lease()).toMatchObject(refused);
    expect(await unpaid.lease()).toMatchObject(refused);
  });

  it('is for another good license of the device if the newest is not good', async () => {
    const device = await activatedDevice(server);
    server.clock.advance(1);
    const newest = await issueLicense(server, '--email', device.user.email);
    await activate(server, device.user, newest.key, device.deviceId);
    const licenseOf = async () => readPart(stringIn((await device.lease()).body, 'lease'), 1).license;
    expect(await licenseOf()).toBe(newest.license.key_preview);
    await server.admin('license', 'set', newest.id, '--status', 'revoked');
    expect(await licenseOf()).toBe(`${device.key.slice(0, 8)}...${device.key.slice(-4)}`);
  });

  it('has an entry in the audit log, which does not contain the lease', async () => {
    const device = await activatedDevice(server);
    // Entries that two writers, here the app and the commands, add in the same millisecond have no defined order.
    server.clock.advance(1000);
    const { body } = await device.lease();
    const [entry] = (await server.admin('audit', 'list', '--limit', '1')) as unknown as object[];
    expect(entry).toMatchObject({
      action: 'license.lease',
      actor: device.user.email,
      details: { device_id: device.deviceId, expires_at: body.expires_at },
    });
    expect(JSON.stringify(entry)).not.toContain(stringIn(body, 'lease').slice(0, 20));
  });
});

describe('the published keys', () => {
  it('exist before the first lease, contain nothing secret, and do not make a lease an access token', async () => {
    const fresh = await startTestApp();
    const { status, body, headers } = await fresh.request('GET', '/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const x = expect.stringMatching(/^[\w-]{43}$/);
    expect(body).toStrictEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: uuid, alg: 'EdDSA', use: 'sig' }],
    });
    const { deviceId, lease } = await activatedDevice(fresh);
    const token = stringIn((await lease()).body, 'lease');
    expect(await fresh.call('subscriptionStatus', { token })).toMatchObject({ status: 401 });
    expect((await verify(fresh, token, deviceId)).valid).toBe(true);
    expect(await verify(server, token, deviceId)).toStrictEqual({ valid: false, problem: 'unknown_key' });
  });
});
