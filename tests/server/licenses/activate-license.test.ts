/** `/license/activate`: taking, keeping and swapping slots. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { day } from '../../harness/fake-clock.ts';
import { deviceId, servicesOf } from '../../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
  services = servicesOf(test);
});
afterAll(() => test.close());

const activate = (person: SignedUp, license_key: string, device: number, more: Record<string, string> = {}) =>
  test.call('POST', '/license/activate', {
    token: person.accessToken,
    body: { license_key, device_id: deviceId(device), ...more },
  });

const devicesOf = async (person: SignedUp) =>
  (await services.activations.list(person.id)).map(({ device_id }) => device_id);

describe('activating', () => {
  it('takes a slot and answers with the fields of the interface', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    const { status, body } = await activate(person, license_key, 1, { device_name: 'Desk', platform: 'linux' });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      success: true,
      activation_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      activations: 1,
      max_activations: 3,
      message: expect.stringMatching(/\w/),
    });
  });

  it('again on the same device keeps the slot, also of a full license, and takes on the new names', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    const first = await activate(person, license_key, 1, { device_name: 'Desk', platform: 'linux' });
    test.clock.advance(day);
    const second = await activate(person, license_key, 1, { device_name: 'Bench', platform: 'darwin' });
    expect(second.body).toMatchObject({ success: true, activation_id: first.body.activation_id, activations: 1 });
    expect(await services.activations.list(person.id)).toMatchObject([{ device_name: 'Bench', platform: 'darwin' }]);
    await activate(person, license_key, 1);
    expect(await services.activations.list(person.id)).toMatchObject([{ device_name: 'Bench', platform: 'darwin' }]);
  });

  it('is refused when every slot is taken', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    await activate(person, license_key, 1);
    const { status, body } = await activate(person, license_key, 2);
    expect([status, body.code]).toStrictEqual([409, 'MAX_ACTIVATIONS_REACHED']);
    expect(await devicesOf(person)).toStrictEqual([deviceId(1)]);
  });

  it('gives an unassigned license its owner, and then it is nobody else’s', async () => {
    const [first, second] = [await test.signUp(), await test.signUp()];
    const { license_key } = await services.licenseAdmin.issue({});
    expect((await activate(first, license_key, 1)).status).toBe(200);
    const refused = await activate(second, license_key, 2);
    expect([refused.status, refused.body.code]).toStrictEqual([404, 'LICENSE_NOT_FOUND']);
    expect(await services.licenseAdmin.list(first.id)).toMatchObject([{ email: first.email, activations: 1 }]);
  });

  it.each(['inactive', 'revoked', 'expired'] as const)('is LICENSE_INACTIVE for one that is %s', async (status) => {
    const person = await test.signUp();
    const { license_key, license } = await services.licenseAdmin.issue({ userId: person.id });
    await services.licenseAdmin.setStatus(license.id, status);
    const { status: httpStatus, body } = await activate(person, license_key, 1);
    expect([httpStatus, body.code]).toStrictEqual([403, 'LICENSE_INACTIVE']);
  });

  it('is LICENSE_INACTIVE on a device that has a slot as well, once the subscription is over', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'standard' });
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, withSubscription: true });
    expect((await activate(person, license_key, 1)).status).toBe(200);
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    expect((await activate(person, license_key, 1)).body.code).toBe('LICENSE_INACTIVE');
  });

  it('does what can_activate says', async () => {
    const person = await test.signUp();
    const { license_key, license } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    for (const device of [1, 2]) {
      const body = { license_key, device_id: deviceId(device) };
      const { can_activate } = (await test.call('POST', '/license/validate', { token: person.accessToken, body })).body;
      expect((await activate(person, license_key, device)).status === 200).toBe(can_activate);
    }
    expect((await services.licenseAdmin.list(person.id)).find(({ id }) => id === license.id)?.activations).toBe(1);
  });
});

describe('replacing a device', () => {
  const fullLicense = async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    const { body } = await activate(person, license_key, 1);
    return { person, license_key, held: String(body.activation_id) };
  };

  it('swaps the two in one step', async () => {
    const { person, license_key, held } = await fullLicense();
    const { status, body } = await activate(person, license_key, 2, { replaces: held });
    expect(status).toBe(200);
    expect(body).toMatchObject({ activations: 1, max_activations: 1 });
    expect(body.activation_id).not.toBe(held);
    expect(await devicesOf(person)).toStrictEqual([deviceId(2)]);
  });

  it('succeeds when it is asked for again, as after a lost answer', async () => {
    const { person, license_key, held } = await fullLicense();
    const first = await activate(person, license_key, 2, { replaces: held });
    const again = await activate(person, license_key, 2, { replaces: held });
    expect(again.body).toMatchObject({ success: true, activation_id: first.body.activation_id, activations: 1 });
  });

  it.each(['', 'nonsense', '00000000-0000-4000-8000-000000000000'])(
    'is NOT_FOUND for what is no activation, and changes nothing: %j',
    async (replaces) => {
      const { person, license_key } = await fullLicense();
      const { status, body } = await activate(person, license_key, 2, { replaces });
      expect([status, body.code]).toStrictEqual([404, 'NOT_FOUND']);
      expect(await devicesOf(person)).toStrictEqual([deviceId(1)]);
    },
  );

  it('is NOT_FOUND for an activation of another license of the same account', async () => {
    const { person, license_key, held } = await fullLicense();
    const other = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    expect((await activate(person, other.license_key, 2, { replaces: held })).body.code).toBe('NOT_FOUND');
    expect((await activate(person, license_key, 1)).body).toMatchObject({ activation_id: held });
  });

  it('releases nothing when there is still no slot', async () => {
    const person = await test.signUp();
    const { license_key, license } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 2 });
    const { body } = await activate(person, license_key, 1);
    await activate(person, license_key, 2);
    await test.database.write((transaction) =>
      transaction.updateTable('licenses').set({ max_activations: 1 }).where('id', '=', license.id).execute(),
    );
    const refused = await activate(person, license_key, 3, { replaces: String(body.activation_id) });
    expect(refused.body.code).toBe('MAX_ACTIVATIONS_REACHED');
    expect((await devicesOf(person)).sort()).toStrictEqual([deviceId(1), deviceId(2)]);
  });
});

describe('many calls at once', () => {
  it('of different devices fill exactly the slots there are', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 5 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, number) => activate(person, license_key, number + 1)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(195);
    expect(await devicesOf(person)).toHaveLength(5);
  });

  it('of one device take one slot', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    const answers = await Promise.all(Array.from({ length: 50 }, () => activate(person, license_key, 1)));
    expect(new Set(answers.map(({ body }) => body.activation_id)).size).toBe(1);
    expect(await devicesOf(person)).toHaveLength(1);
  });

  it('of different accounts give an unassigned license one owner', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => test.signUp()));
    const { license_key } = await services.licenseAdmin.issue({});
    const answers = await Promise.all(people.map((person, number) => activate(person, license_key, number + 1)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(7);
  });

  it('that swap the same device let one in', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    const replaces = String((await activate(person, license_key, 1)).body.activation_id);
    const answers = await Promise.all([2, 3, 4].map((device) => activate(person, license_key, device, { replaces })));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 404, 404]);
    expect(await devicesOf(person)).toHaveLength(1);
  });
});
