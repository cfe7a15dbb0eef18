/** `POST /heartbeat`: what is recorded, and the five conditions that produce a warning. */
import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '../../harness/fake-clock.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, isoFromNow, issueLicense, newDeviceId, signUp, subscriber, type User } from '../../harness/users.ts';
import { isQuick } from '../../run/long-tests.ts';

// One proxy in front: its X-Forwarded-For determines the network from which a device is seen.
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
  it('responds with 200, success and the time only', async () => {
    const body = await beat(await signUp(server), newDeviceId());
    expect(body).toStrictEqual({ success: true, timestamp: isoFromNow(server, 0) });
  });

  it('can be repeated without a warning', async () => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (let turn = 0; turn < 5; turn++) expect(await beat(user, deviceId)).toStrictEqual(quiet);
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

  it('is written once a minute, and immediately if the clock was set back', async () => {
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
  it('causes a warning for 24 hours, in one sentence that says why', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const device = newDeviceId();
    await beat(one, device);
    server.clock.advance(hour);
    expect((await beat(other, device)).warning).toMatch(/another account/);
    server.clock.advance(day);
    expect(await beat(other, device)).toStrictEqual(quiet);
  });

  it('also causes a warning for the first account, at its next heartbeat', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    await beat(other, deviceId);
    expect(await beat(one, deviceId)).toStrictEqual(warned);
  });

  it('is reported without naming the other account', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const deviceId = newDeviceId();
    await beat(one, deviceId);
    const { warning } = await beat(other, deviceId);
    expect(warning).not.toContain(one.email);
    expect(warning).not.toContain(one.id);
  });
});

describe('a device on which the license is not activated', () => {
  it('causes a warning until it is activated', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const deviceId = newDeviceId();
    expect((await beat(user, deviceId)).warning).toMatch(/not activated/);
    await activate(server, user, key, deviceId);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
  });

  it('causes a warning in the language of the request, English by default', async () => {
    const user = await signUp(server);
    await issueLicense(server, '--email', user.email);
    const deviceId = newDeviceId();
    const warningIn = async (language?: string) => {
      const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
      const { token } = user;
      const { body } = await server.call('heartbeat', { token, body: { device_id: deviceId }, headers });
      return body.warning;
    };
    expect(await warningIn('de-AT,de;q=0.9')).toBe('Dieses Gerät ist nicht mit Ihrer Lizenz aktiviert.');
    expect(await warningIn('ja')).toBe('このデバイスは、お使いのライセンスで認証されていません。');
    const english = 'This device is not activated on your license.';
    expect([await warningIn(), await warningIn('fr')]).toEqual([english, english]);
  });

  it('causes a warning again once it has been released', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId, activationId } = await activate(server, user, key);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
    await server.call('releaseActivation', { token: user.token, at: activationId });
    expect(await beat(user, deviceId)).toStrictEqual(warned);
  });

  it('causes no warning if any of the account’s licenses is activated on it', async () => {
    const user = await signUp(server);
    const first = await issueLicense(server, '--email', user.email);
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    const { deviceId } = await activate(server, user, first.key);
    expect(await beat(user, deviceId)).toStrictEqual(quiet);
  });

  it('causes no warning for an account without a license', async () => {
    expect(await beat(await subscriber(server), newDeviceId())).toStrictEqual(quiet);
  });
});

describe('more devices than the plan allows', () => {
  it('cause a warning for 15 minutes, with their number', async () => {
    const user = await signUp(server);
    const device = newDeviceId();
    await beat(user, newDeviceId());
    expect((await beat(user, device)).warning).toMatch(/2 devices/);
    server.clock.advance(15 * minute + 1);
    expect(await beat(user, device)).toStrictEqual(quiet);
  });

  it('cause a warning from the first one over the limit: three on standard', async () => {
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
  ])('causes a warning from the sixth network: %s', async (_, address) => {
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
  ])('causes no warning for %s', async (_, address) => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (let host = 1; host <= 8; host++) expect(await beat(user, deviceId, address(host))).toStrictEqual(quiet);
  });

  it('causes no warning if only the untrusted part of X-Forwarded-For changes', async () => {
    const user = await signUp(server);
    const deviceId = newDeviceId();
    for (const network of networks) {
      expect(await beat(user, deviceId, `203.0.${network}.1, 192.0.2.1`)).toStrictEqual(quiet);
    }
  });
});

describe('several installations that use one device', () => {
  const sentence = /more than one installation/;

  async function beatAs(user: User, deviceId: string, instance: string | undefined, address = '192.0.2.1') {
    const body = { device_id: deviceId, ...(instance === undefined ? {} : { instance }) };
    const headers = { 'x-forwarded-for': address };
    const response = await server.call('heartbeat', { token: user.token, body, headers });
    expect(response.status).toBe(200);
    return response.body.warning as string | undefined;
  }

  async function activated() {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    return { user, deviceId };
  }

  it.each([
    ['each minute, behind one address', minute, '192.0.2.1'],
    ['every five minutes, behind one address', 5 * minute, '192.0.2.1'],
    ['every five minutes, in two networks', 5 * minute, '198.51.100.1'],
  ])('cause a warning while both are in use: %s', async (_, everyMs, otherAddress) => {
    const { user, deviceId } = await activated();
    const warnings: (string | undefined)[] = [];
    for (let turn = 0; turn < 9; turn++) {
      server.clock.advance(everyMs / 2);
      warnings.push(await beatAs(user, deviceId, 'one'));
      server.clock.advance(everyMs / 2);
      warnings.push(await beatAs(user, deviceId, 'other', otherAddress));
    }
    expect(warnings.slice(0, 6)).toEqual(Array(6).fill(undefined));
    for (const warning of warnings.slice(-8)) expect(warning).toMatch(sentence);
    server.clock.advance(hour);
    await beatAs(user, deviceId, 'one');
    server.clock.advance(minute);
    expect(await beatAs(user, deviceId, 'one')).toBeUndefined();
  });

  it('are detected whatever their number and however different their intervals are', async () => {
    const { user, deviceId } = await activated();
    let warning: string | undefined;
    for (let at = 0; at < 40; at++) {
      server.clock.advance(minute);
      for (const [instance, every] of [
        ['a', 1],
        ['b', 5],
        ['c', 7],
      ] as const) {
        if (at % every === 0) warning = await beatAs(user, deviceId, instance);
      }
    }
    expect(warning).toMatch(sentence);
  });

  it('are shown to staff on the device for seven days', async () => {
    const { user, deviceId } = await activated();
    for (let turn = 0; turn < 9; turn++) {
      server.clock.advance(minute);
      await beatAs(user, deviceId, 'one');
      server.clock.advance(1000);
      await beatAs(user, deviceId, 'other');
    }
    const seenAt = isoFromNow(server, 0);
    const shown = async () => {
      const [license] = (await server.admin('license', 'list', '--email', user.email)) as unknown as {
        devices: object[];
      }[];
      return license?.devices;
    };
    expect(await shown()).toMatchObject([{ device_id: deviceId, several_installations_at: seenAt }]);
    const { body } = await server.call('listActivations', { token: user.token });
    expect(JSON.stringify(body)).not.toContain('several_installations_at');
    server.clock.advance(7 * day);
    expect(JSON.stringify(await shown())).not.toContain('several_installations_at');
  });

  it('are not told apart if the app does not send an instance', async () => {
    const { user, deviceId } = await activated();
    for (let turn = 0; turn < 20; turn++) {
      server.clock.advance(minute);
      expect(await beatAs(user, deviceId, undefined)).toBeUndefined();
    }
  });

  it('take a bounded number of rows, and hide nothing that was known before', async () => {
    const { user, deviceId } = await activated();
    let warning: string | undefined;
    for (let turn = 0; turn < 40; turn++) {
      server.clock.advance(minute);
      warning = await beatAs(user, deviceId, 'one');
      server.clock.advance(1000);
      await beatAs(user, deviceId, 'other');
      server.clock.advance(1000);
      await beatAs(user, deviceId, `start-${turn}`);
    }
    expect(warning).toMatch(sentence);
    const rows = await server.database.read
      .selectFrom('device_activity')
      .select('instance')
      .where('device_id', '=', deviceId)
      .execute();
    expect(rows.length).toBeLessThanOrEqual(18);
  });

  it.each(['', 'a b', 'x'.repeat(65)])('are refused with VALIDATION_ERROR for the instance %j', async (instance) => {
    const { token } = await signUp(server);
    const body = { device_id: newDeviceId(), instance };
    expect((await server.call('heartbeat', { token, body })).body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  /**
   * Covers everything that happens to one installation: restarts, reinstalls, pauses, moves, a restored machine, and a
   * delayed heartbeat.
   */
  it.each(Array.from({ length: isQuick ? 5 : 25 }, (_, seed) => seed + 1))(
    'are never reported for a single installation: %i',
    async (seed) => {
      const { user, deviceId } = await activated();
      const chance = mulberry32(seed);
      let starts = 0;
      let snapshot: string | undefined;
      let instance = `start-${starts++}`;
      for (let step = 0; step < 60; step++) {
        const kind = chance();
        const late = instance;
        if (kind < 0.25) instance = `start-${starts++}`;
        else if (kind < 0.3) snapshot = instance;
        // Restored from a snapshot that is used only once: instances started since never return.
        else if (kind < 0.35 && snapshot !== undefined) [instance, snapshot] = [snapshot, undefined];
        else if (kind < 0.45) server.clock.advance(Math.round(chance() * 3 * hour));
        const address = chance() < 0.1 ? '198.51.100.1' : '192.0.2.1';
        expect(await beatAs(user, deviceId, instance, address)).toBeUndefined();
        // The last heartbeat before a restart arrives after the first one of the new instance.
        if (late !== instance && chance() < 0.5) {
          server.clock.advance(Math.round(chance() * 30_000));
          expect(await beatAs(user, deviceId, late, address)).toBeUndefined();
        }
        server.clock.advance(Math.round(minute + chance() * 4 * minute));
      }
    },
  );
});

/** A seeded generator, so that a failure can be reproduced. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
