/** `POST /heartbeat`: what is recorded, and the four conditions that each give a warning. */
import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '../../harness/fake-clock.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, isoFromNow, issueLicense, newDeviceId, signUp, subscriber, type User } from '../../harness/users.ts';

// One proxy in front: what it says in X-Forwarded-For is the network that a device is seen from.
const server = sharedApp({ LATCHKEY_TRUST_PROXY: '1', LATCHKEY_ACCESS_TOKEN_TTL: '90d' });

const quiet = { success: true, timestamp };
const warned = { success: true, timestamp, warning: expect.stringMatching(/^[A-Z].*[.!]$/s) };

async function beat({ token }: User, deviceId: string, address = '192.0.2.1') {
  const headers = { 'x-forwarded-for': address };
  const response = await server.call('heartbeat', { token, body: { device_id: deviceId }, headers });
  expect(response.status).toBe(200);
  return response.body;
}

describe('a heartbeat', () => {
  it('responds with 200, success and the time, and nothing else', async () => {
    const body = await beat(await signUp(server), newDeviceId());
    expect(body).toStrictEqual({ success: true, timestamp: isoFromNow(server, 0) });
  });

  it('can be repeated without a warning', async () => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (let turn = 0; turn < 5; turn++) expect(await beat(user, deviceId)).toStrictEqual(quiet);
  });

  it.each([
    '',
    'HW-1',
    newDeviceId().toLowerCase(),
    newDeviceId().slice(3),
    `${newDeviceId()} `,
    '\ud800',
    'x'.repeat(9_999),
    7,
    null,
    undefined,
  ])('with the malformed device_id %j is VALIDATION_ERROR', async (deviceId) => {
    const { token } = await anybody();
    const { status, body } = await server.call('heartbeat', { token, body: { device_id: deviceId } });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('the record of heartbeats', () => {
  const readRecords = async (user: User) => {
    const rows = await server.database.read
      .selectFrom('device_activity')
      .select(['network', 'first_seen_at_ms', 'last_seen_at_ms'])
      .where('user_id', '=', user.id)
      .orderBy('network')
      .execute();
    return rows.map((row) => ({ ...row }));
  };

  it('has one row for each device, account and network', async () => {
    const user = await signUp(server);
    const device = newDeviceId();
    for (const address of ['198.51.100.1', '198.51.100.2', '2001:db8::1']) await beat(user, device, address);
    expect(await readRecords(user)).toMatchObject([{ network: '198.51.100.0/24' }, { network: '2001:db8:0::/48' }]);
  });

  it('is written once a minute, and at once where the clock was set back', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    const startMs = server.clock.now();
    const lastSeenAfter = async (advanceMs: number) => {
      server.clock.advance(advanceMs);
      await beat(user, deviceId);
      const [{ last_seen_at_ms } = { last_seen_at_ms: 0 }] = await readRecords(user);
      const { body } = await server.call('listActivations', { token: user.token });
      expect(body.activations).toMatchObject([{ last_seen_at: new Date(last_seen_at_ms).toISOString() }]);
      return last_seen_at_ms - startMs;
    };
    expect(await lastSeenAfter(0)).toBe(0);
    expect(await lastSeenAfter(minute - 1)).toBe(0);
    expect(await lastSeenAfter(1)).toBe(minute);
    expect(await lastSeenAfter(-2)).toBe(minute - 2);
    expect(await lastSeenAfter(2 * minute)).toBe(3 * minute - 2);
    expect(await readRecords(user)).toMatchObject([{ first_seen_at_ms: startMs }]);
  });
});

describe('a device that was seen under another account', () => {
  it('is warned of for 24 hours, with a sentence that says so', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const device = newDeviceId();
    await beat(one, device);
    server.clock.advance(hour);
    expect((await beat(other, device)).warning).toMatch(/another account/);
    server.clock.advance(day);
    expect(await beat(other, device)).toStrictEqual(quiet);
  });

  it('is warned of', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const deviceId = newDeviceId();
    expect(await beat(one, deviceId)).toStrictEqual(quiet);
    expect(await beat(other, deviceId)).toStrictEqual(warned);
  });

  it('is warned of to the first account as well, at its next heartbeat', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    await beat(other, deviceId);
    expect(await beat(one, deviceId)).toStrictEqual(warned);
  });

  it('is named without naming the other account', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    const { warning } = await beat(other, deviceId);
    expect(warning).not.toContain(one.email);
    expect(warning).not.toContain(one.id);
  });
});

describe('a device on which the license is not activated', () => {
  it('is warned of, until it is activated', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const deviceId = newDeviceId();
    expect((await beat(user, deviceId)).warning).toMatch(/not activated/);
    await activate(server, user, key, deviceId);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
  });

  it('is warned of again once it was released', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId, activationId } = await activate(server, user, key);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
    await server.call('releaseActivation', { token: user.token, at: activationId });
    expect(await beat(user, deviceId)).toStrictEqual(warned);
  });

  it('gives no warning where any of the account’s licenses is activated on it', async () => {
    const user = await signUp(server);
    const first = await issueLicense(server, '--email', user.email);
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    const { deviceId } = await activate(server, user, first.key);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
  });

  it('gives no warning for an account without a license', async () => {
    expect(await beat(await subscriber(server), newDeviceId())).toStrictEqual(quiet);
  });
});

describe('more devices than the plan allows', () => {
  it('are warned of for 15 minutes, with their number', async () => {
    const user = await signUp(server);
    const device = newDeviceId();
    await beat(user, newDeviceId());
    expect((await beat(user, device)).warning).toMatch(/2 devices/);
    server.clock.advance(15 * minute + 1);
    expect(await beat(user, device)).toStrictEqual(quiet);
  });

  it('are warned of from the first one too many: one on free', async () => {
    const user = await signUp(server);
    expect(await beat(user, newDeviceId())).toStrictEqual(quiet);
    expect(await beat(user, newDeviceId())).toStrictEqual(warned);
  });

  it('are warned of from the first one too many: three on standard', async () => {
    const user = await subscriber(server, 'standard');
    const devices = [newDeviceId(), newDeviceId(), newDeviceId()];
    for (const deviceId of [...devices, ...devices]) expect(await beat(user, deviceId)).toStrictEqual(quiet);
    expect((await beat(user, newDeviceId())).warning).toMatch(/4 devices/);
  });
});

describe('one device that is seen from many networks', () => {
  const networks = [1, 2, 3, 4, 5, 6];

  it.each([
    ['IPv4 networks of 24 bits', (network: number) => `198.51.${network}.7`],
    ['IPv6 networks of 48 bits', (network: number) => `2001:db8:${network}::7`],
  ])('is warned of from the sixth: %s', async (_, address) => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    const bodies = [];
    for (const network of networks) bodies.push(await beat(user, deviceId, address(network)));
    expect(bodies).toStrictEqual([quiet, quiet, quiet, quiet, quiet, warned]);
    expect(bodies.at(-1)?.warning).toMatch(/6 different networks/);
  });

  it.each([
    ['addresses of one IPv4 network', (host: number) => `198.51.100.${host}`],
    ['addresses of one IPv6 network', (host: number) => `2001:db8:1:${host}::${host}`],
    ['IPv4 addresses written as IPv6', (host: number) => `::ffff:198.51.100.${host}`],
  ])('is not warned of for %s', async (_, address) => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (let host = 1; host <= 8; host++) expect(await beat(user, deviceId, address(host))).toStrictEqual(quiet);
  });

  it('is not warned of where only the untrusted part of X-Forwarded-For changes', async () => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (const network of networks) {
      expect(await beat(user, deviceId, `203.0.${network}.1, 192.0.2.1`)).toStrictEqual(quiet);
    }
  });
});

let somebody: Promise<User> | undefined;

/** An account for the cases that never get as far as touching it. */
function anybody(): Promise<User> {
  somebody ??= signUp(server);
  return somebody;
}
