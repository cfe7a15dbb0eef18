/** `POST /license/activate`: new, repeated and replacing activations, and every reason for an error. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { envelope, sentence, uuid } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import {
  activate,
  type IssuedLicense,
  isoFromNow,
  issueLicense,
  newDeviceId,
  signUp,
  subscribe,
  subscriber,
  type User,
} from '../../harness/users.ts';

const server = sharedApp();
let user: User;

beforeAll(async () => {
  user = await subscriber(server);
});

function activateWith(owner: User, body: Readonly<Record<string, unknown>>) {
  return server.call('activateLicense', { token: owner.token, body: { device_id: newDeviceId(), ...body } });
}

async function devicesOf(owner: User): Promise<readonly Record<string, unknown>[]> {
  const { body } = await server.call('listActivations', { token: owner.token });
  return body.activations as Record<string, unknown>[];
}

/** Issues a license for one device and activates it on one. */
async function fullLicense(owner: User): Promise<IssuedLicense & { deviceId: string; activationId: string }> {
  const issued = await issueLicense(server, '--email', owner.email, '--max-activations', '1');
  return { ...issued, ...(await activate(server, owner, issued.key)) };
}

describe('an activation', () => {
  it('responds with 200 and exactly the documented fields', async () => {
    const { key } = await issueLicense(server, '--email', user.email);
    const { response } = await activate(server, user, key);
    expect(response.status).toBe(200);
    expect(response.body).toStrictEqual({
      success: true,
      activation_id: uuid,
      activations: 1,
      max_activations: 3,
      message: sentence,
    });
  });

  it('counts each device once, up to the device limit', async () => {
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '3');
    for (const activations of [1, 2, 3]) {
      expect((await activate(server, user, key)).response.body).toMatchObject({ activations, max_activations: 3 });
    }
    const rejected = await activateWith(user, { license_key: key });
    expect(rejected.status).toBe(409);
    expect(rejected.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
  });

  it('changes nothing if it fails', async () => {
    const { key, deviceId } = await fullLicense(user);
    await activateWith(user, { license_key: key });
    const body = { license_key: key, device_id: deviceId };
    const { body: result } = await server.call('validateLicense', { token: user.token, body });
    expect(result).toMatchObject({ activations: 1, max_activations: 1, already_activated_on_device: true });
  });

  it('requires neither device_name nor platform', async () => {
    const owner = await signUp(server);
    const { key } = await issueLicense(server, '--email', owner.email);
    expect((await activateWith(owner, { license_key: key })).status).toBe(200);
    expect((await devicesOf(owner))[0]).toMatchObject({ device_name: '', platform: '' });
  });

  it.each([
    ['device_name', 'Zoë’s 🖥️ «Office computer»'],
    ['device_name', 'x'.repeat(200)],
    ['platform', '<script>'],
    ['platform', 'x'.repeat(200)],
  ])('stores the %s %j unchanged', async (name, value) => {
    const owner = await signUp(server);
    const { key } = await issueLicense(server, '--email', owner.email);
    expect((await activateWith(owner, { license_key: key, [name]: value })).status).toBe(200);
    expect((await devicesOf(owner))[0]).toMatchObject({ [name]: value });
  });

  it.each(['device_name', 'platform'])('answers VALIDATION_ERROR if %s has more than 200 characters', async (name) => {
    const { key } = await issueLicense(server, '--email', user.email);
    const { status, body } = await activateWith(user, { license_key: key, [name]: 'x'.repeat(201) });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('accepts a carelessly typed key', async () => {
    const { key } = await issueLicense(server, '--email', user.email);
    const typed = ` ${key.toLowerCase().replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l')} `;
    expect((await activateWith(user, { license_key: typed })).body).toMatchObject({ success: true });
  });

  it('also works on a device that other accounts use', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const [first, second] = [
      await issueLicense(server, '--email', one.email),
      await issueLicense(server, '--email', other.email),
    ];
    const shared = newDeviceId();
    expect((await activate(server, one, first.key, shared)).response.body).toMatchObject({ activations: 1 });
    expect((await activate(server, other, second.key, shared)).response.body).toMatchObject({ activations: 1 });
  });

  it('counts once if one device sends it ten times at once', async () => {
    const { key } = await issueLicense(server, '--email', user.email);
    const deviceId = newDeviceId();
    const all = await Promise.all(Array.from({ length: 10 }, () => activate(server, user, key, deviceId)));
    expect(new Set(all.map(({ activationId }) => activationId)).size).toBe(1);
    expect(all.map(({ response }) => response.body.activations)).toStrictEqual(Array.from({ length: 10 }, () => 1));
  });
});

describe('on a device that is already active', () => {
  it('activation returns the existing activation and does not count again', async () => {
    const { key } = await issueLicense(server, '--email', user.email);
    const first = await activate(server, user, key);
    const second = await activate(server, user, key, first.deviceId);
    expect(second.response.body).toStrictEqual({
      success: true,
      activation_id: first.activationId,
      activations: 1,
      max_activations: 3,
      message: sentence,
    });
  });

  it('activation succeeds although the license is full', async () => {
    const { key, deviceId, activationId } = await fullLicense(user);
    const again = await activate(server, user, key, deviceId);
    expect(again.response.status).toBe(200);
    expect(again.response.body).toMatchObject({ activation_id: activationId, activations: 1, max_activations: 1 });
  });

  it('activation updates the name and platform, and keeps them if none are sent', async () => {
    const owner = await signUp(server);
    const { key } = await issueLicense(server, '--email', owner.email);
    const { deviceId } = await activate(server, owner, key);
    await activateWith(owner, { license_key: key, device_id: deviceId, device_name: 'Laptop', platform: 'darwin' });
    const renamed = { device_id: deviceId, device_name: 'Laptop', platform: 'darwin' };
    expect(await devicesOf(owner)).toMatchObject([renamed]);
    await activateWith(owner, { license_key: key, device_id: deviceId });
    expect(await devicesOf(owner)).toMatchObject([renamed]);
  });
});

describe('activation with replaces', () => {
  it('swaps one device for another on a full license in one step', async () => {
    const owner = await signUp(server);
    const { key, activationId } = await fullLicense(owner);
    const deviceId = newDeviceId();
    const { status, body } = await activateWith(owner, {
      license_key: key,
      device_id: deviceId,
      replaces: activationId,
    });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      success: true,
      activation_id: uuid,
      activations: 1,
      max_activations: 1,
      message: sentence,
    });
    expect(body.activation_id).not.toBe(activationId);
    expect(await devicesOf(owner)).toMatchObject([{ device_id: deviceId }]);
  });

  it('deactivates the replaced device', async () => {
    const { key, deviceId, activationId } = await fullLicense(user);
    await activateWith(user, { license_key: key, replaces: activationId });
    const body = { license_key: key, device_id: deviceId };
    const { body: result } = await server.call('validateLicense', { token: user.token, body });
    expect(result).toMatchObject({ already_activated_on_device: false, can_activate: false });
  });

  it('releases the replaced device even if the license is not full', async () => {
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '3');
    const { activationId } = await activate(server, user, key);
    const { body } = await activateWith(user, { license_key: key, replaces: activationId });
    expect(body).toMatchObject({ activations: 1, max_activations: 3 });
  });

  it.each([
    ['does not exist', async () => randomUUID()],
    ['is not an id', async () => 'rubbish'],
    ['is empty', async () => ''],
    ['belongs to another license of the account', async () => (await fullLicense(user)).activationId],
    ['belongs to another account', async () => (await fullLicense(await signUp(server))).activationId],
  ])('answers NOT_FOUND and changes nothing if the activation to replace %s', async (_, other) => {
    const { key, deviceId } = await fullLicense(user);
    const { status, body } = await activateWith(user, { license_key: key, replaces: await other() });
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
    const { body: result } = await server.call('validateLicense', {
      token: user.token,
      body: { license_key: key, device_id: deviceId },
    });
    expect(result).toMatchObject({ activations: 1, already_activated_on_device: true });
  });

  it('succeeds for only one of three concurrent swaps of the same device', async () => {
    const owner = await signUp(server);
    const { key, activationId } = await fullLicense(owner);
    const swap = () => activateWith(owner, { license_key: key, replaces: activationId });
    const statuses = (await Promise.all([swap(), swap(), swap()])).map(({ status }) => status);
    expect(statuses.sort()).toStrictEqual([200, 404, 404]);
    expect(await devicesOf(owner)).toHaveLength(1);
  });

  it('returns the same activation to a retry after a lost response', async () => {
    const { key, activationId } = await fullLicense(user);
    const body = { license_key: key, device_id: newDeviceId(), replaces: activationId };
    const first = await activateWith(user, body);
    const retry = await activateWith(user, body);
    expect(retry.body).toMatchObject({ success: true, activation_id: first.body.activation_id, activations: 1 });
  });

  it('releases nothing if the license would still be full', async () => {
    const owner = await signUp(server);
    const { key, id } = await issueLicense(server, '--email', owner.email, '--max-activations', '2');
    const { activationId } = await activate(server, owner, key);
    await activate(server, owner, key);
    await server.database.write((transaction) =>
      transaction.updateTable('licenses').set({ max_activations: 1 }).where('id', '=', id).execute(),
    );
    const { body } = await activateWith(owner, { license_key: key, replaces: activationId });
    expect(body.code).toBe('MAX_ACTIVATIONS_REACHED');
    expect(await devicesOf(owner)).toHaveLength(2);
  });
});

describe('an unassigned license', () => {
  it('belongs to the first account that activates it', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const { key } = await issueLicense(server, '--plan', 'standard');
    expect((await activate(server, one, key)).response.body).toMatchObject({ activations: 1, max_activations: 3 });
    const late = await activate(server, other, key);
    expect(late.response.status).toBe(404);
    expect(late.response.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
  });

  it('can be activated by only one of ten accounts that try at once', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => signUp(server)));
    const { key } = await issueLicense(server, '--plan', 'advanced');
    const responses = await Promise.all(users.map((one) => activate(server, one, key)));
    expect(responses.filter(({ response }) => response.status === 200)).toHaveLength(1);
    expect(responses.filter(({ response }) => response.body.code === 'LICENSE_NOT_FOUND')).toHaveLength(9);
  });

  it('is not claimed by a failed activation', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const { key, id } = await issueLicense(server);
    await server.admin('license', 'set', id, '--status', 'inactive');
    expect((await activate(server, one, key)).response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    await server.admin('license', 'set', id, '--status', 'active');
    expect((await activate(server, other, key)).response.status).toBe(200);
  });
});

describe('a key that does not exist', () => {
  it.each(['', 'license', 'SVC-0000-0000-0000-0000', 'SVC-UUUU-UUUU-UUUU-UUUU', "' OR 1=1 --", 'SVC-\u0000', '\ud800'])(
    'answers LICENSE_NOT_FOUND: %j',
    async (key) => {
      const { status, body } = await activateWith(user, { license_key: key });
      expect(status).toBe(404);
      expect(body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    },
  );

  it('answers LICENSE_NOT_FOUND if it belongs to another account', async () => {
    const { key } = await issueLicense(server, '--email', user.email);
    const { response } = await activate(server, await signUp(server), key);
    expect(response.status).toBe(404);
    expect(response.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
  });
});

describe('a license that is not active', () => {
  it.each(['revoked', 'expired', 'inactive'])(
    'answers LICENSE_INACTIVE if its status was set to %s',
    async (status) => {
      const { key, id } = await issueLicense(server, '--email', user.email);
      await server.admin('license', 'set', id, '--status', status);
      const { response } = await activate(server, user, key);
      expect(response.status).toBe(403);
      expect(response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    },
  );

  it('answers LICENSE_INACTIVE once its own end has passed', async () => {
    const { key } = await issueLicense(server, '--email', user.email, '--expires-at', isoFromNow(server, -1000));
    expect((await activate(server, user, key)).response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('answers LICENSE_INACTIVE even on a device on which it was active', async () => {
    const { key, id } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    await server.admin('license', 'set', id, '--status', 'revoked');
    const again = await activate(server, user, key, deviceId);
    expect(again.response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('answers LICENSE_INACTIVE rather than that it is full if both are true', async () => {
    const { key, id } = await fullLicense(user);
    await server.admin('license', 'set', id, '--status', 'inactive');
    expect((await activate(server, user, key)).response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('answers LICENSE_INACTIVE after its subscription was canceled, even on a device on which it was active', async () => {
    const owner = await subscriber(server);
    const { key } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    const { deviceId } = await activate(server, owner, key);
    await subscribe(server, owner, 'standard', '--status', 'canceled');
    expect((await activate(server, owner, key, deviceId)).response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('answers LICENSE_INACTIVE until its subscription is active again', async () => {
    const owner = await subscriber(server, 'standard', '--period-end', isoFromNow(server, -1000));
    const { key } = await issueLicense(server, '--email', owner.email, '--with-subscription');
    expect((await activate(server, owner, key)).response.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    await subscribe(server, owner, 'standard');
    expect((await activate(server, owner, key)).response.status).toBe(200);
  });
});

describe('can_activate in a validation', () => {
  it('predicts whether an activation would succeed', async () => {
    const { key, deviceId } = await fullLicense(user);
    for (const device of [deviceId, newDeviceId()]) {
      const body = { license_key: key, device_id: device };
      const { can_activate } = (await server.call('validateLicense', { token: user.token, body })).body;
      expect((await activateWith(user, body)).status === 200).toBe(can_activate);
    }
  });
});
