/** `POST /heartbeat`: it is recorded, and each of the four unusual things gets its one sentence. */
import { describe, expect, it } from 'vitest';
import { envelope, timestamp } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { activate, issueLicense, newDeviceId, type Person, signUp, subscriber } from '../harness/users.ts';

// One proxy in front: what it says in X-Forwarded-For is the network that a device is seen from.
const service = startedService({ LATCHKEY_TRUST_PROXY: '1' });

const quiet = { success: true, timestamp };
const warned = { success: true, timestamp, warning: expect.stringMatching(/^[A-Z].*[.!]$/s) };

async function beat({ token }: Person, deviceId: string, address = '192.0.2.1') {
  const headers = { 'x-forwarded-for': address };
  const answer = await service.call('heartbeat', { token, body: { device_id: deviceId }, headers });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('a heartbeat', () => {
  it('answers 200 with success and the time, and nothing else', async () => {
    const body = await beat(await signUp(service), newDeviceId());
    expect(body).toStrictEqual(quiet);
    expect(Math.abs(Date.parse(String(body.timestamp)) - Date.now())).toBeLessThan(10_000);
  });

  it('can be repeated without a warning', async () => {
    const person = await signUp(service);
    const deviceId = newDeviceId();
    for (let turn = 0; turn < 5; turn++) expect(await beat(person, deviceId)).toStrictEqual(quiet);
  });

  it.each([
    '',
    'HW-1',
    newDeviceId().toLowerCase(),
    newDeviceId().slice(3),
    `${newDeviceId()} `,
    '\ud800',
    'x'.repeat(9_999),
  ])('with the malformed device_id %j is VALIDATION_ERROR', async (deviceId) => {
    const { token } = await anybody();
    const { status, body } = await service.call('heartbeat', { token, body: { device_id: deviceId } });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('a device that was seen under another account', () => {
  it('is warned of', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const deviceId = newDeviceId();
    expect(await beat(one, deviceId)).toStrictEqual(quiet);
    expect(await beat(other, deviceId)).toStrictEqual(warned);
  });

  it('is warned of to the first account as well, at its next heartbeat', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    await beat(other, deviceId);
    expect(await beat(one, deviceId)).toStrictEqual(warned);
  });

  it('is named without naming the other account', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    const { warning } = await beat(other, deviceId);
    expect(warning).not.toContain(one.email);
    expect(warning).not.toContain(one.id);
  });
});

describe('a device on which the license is not activated', () => {
  it('is warned of, until it is activated', async () => {
    const person = await signUp(service);
    const { key } = await issueLicense(service, '--email', person.email);
    const deviceId = newDeviceId();
    expect(await beat(person, deviceId)).toStrictEqual(warned);
    await activate(service, person, key, deviceId);
    expect(await beat(person, deviceId)).toStrictEqual(quiet);
  });

  it('is warned of again once it was released', async () => {
    const person = await signUp(service);
    const { key } = await issueLicense(service, '--email', person.email);
    const { deviceId, activationId } = await activate(service, person, key);
    expect(await beat(person, deviceId)).toStrictEqual(quiet);
    await service.call('releaseActivation', { token: person.token, at: activationId });
    expect(await beat(person, deviceId)).toStrictEqual(warned);
  });

  it('is no matter where any of the account’s licenses is activated on it', async () => {
    const person = await signUp(service);
    const first = await issueLicense(service, '--email', person.email);
    await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    const { deviceId } = await activate(service, person, first.key);
    expect(await beat(person, deviceId)).toStrictEqual(quiet);
  });

  it('is no matter for an account without a license', async () => {
    expect(await beat(await subscriber(service), newDeviceId())).toStrictEqual(quiet);
  });
});

describe('more devices than the plan allows', () => {
  it('are warned of from the first one too many: one on free', async () => {
    const person = await signUp(service);
    expect(await beat(person, newDeviceId())).toStrictEqual(quiet);
    expect(await beat(person, newDeviceId())).toStrictEqual(warned);
  });

  it('are warned of from the first one too many: three on standard', async () => {
    const person = await subscriber(service, 'standard');
    const devices = [newDeviceId(), newDeviceId(), newDeviceId()];
    for (const deviceId of [...devices, ...devices]) expect(await beat(person, deviceId)).toStrictEqual(quiet);
    expect(await beat(person, newDeviceId())).toStrictEqual(warned);
  });
});

describe('one device that is seen from many networks', () => {
  const networks = [1, 2, 3, 4, 5, 6];

  it.each([
    ['IPv4 networks of 24 bits', (network: number) => `198.51.${network}.7`],
    ['IPv6 networks of 48 bits', (network: number) => `2001:db8:${network}::7`],
  ])('is warned of from the sixth: %s', async (_, address) => {
    const person = await signUp(service);
    const deviceId = newDeviceId();
    const bodies = [];
    for (const network of networks) bodies.push(await beat(person, deviceId, address(network)));
    expect(bodies).toStrictEqual([quiet, quiet, quiet, quiet, quiet, warned]);
  });

  it.each([
    ['addresses of one IPv4 network', (host: number) => `198.51.100.${host}`],
    ['addresses of one IPv6 network', (host: number) => `2001:db8:1:${host}::${host}`],
    ['IPv4 addresses written as IPv6', (host: number) => `::ffff:198.51.100.${host}`],
  ])('is not warned of for %s', async (_, address) => {
    const person = await signUp(service);
    const deviceId = newDeviceId();
    for (let host = 1; host <= 8; host++) expect(await beat(person, deviceId, address(host))).toStrictEqual(quiet);
  });

  it('is not warned of where only the untrusted part of X-Forwarded-For changes', async () => {
    const person = await signUp(service);
    const deviceId = newDeviceId();
    for (const network of networks) {
      expect(await beat(person, deviceId, `203.0.${network}.1, 192.0.2.1`)).toStrictEqual(quiet);
    }
  });
});

let somebody: Promise<Person> | undefined;

/** An account for the cases that never get as far as touching it. */
function anybody(): Promise<Person> {
  somebody ??= signUp(service);
  return somebody;
}
