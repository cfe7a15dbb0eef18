/** Two hundred devices ask for the five slots of a license at once: five get one. */
import { describe, expect, it } from 'vitest';
import { startedService } from '../harness/use-server.ts';
import { activate, issueLicense, newDeviceId, signUp } from '../harness/users.ts';

const service = startedService();

describe('two hundred concurrent activations of a license of five', () => {
  it('give exactly five slots, and refuse the others with MAX_ACTIVATIONS_REACHED', async () => {
    const person = await signUp(service);
    const { key } = await issueLicense(service, '--email', person.email, '--max-activations', '5');
    const all = await Promise.all(Array.from({ length: 200 }, () => activate(service, person, key)));

    const given = all.filter(({ answer }) => answer.status === 200);
    const refused = all.filter(({ answer }) => answer.body.code === 'MAX_ACTIVATIONS_REACHED');
    expect({ given: given.length, refused: refused.length }).toStrictEqual({ given: 5, refused: 195 });
    expect(given.map(({ answer }) => answer.body.activations).sort()).toStrictEqual([1, 2, 3, 4, 5]);

    const { body } = await service.call('subscriptionStatus', { token: person.token });
    expect(body.license).toMatchObject({ activations: 5, max_activations: 5 });
    const { body: listed } = await service.call('listActivations', { token: person.token });
    const ids = (listed.activations as { activation_id: string }[]).map((each) => each.activation_id);
    expect(ids.sort()).toStrictEqual(given.map(({ activationId }) => activationId).sort());
  });

  it('that come through two processes on one database give exactly five as well', async () => {
    const person = await signUp(service);
    const { key, id } = await issueLicense(service, '--email', person.email, '--max-activations', '5');
    // The admin command releases devices while they come: the count never passes five.
    const first = await activate(service, person, key);
    const [all] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, () => activate(service, person, key))),
      service.command(['license', 'release', id, first.deviceId, '--json']),
    ]);
    const given = all.filter(({ answer }) => answer.status === 200).length;
    expect([4, 5]).toContain(given);
    const body = { license_key: key, device_id: newDeviceId() };
    const { body: verdict } = await service.call('validateLicense', { token: person.token, body });
    expect(verdict).toMatchObject({ activations: given, max_activations: 5 });
  });
});
