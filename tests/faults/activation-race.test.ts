/** Two hundred devices activate a license for five at once: exactly five succeed. */
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { activate, activateInTime, issueLicense, newDeviceId, signUp } from '../harness/users.ts';

const server = sharedHttpServer();

describe('two hundred concurrent activations of a license for five devices', () => {
  it('succeed exactly five times, and otherwise answer MAX_ACTIVATIONS_REACHED', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '5');
    const all = await Promise.all(Array.from({ length: 200 }, () => activateInTime(server, user, key)));

    const given = all.filter(({ response }) => response.status === 200);
    const rejected = all.filter(({ response }) => response.body.code === 'MAX_ACTIVATIONS_REACHED');
    expect({ given: given.length, rejected: rejected.length }).toStrictEqual({ given: 5, rejected: 195 });
    expect(given.map(({ response }) => response.body.activations).sort()).toStrictEqual([1, 2, 3, 4, 5]);

    const { body } = await server.call('subscriptionStatus', { token: user.token });
    expect(body.license).toMatchObject({ activations: 5, max_activations: 5 });
    const { body: listed } = await server.call('listActivations', { token: user.token });
    const ids = (listed.activations as { activation_id: string }[]).map((each) => each.activation_id);
    expect(ids.sort()).toStrictEqual(given.map(({ activationId }) => activationId).sort());
  });

  it('succeed exactly five times across two processes on one database', async () => {
    const user = await signUp(server);
    const { key, id } = await issueLicense(server, '--email', user.email, '--max-activations', '5');
    // The admin command releases devices during the activations: the count never exceeds five.
    const first = await activate(server, user, key);
    const [all] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, () => activateInTime(server, user, key))),
      server.runProcess(['license', 'release', id, first.deviceId, '--json']),
    ]);
    const given = all.filter(({ response }) => response.status === 200).length;
    expect([4, 5]).toContain(given);
    const body = { license_key: key, device_id: newDeviceId() };
    const { body: result } = await server.call('validateLicense', { token: user.token, body });
    expect(result).toMatchObject({ activations: given, max_activations: 5 });
  });
});

describe('concurrent activations, leases and releases of a license for three devices', () => {
  it('never give more than three devices a lease or an activation', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '3');
    const leased = new Set<string>();
    const passOn = async () => {
      for (let round = 0; round < 5; round++) {
        const { deviceId, activationId, response } = await activate(server, user, key);
        if (response.status !== 200) continue;
        const leasing = server.call('lease', { token: user.token, body: { device_id: deviceId } });
        // In the first round every device gets its lease; later a release may come first.
        if (round === 0) await leasing;
        const releasing = server.call('releaseActivation', { token: user.token, at: activationId });
        const [given] = await Promise.all([leasing, releasing]);
        if (given.status === 200) leased.add(deviceId);
      }
    };
    await Promise.all(Array.from({ length: 20 }, passOn));
    expect(leased.size).toBe(3);
    const { body } = await server.call('subscriptionStatus', { token: user.token });
    expect(body.license).toMatchObject({ activations: 3, max_activations: 3 });
  });
});
