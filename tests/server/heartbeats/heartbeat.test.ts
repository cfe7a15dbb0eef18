/** `/heartbeat`: recorded, answered, and warned of. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { day, hour, minute } from '../../harness/fake-clock.ts';
import { deviceId, servicesOf } from '../../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;
let lastDevice = 0;

beforeAll(async () => {
  test = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
  services = servicesOf(test);
});
afterAll(() => test.close());

const beat = (person: SignedUp, device: string, from = '203.0.113.7') =>
  test.call('POST', '/heartbeat', { token: person.accessToken, body: { device_id: device }, from });

const newDevice = () => deviceId(++lastDevice);

describe('a heartbeat', () => {
  it('is answered with success and the time, and no warning for usual activity', async () => {
    const { status, body } = await beat(await test.signUp(), newDevice());
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true, timestamp: new Date(test.clock.now()).toISOString() });
  });

  it.each(['', 'HW-1', newDevice().toLowerCase(), `${newDevice()} `, 7, null, undefined])(
    'of what is no device is VALIDATION_ERROR: %j',
    async (device) => {
      const person = await test.signUp();
      const { status, body } = await beat(person, device as string);
      expect([status, body.code]).toStrictEqual([400, 'VALIDATION_ERROR']);
    },
  );

  it('keeps one sighting for each device, account and network', async () => {
    const person = await test.signUp();
    const device = newDevice();
    for (const from of ['198.51.100.1', '198.51.100.2', '2001:db8::1']) await beat(person, device, from);
    const rows = await test.database.read
      .selectFrom('device_sightings')
      .select(['network', 'heartbeats'])
      .where('user_id', '=', person.id)
      .orderBy('network')
      .execute();
    expect(rows.map((row) => ({ ...row }))).toStrictEqual([
      { network: '198.51.100.0/24', heartbeats: 2 },
      { network: '2001:db8:0::/48', heartbeats: 1 },
    ]);
  });

  it('lets sightings go that are older than a day', async () => {
    const gone = await test.signUp();
    await beat(gone, newDevice());
    test.clock.advance(day + 1);
    await beat(await test.signUp(), newDevice());
    const rows = await test.database.read.selectFrom('device_sightings').selectAll().execute();
    expect(rows).toHaveLength(1);
  });
});

describe('a warning', () => {
  it('is given for a device that another account used, for 24 hours', async () => {
    const [one, two] = [await test.signUp(), await test.signUp()];
    const device = newDevice();
    await beat(one, device);
    test.clock.advance(hour);
    expect((await beat(two, device)).body.warning).toMatch(/another account/);
    test.clock.advance(day);
    expect((await beat(two, device)).body.warning).toBeUndefined();
  });

  it('is given for a device without activation, once the account has a license', async () => {
    const person = await test.signUp();
    const device = newDevice();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    expect((await beat(person, device)).body.warning).toMatch(/not activated/);
    const call = { license_key, device_id: device, device_name: '', platform: '' };
    await services.licenses.activate(person.id, call);
    expect((await beat(person, device)).body.warning).toBeUndefined();
  });

  it('is given for more devices than the plan allows within 15 minutes', async () => {
    const person = await test.signUp();
    const device = newDevice();
    await beat(person, newDevice());
    expect((await beat(person, device)).body.warning).toMatch(/2 devices/);
    test.clock.advance(15 * minute + 1);
    expect((await beat(person, device)).body.warning).toBeUndefined();
    await services.subscriptions.set(person.id, { plan: 'standard' });
    await beat(person, newDevice());
    expect((await beat(person, newDevice())).body.warning).toBeUndefined();
    expect((await beat(person, newDevice())).body.warning).toMatch(/4 devices/);
  });

  it('is given for a device on more than 5 networks within an hour', async () => {
    const person = await test.signUp();
    const device = newDevice();
    for (let network = 1; network <= 5; network++) {
      expect((await beat(person, device, `10.0.${network}.1`)).body.warning).toBeUndefined();
    }
    expect((await beat(person, device, '10.0.5.2')).body.warning).toBeUndefined();
    expect((await beat(person, device, '10.0.6.1')).body.warning).toMatch(/6 different networks/);
  });
});
