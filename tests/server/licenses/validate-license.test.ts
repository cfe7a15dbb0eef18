/** `POST /license/validate`: the response always says whether the license is valid, and if not, why. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { day, minute, second } from '../../harness/fake-clock.ts';
import { invalid } from '../../harness/response-shapes.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import {
  activate,
  isoFromNow,
  issueLicense,
  newDeviceId,
  signUp,
  subscribe,
  subscriber,
  type User,
} from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
let user: User;
let key: string;
const deviceId = newDeviceId();

beforeAll(async () => {
  user = await subscriber(server);
  ({ key } = await issueLicense(server, '--email', user.email));
  await activate(server, user, key, deviceId);
});

async function validate(asking: User, licenseKey: string, device = newDeviceId()) {
  const body = { license_key: licenseKey, device_id: device };
  const response = await server.call('validateLicense', { token: asking.token, body });
  expect(response.status).toBe(200);
  return response.body;
}

describe('a valid license', () => {
  it('is described by exactly the fields of the interface, for a device that is not active', async () => {
    expect(await validate(user, key)).toStrictEqual({
      valid: true,
      plan: 'standard',
      status: 'active',
      activations: 1,
      max_activations: 3,
      can_activate: true,
      already_activated_on_device: false,
      features: {
        real_time_visualization: true,
        osc_lsl_streaming: true,
        csv_export: true,
        api_access: true,
        max_devices: 3,
      },
    });
  });

  it('is reported as active on the device that was activated', async () => {
    expect(await validate(user, key, deviceId)).toMatchObject({
      valid: true,
      activations: 1,
      can_activate: true,
      already_activated_on_device: true,
    });
  });

  it('is not activated by being validated', async () => {
    await validate(user, key);
    await validate(user, key);
    expect(await validate(user, key)).toMatchObject({ activations: 1 });
  });

  it('with all its devices in use can be activated on those devices, and on no others', async () => {
    const full = await issueLicense(server, '--email', user.email, '--max-activations', '1');
    const { deviceId: active } = await activate(server, user, full.key);
    expect(await validate(user, full.key, active)).toMatchObject({
      valid: true,
      activations: 1,
      max_activations: 1,
      can_activate: true,
      already_activated_on_device: true,
    });
    expect(await validate(user, full.key)).toMatchObject({
      valid: true,
      can_activate: false,
      already_activated_on_device: false,
    });
  });

  it('records when an active device was last seen, and nothing for another device', async () => {
    const owner = await signUp(server);
    const issued = await issueLicense(server, '--email', owner.email);
    const { deviceId: active } = await activate(server, owner, issued.key);
    const lastSeen = async () => (await server.services.activations.list(owner.id)).activations[0]?.last_seen_at;
    const before = await lastSeen();
    server.clock.advance(day);
    await validate(owner, issued.key);
    expect(await lastSeen()).toBe(before);
    await validate(owner, issued.key, active);
    expect(await lastSeen()).toBe(isoFromNow(server, 0));
  });

  it('is valid on an active device even while the use of the device cannot be recorded', async () => {
    const app = await startTestApp();
    const owner = await signUp(app);
    const issued = await issueLicense(app, '--email', owner.email);
    const { deviceId: active } = await activate(app, owner, issued.key);
    app.clock.advance(2 * minute);
    const other = new DatabaseSync(join(app.dataFolder, 'latchkey.db'));
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    // The database makes no progress, so later writes are refused at once.
    const waiting = app.call('login', { body: { email: owner.email, password: owner.password } });
    await expect.poll(() => app.database.writeStatistics.waiting).toBe(1);
    app.clock.advance(6 * second);
    const body = { license_key: issued.key, device_id: active };
    const response = await app.call('validateLicense', { token: owner.token, body });
    expect(response.body).toMatchObject({ valid: true, already_activated_on_device: true });
    other.exec('rollback');
    await waiting;
  });

  it('has its own number of activations, while max_devices comes from the plan', async () => {
    const wide = await issueLicense(server, '--email', user.email, '--plan', 'free', '--max-activations', '7');
    expect(await validate(user, wide.key)).toMatchObject({
      plan: 'free',
      max_activations: 7,
      features: { osc_lsl_streaming: false, csv_export: false, api_access: false, max_devices: 1 },
    });
  });

  it('that is unassigned is valid for every account and stays unassigned', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const { key: unassigned, id } = await issueLicense(server, '--plan', 'advanced');
    expect(await validate(one, unassigned)).toMatchObject({ valid: true, can_activate: true, max_activations: 10 });
    expect(await validate(other, unassigned)).toMatchObject({ valid: true, can_activate: true });
    expect(await server.admin('license', 'list')).toContainEqual(expect.objectContaining({ id, email: null }));
  });

  it('does not depend on the subscription, whose end changes nothing', async () => {
    const alone = await subscriber(server, 'standard', '--status', 'canceled');
    const { key: own } = await issueLicense(server, '--email', alone.email, '--plan', 'advanced');
    expect(await validate(alone, own)).toMatchObject({ valid: true, plan: 'advanced' });
  });

  it('with an expiry in the future is valid until then', async () => {
    const { key: ending } = await issueLicense(
      server,
      '--email',
      user.email,
      '--expires-at',
      isoFromNow(server, 3_600_000),
    );
    expect(await validate(user, ending)).toMatchObject({ valid: true, status: 'active' });
  });
});

describe('a carelessly typed key', () => {
  const spellings: readonly (readonly [string, (key: string) => string])[] = [
    ['in lower case', (text) => text.toLowerCase()],
    ['without hyphens', (text) => text.replaceAll('-', '')],
    ['with spaces for hyphens', (text) => text.replaceAll('-', ' ')],
    ['with spaces around it', (text) => `  ${text}\n`],
    ['with O for 0', (text) => text.slice(0, 4) + text.slice(4).replaceAll('0', 'O')],
    ['with l and I for 1', (text) => text.slice(0, 4) + text.slice(4).replace('1', 'l').replaceAll('1', 'I')],
    ['in mixed case without hyphens', (text) => text.replaceAll('-', '').toLowerCase().replace('svc', 'Svc')],
  ];

  it.each(spellings)('is accepted %s', async (_, spell) => {
    expect(await validate(user, spell(key), deviceId)).toMatchObject({
      valid: true,
      already_activated_on_device: true,
    });
  });
});

describe('a key that does not exist', () => {
  const keys: readonly (readonly [string, () => string])[] = [
    ['is empty', () => ''],
    ['is a word', () => 'license'],
    ['is too short', () => key.slice(0, -5)],
    ['is too long', () => `${key}-AAAA`],
    ['has another prefix', () => key.replace('SVC', 'ABC')],
    ['has a letter that is in no key', () => `SVC-UUUU${key.slice(8)}`],
    ['has the right shape but was never issued', () => 'SVC-0000-0000-0000-0000'],
    ['differs in its check character', () => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')],
    ['differs in one character', () => key.replace(/^SVC-(.)/, (_, first) => `SVC-${first === 'A' ? 'B' : 'A'}`)],
    ['is a preview', () => `${key.slice(0, 8)}...${key.slice(-4)}`],
    ['holds SQL', () => "SVC-' OR '1'='1"],
    ['holds a NUL', () => `${key}\u0000`],
    ['has a lone surrogate', () => `${key}\ud800`],
    ['has ten thousand characters', () => 'A'.repeat(10_000)],
    ['has as many characters as fit in a body', () => 'S'.repeat(60_000)],
    ['is nineteen NULs', () => '\0'.repeat(19)],
    ['has full-width letters', () => key.replace('SVC', 'ＳＶＣ')],
  ];

  it.each(keys)('gets LICENSE_NOT_FOUND if it %s', async (_, spell) => {
    expect(await validate(user, spell())).toStrictEqual(invalid('LICENSE_NOT_FOUND'));
  });

  it('gets LICENSE_NOT_FOUND if it belongs to another account', async () => {
    expect(await validate(await signUp(server), key)).toStrictEqual(invalid('LICENSE_NOT_FOUND'));
  });

  it('gets LICENSE_NOT_FOUND for everybody else once it has been claimed', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const { key: unassigned } = await issueLicense(server);
    await activate(server, one, unassigned);
    expect(await validate(one, unassigned)).toMatchObject({ valid: true, activations: 1 });
    expect(await validate(other, unassigned)).toStrictEqual(invalid('LICENSE_NOT_FOUND'));
  });
});

describe('a license that is not valid', () => {
  it.each([
    ['revoked', 'LICENSE_REVOKED'],
    ['expired', 'LICENSE_EXPIRED'],
    ['inactive', 'LICENSE_INACTIVE'],
  ])('because it was set to %s gets %s', async (status, code) => {
    const issued = await issueLicense(server, '--email', user.email);
    await server.admin('license', 'set', issued.id, '--status', status);
    expect(await validate(user, issued.key)).toStrictEqual(invalid(code));
  });

  it('because it has expired gets LICENSE_EXPIRED', async () => {
    const issued = await issueLicense(server, '--email', user.email, '--expires-at', isoFromNow(server, -1000));
    expect(await validate(user, issued.key)).toStrictEqual(invalid('LICENSE_EXPIRED'));
  });

  it('is valid again once it was set to active', async () => {
    const issued = await issueLicense(server, '--email', user.email);
    await server.admin('license', 'set', issued.id, '--status', 'inactive');
    await server.admin('license', 'set', issued.id, '--status', 'active');
    expect(await validate(user, issued.key)).toMatchObject({ valid: true, status: 'active' });
  });

  it('gets the same answer on a device where it is active', async () => {
    const issued = await issueLicense(server, '--email', user.email);
    const { deviceId: active } = await activate(server, user, issued.key);
    await server.admin('license', 'set', issued.id, '--status', 'revoked');
    expect(await validate(user, issued.key, active)).toStrictEqual(invalid('LICENSE_REVOKED'));
  });
});

describe('a license tied to a subscription', () => {
  it.each(['trialing', 'active', 'past_due'])('is valid while the subscription is %s', async (status) => {
    const owner = await subscriber(server, 'standard', '--status', status);
    const { key: tied } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    expect(await validate(owner, tied)).toMatchObject({ valid: true, status: 'active' });
  });

  it.each(['canceled', 'expired'])('gets SUBSCRIPTION_INACTIVE while the subscription is %s', async (status) => {
    const owner = await subscriber(server, 'standard', '--status', status);
    const { key: tied } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    expect(await validate(owner, tied)).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
  });

  it('gets SUBSCRIPTION_INACTIVE once the period has ended, and is valid again after a renewal', async () => {
    const owner = await subscriber(server, 'standard', '--period-end', isoFromNow(server, -1000));
    const { key: tied } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    expect(await validate(owner, tied)).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
    await subscribe(server, owner, 'standard');
    expect(await validate(owner, tied)).toMatchObject({ valid: true });
  });

  it('gets SUBSCRIPTION_INACTIVE as soon as the period ends, without any job having to run', async () => {
    const owner = await subscriber(server, 'standard', '--period-end', isoFromNow(server, day));
    const { key: tied } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    const { key: alone } = await issueLicense(server, '--email', owner.email);
    server.clock.advance(day - 1);
    expect(await validate(owner, tied)).toMatchObject({ valid: true });
    server.clock.advance(1);
    expect(await validate(owner, tied)).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
    expect(await validate(owner, alone)).toMatchObject({ valid: true });
  });

  it('gets SUBSCRIPTION_INACTIVE if the owner has no subscription', async () => {
    const owner = await signUp(server);
    const { key: tied } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    expect(await validate(owner, tied)).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
  });
});

describe('when several problems apply', () => {
  it('the most permanent one is reported: not found, revoked, expired, inactive, then the subscription', async () => {
    const owner = await subscriber(server, 'standard', '--status', 'canceled');
    const end = ['--expires-at', isoFromNow(server, day)];
    const issued = await issueLicense(server, '--email', owner.email, '--with-subscription', ...end);
    expect(await validate(owner, issued.key)).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
    await server.admin('license', 'set', issued.id, '--status', 'inactive');
    expect(await validate(owner, issued.key)).toStrictEqual(invalid('LICENSE_INACTIVE'));
    server.clock.advance(day);
    expect(await validate(owner, issued.key)).toStrictEqual(invalid('LICENSE_EXPIRED'));
    await server.admin('license', 'set', issued.id, '--status', 'revoked');
    expect(await validate(owner, issued.key)).toStrictEqual(invalid('LICENSE_REVOKED'));
    expect(await validate(await signUp(server), issued.key)).toStrictEqual(invalid('LICENSE_NOT_FOUND'));
  });
});
