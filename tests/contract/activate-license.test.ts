/** `POST /license/activate`: who gets a slot, who keeps it, who swaps, and who is refused. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { envelope, sentence, uuid } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import {
  activate,
  type IssuedLicense,
  isoFromNow,
  issueLicense,
  newDeviceId,
  type Person,
  signUp,
  subscribe,
  subscriber,
} from '../harness/users.ts';

const service = startedService();
let person: Person;

beforeAll(async () => {
  person = await subscriber(service);
}, 60_000);

function activateWith(who: Person, body: Readonly<Record<string, unknown>>) {
  return service.call('activateLicense', { token: who.token, body: { device_id: newDeviceId(), ...body } });
}

async function devicesOf(who: Person): Promise<readonly Record<string, unknown>[]> {
  const { body } = await service.call('listActivations', { token: who.token });
  return body.activations as Record<string, unknown>[];
}

/** A license with one slot, which is taken. */
async function fullLicense(who: Person): Promise<IssuedLicense & { deviceId: string; activationId: string }> {
  const issued = await issueLicense(service, '--email', who.email, '--max-activations', '1');
  return { ...issued, ...(await activate(service, who, issued.key)) };
}

describe('an activation', () => {
  it('answers 200 with exactly the fields of the interface', async () => {
    const { key } = await issueLicense(service, '--email', person.email);
    const { answer } = await activate(service, person, key);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({
      success: true,
      activation_id: uuid,
      activations: 1,
      max_activations: 3,
      message: sentence,
    });
  });

  it('takes one slot for each device, until none is left', async () => {
    const { key } = await issueLicense(service, '--email', person.email, '--max-activations', '3');
    for (const activations of [1, 2, 3]) {
      expect((await activate(service, person, key)).answer.body).toMatchObject({ activations, max_activations: 3 });
    }
    const refused = await activateWith(person, { license_key: key });
    expect(refused.status).toBe(409);
    expect(refused.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
  });

  it('that was refused changes nothing', async () => {
    const { key, deviceId } = await fullLicense(person);
    await activateWith(person, { license_key: key });
    const body = { license_key: key, device_id: deviceId };
    const { body: verdict } = await service.call('validateLicense', { token: person.token, body });
    expect(verdict).toMatchObject({ activations: 1, max_activations: 1, already_activated_on_device: true });
  });

  it('needs neither device_name nor platform', async () => {
    const owner = await signUp(service);
    const { key } = await issueLicense(service, '--email', owner.email);
    expect((await activateWith(owner, { license_key: key })).status).toBe(200);
    expect((await devicesOf(owner))[0]).toMatchObject({ device_name: '', platform: '' });
  });

  it.each([
    ['device_name', 'Zoë’s 🖥️ «Desk»'],
    ['device_name', 'x'.repeat(200)],
    ['platform', '<script>'],
    ['platform', 'x'.repeat(200)],
  ])('keeps the %s %j as it is', async (name, value) => {
    const owner = await signUp(service);
    const { key } = await issueLicense(service, '--email', owner.email);
    expect((await activateWith(owner, { license_key: key, [name]: value })).status).toBe(200);
    expect((await devicesOf(owner))[0]).toMatchObject({ [name]: value });
  });

  it.each(['device_name', 'platform'])('is refused where %s has more than 200 characters', async (name) => {
    const { key } = await issueLicense(service, '--email', person.email);
    const { status, body } = await activateWith(person, { license_key: key, [name]: 'x'.repeat(201) });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('understands a key typed sloppily', async () => {
    const { key } = await issueLicense(service, '--email', person.email);
    const typed = ` ${key.toLowerCase().replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l')} `;
    expect((await activateWith(person, { license_key: typed })).body).toMatchObject({ success: true });
  });

  it('works the same with a device that other accounts use as well', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const [first, second] = [
      await issueLicense(service, '--email', one.email),
      await issueLicense(service, '--email', other.email),
    ];
    const shared = newDeviceId();
    expect((await activate(service, one, first.key, shared)).answer.body).toMatchObject({ activations: 1 });
    expect((await activate(service, other, second.key, shared)).answer.body).toMatchObject({ activations: 1 });
  });

  it('that comes ten times at once for one device takes one slot', async () => {
    const { key } = await issueLicense(service, '--email', person.email);
    const deviceId = newDeviceId();
    const all = await Promise.all(Array.from({ length: 10 }, () => activate(service, person, key, deviceId)));
    expect(new Set(all.map(({ activationId }) => activationId)).size).toBe(1);
    expect(all.map(({ answer }) => answer.body.activations)).toStrictEqual(Array.from({ length: 10 }, () => 1));
  });
});

describe('on a device that is active already', () => {
  it('it answers the same activation and takes no slot', async () => {
    const { key } = await issueLicense(service, '--email', person.email);
    const first = await activate(service, person, key);
    const second = await activate(service, person, key, first.deviceId);
    expect(second.answer.body).toStrictEqual({
      success: true,
      activation_id: first.activationId,
      activations: 1,
      max_activations: 3,
      message: sentence,
    });
  });

  it('it succeeds although the license is full', async () => {
    const { key, deviceId, activationId } = await fullLicense(person);
    const again = await activate(service, person, key, deviceId);
    expect(again.answer.status).toBe(200);
    expect(again.answer.body).toMatchObject({ activation_id: activationId, activations: 1, max_activations: 1 });
  });

  it('it takes the new name and platform', async () => {
    const owner = await signUp(service);
    const { key } = await issueLicense(service, '--email', owner.email);
    const { deviceId } = await activate(service, owner, key);
    await activateWith(owner, { license_key: key, device_id: deviceId, device_name: 'Laptop', platform: 'darwin' });
    expect(await devicesOf(owner)).toMatchObject([{ device_id: deviceId, device_name: 'Laptop', platform: 'darwin' }]);
  });
});

describe('with replaces', () => {
  it('a full license gives the slot of one device to another', async () => {
    const owner = await signUp(service);
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

  it('the replaced device has to be activated anew', async () => {
    const { key, deviceId, activationId } = await fullLicense(person);
    await activateWith(person, { license_key: key, replaces: activationId });
    const body = { license_key: key, device_id: deviceId };
    const { body: verdict } = await service.call('validateLicense', { token: person.token, body });
    expect(verdict).toMatchObject({ already_activated_on_device: false, can_activate: false });
  });

  it('a license with free slots gives up that one as well', async () => {
    const { key } = await issueLicense(service, '--email', person.email, '--max-activations', '3');
    const { activationId } = await activate(service, person, key);
    const { body } = await activateWith(person, { license_key: key, replaces: activationId });
    expect(body).toMatchObject({ activations: 1, max_activations: 3 });
  });

  it.each([
    ['does not exist', async () => randomUUID()],
    ['is no id at all', async () => 'rubbish'],
    ['belongs to another license of the account', async () => (await fullLicense(person)).activationId],
    ['belongs to another account', async () => (await fullLicense(await signUp(service))).activationId],
  ])('an activation that %s is NOT_FOUND, and nothing changes', async (_, other) => {
    const { key, deviceId } = await fullLicense(person);
    const { status, body } = await activateWith(person, { license_key: key, replaces: await other() });
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
    const { body: verdict } = await service.call('validateLicense', {
      token: person.token,
      body: { license_key: key, device_id: deviceId },
    });
    expect(verdict).toMatchObject({ activations: 1, already_activated_on_device: true });
  });

  it('of two swaps of one slot that come at once, one succeeds', async () => {
    const { key, activationId } = await fullLicense(person);
    const swap = () => activateWith(person, { license_key: key, replaces: activationId });
    const statuses = (await Promise.all([swap(), swap()])).map(({ status }) => status);
    expect(statuses.sort()).toStrictEqual([200, 404]);
  });
});

describe('a license of nobody', () => {
  it('belongs to the first account that activates it', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const { key } = await issueLicense(service, '--plan', 'standard');
    expect((await activate(service, one, key)).answer.body).toMatchObject({ activations: 1, max_activations: 3 });
    const late = await activate(service, other, key);
    expect(late.answer.status).toBe(404);
    expect(late.answer.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
  });

  it('goes to exactly one of ten accounts that activate it at once', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => signUp(service)));
    const { key } = await issueLicense(service, '--plan', 'advanced');
    const answers = await Promise.all(people.map((one) => activate(service, one, key)));
    expect(answers.filter(({ answer }) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter(({ answer }) => answer.body.code === 'LICENSE_NOT_FOUND')).toHaveLength(9);
  });

  it('is not claimed by an activation that is refused', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const { key, id } = await issueLicense(service);
    await service.admin('license', 'set', id, '--status', 'inactive');
    expect((await activate(service, one, key)).answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    await service.admin('license', 'set', id, '--status', 'active');
    expect((await activate(service, other, key)).answer.status).toBe(200);
  });
});

describe('a key that does not exist', () => {
  it.each(['', 'license', 'SVC-0000-0000-0000-0000', 'SVC-UUUU-UUUU-UUUU-UUUU', "' OR 1=1 --", 'SVC-\u0000', '\ud800'])(
    'is LICENSE_NOT_FOUND: %j',
    async (key) => {
      const { status, body } = await activateWith(person, { license_key: key });
      expect(status).toBe(404);
      expect(body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    },
  );

  it('is LICENSE_NOT_FOUND where it belongs to another account', async () => {
    const { key } = await issueLicense(service, '--email', person.email);
    const { answer } = await activate(service, await signUp(service), key);
    expect(answer.status).toBe(404);
    expect(answer.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
  });
});

describe('a license that is not active', () => {
  it.each(['revoked', 'expired', 'inactive'])('because it was set to %s is LICENSE_INACTIVE', async (status) => {
    const { key, id } = await issueLicense(service, '--email', person.email);
    await service.admin('license', 'set', id, '--status', status);
    const { answer } = await activate(service, person, key);
    expect(answer.status).toBe(403);
    expect(answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('because its own end has passed is LICENSE_INACTIVE', async () => {
    const { key } = await issueLicense(service, '--email', person.email, '--expires-at', isoFromNow(-1000));
    expect((await activate(service, person, key)).answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('is LICENSE_INACTIVE on a device where it was active, too', async () => {
    const { key, id } = await issueLicense(service, '--email', person.email);
    const { deviceId } = await activate(service, person, key);
    await service.admin('license', 'set', id, '--status', 'revoked');
    const again = await activate(service, person, key, deviceId);
    expect(again.answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('is LICENSE_INACTIVE, not full, where both hold', async () => {
    const { key, id } = await fullLicense(person);
    await service.admin('license', 'set', id, '--status', 'inactive');
    expect((await activate(service, person, key)).answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
  });

  it('because its subscription is not is LICENSE_INACTIVE, until that is active again', async () => {
    const owner = await subscriber(service, 'standard', '--period-end', isoFromNow(-1000));
    const { key } = await issueLicense(service, '--email', owner.email, '--with-subscription');
    expect((await activate(service, owner, key)).answer.body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    await subscribe(service, owner, 'standard');
    expect((await activate(service, owner, key)).answer.status).toBe(200);
  });
});

describe('a malformed device_id', () => {
  it.each(['', 'HW-1', newDeviceId().toLowerCase(), newDeviceId().slice(3), `${newDeviceId()}\n`])(
    'is VALIDATION_ERROR: %j',
    async (deviceId) => {
      const { key } = await sharedLicense();
      const { status, body } = await activateWith(person, { license_key: key, device_id: deviceId });
      expect(status).toBe(400);
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    },
  );
});

let oneForAll: Promise<IssuedLicense> | undefined;

/** A license for the cases that never get as far as touching it. */
function sharedLicense(): Promise<IssuedLicense> {
  oneForAll ??= issueLicense(service, '--email', person.email);
  return oneForAll;
}
