/** `admin license` and `admin api-key`, as processes of their own beside a running server. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectDocument, expectFailure, expectUsage } from '../harness/expect-command.ts';
import { licenseKey, licensePreview, timestamp, uuid } from '../harness/response-shapes.ts';
import { type Json, startedService } from '../harness/use-server.ts';
import { activate, isoFromNow, issueLicense, newDeviceId, newEmail, signUp, subscriber } from '../harness/users.ts';

const service = startedService();

const licenseFields = { id: uuid, key_preview: licensePreview, status: 'active', activations: 0 };

describe.concurrent('license issue', () => {
  it('prints the key and the license: for nobody, on standard, where nothing else is said', async () => {
    const issued = expectDocument(await service.command(['license', 'issue', '--json']));
    expect(Object.keys(issued).sort()).toStrictEqual(['license', 'license_key']);
    expect(issued).toMatchObject({
      license_key: licenseKey,
      license: { ...licenseFields, plan: 'standard', max_activations: 3 },
    });
  });

  it('takes the plan of the owner where there is one', async () => {
    const { email } = await subscriber(service, 'advanced');
    expect(await service.admin('license', 'issue', '--email', email)).toMatchObject({
      license: { plan: 'advanced', max_activations: 10 },
    });
  });

  it('takes standard for an owner without a subscription', async () => {
    const { email } = await signUp(service);
    expect(await service.admin('license', 'issue', '--email', email)).toMatchObject({ license: { plan: 'standard' } });
  });

  it('takes the plan, the number of devices and the end that are said, past or not', async () => {
    const parameters = ['--plan', 'free', '--max-activations', '25', '--expires-at', '2019-12-31T00:00:00Z'];
    expect(await service.admin('license', 'issue', ...parameters)).toMatchObject({
      license: { plan: 'free', max_activations: 25, status: 'expired', activations: 0 },
    });
  });

  it('never issues the same key twice, and shows it in no list', async () => {
    const [one, other] = [await issueLicense(service), await issueLicense(service)];
    expect(one.key).not.toBe(other.key);
    const { stdout } = await service.command(['license', 'list', '--json']);
    expect(stdout).not.toContain(one.key);
  });

  it('fails for an owner or a plan that does not exist', async () => {
    expectFailure(await service.command(['license', 'issue', '--email', newEmail(), '--json']), 'USER_NOT_FOUND');
    expect((await service.command(['license', 'issue', '--plan', 'platinum', '--json'])).code).toBe(1);
  });

  it.each([
    ['--with-subscription and no owner', ['--with-subscription']],
    ['a number that is none', ['--max-activations', 'all']],
    ['a date that is none', ['--expires-at', 'never']],
    ['an argument too many', ['for-me']],
  ])('is wrong usage with %s', async (_, more) => {
    expectUsage(await service.command(['license', 'issue', ...more, '--json']));
  });
});

describe.concurrent('license list', () => {
  it('is an array of all licenses, or of those of one account', async () => {
    const { email } = await signUp(service);
    const { id } = await issueLicense(service, '--email', email);
    const other = await issueLicense(service);
    const own = expectDocument<Json[]>(await service.command(['license', 'list', '--email', email, '--json']));
    expect(own).toMatchObject([{ ...licenseFields, id }]);
    const ids = expectDocument<Json[]>(await service.command(['license', 'list', '--json'])).map((each) => each.id);
    expect(ids).toEqual(expect.arrayContaining([id, other.id]));
  });

  it('is an empty array for an account without one', async () => {
    const { email } = await signUp(service);
    expect(expectDocument(await service.command(['license', 'list', '--email', email, '--json']))).toStrictEqual([]);
  });
});

describe.concurrent('license set', () => {
  it.each(['inactive', 'revoked', 'expired', 'active'])('sets the status %s and prints the license', async (status) => {
    const { id } = await issueLicense(service);
    const printed = expectDocument(await service.command(['license', 'set', id, '--status', status, '--json']));
    expect(printed).toMatchObject({ ...licenseFields, id, status });
  });

  it('fails with NOT_FOUND for an id that does not exist', async () => {
    for (const id of [randomUUID(), 'rubbish']) {
      expectFailure(await service.command(['license', 'set', id, '--status', 'active', '--json']), 'NOT_FOUND');
    }
  });

  it.each([
    ['an unknown status', ['--status', 'lost']],
    ['a status of subscriptions', ['--status', 'canceled']],
    ['no status', []],
  ])('is wrong usage with %s', async (_, more) => {
    expectUsage(await service.command(['license', 'set', randomUUID(), ...more, '--json']));
  });
});

describe.concurrent('license release', () => {
  it('frees the slot of a device and prints the license', async () => {
    const person = await signUp(service);
    const { id, key } = await issueLicense(service, '--email', person.email, '--max-activations', '1');
    const { deviceId } = await activate(service, person, key);
    const printed = expectDocument(await service.command(['license', 'release', id, deviceId, '--json']));
    expect(printed).toMatchObject({ ...licenseFields, id, max_activations: 1 });
    expect((await activate(service, person, key)).answer.body).toMatchObject({ success: true, activations: 1 });
  });

  it('fails for a device that is not active on it, and for a license that does not exist', async () => {
    const { id } = await issueLicense(service);
    expect((await service.command(['license', 'release', id, newDeviceId(), '--json'])).code).toBe(1);
    const nowhere = await service.command(['license', 'release', randomUUID(), newDeviceId(), '--json']);
    expectFailure(nowhere, 'NOT_FOUND');
  });
});

describe.concurrent('api-key import-legacy', () => {
  it('prints the prefix and the dates, and not the key', async () => {
    const { email } = await signUp(service);
    const key = `old-${randomUUID()}`;
    const end = isoFromNow(86_400_000);
    const result = await service.command([
      'api-key',
      'import-legacy',
      email,
      '--key',
      key,
      '--expires-at',
      end,
      '--json',
    ]);
    expect(expectDocument(result)).toMatchObject({ api_key_prefix: expect.any(String), created_at: timestamp });
    expect(result.stdout).toContain(end);
    expect(result.stdout).not.toContain(key);
  });

  it('by SHA-256 has the prefix of question marks', async () => {
    const { email } = await signUp(service);
    const more = ['--sha256', 'ab'.repeat(32), '--expires-at', '2020-01-01T00:00:00Z'];
    expect(await service.admin('api-key', 'import-legacy', email, ...more)).toMatchObject({
      api_key_prefix: 'svc_live_????',
    });
  });

  it('fails with USER_NOT_FOUND for nobody', async () => {
    const parameters = [
      'api-key',
      'import-legacy',
      newEmail(),
      '--key',
      'old',
      '--expires-at',
      isoFromNow(0),
      '--json',
    ];
    expectFailure(await service.command(parameters), 'USER_NOT_FOUND');
  });

  it('never takes the key of another account from it', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const key = `old-${randomUUID()}`;
    const importFor = (email: string) =>
      service.command(['api-key', 'import-legacy', email, '--key', key, '--expires-at', isoFromNow(60_000), '--json']);
    expectDocument(await importFor(one.email));
    expect((await importFor(other.email)).code).toBe(1);
    expect((await service.call('apiKey', { token: one.token })).body).toMatchObject({ is_legacy: true });
  });

  it.each([
    ['neither key nor hash', ['--expires-at', '2027-01-01']],
    ['key and hash', ['--key', 'old', '--sha256', 'ab'.repeat(32), '--expires-at', '2027-01-01']],
    ['a hash that is none', ['--sha256', 'abc', '--expires-at', '2027-01-01']],
    ['no end', ['--key', 'old']],
  ])('is wrong usage with %s', async (_, more) => {
    expectUsage(await service.command(['api-key', 'import-legacy', newEmail(), ...more, '--json']));
  });
});

describe.concurrent('api-key revoke', () => {
  it('prints what was revoked, and the next request of the owner makes a new key', async () => {
    const person = await subscriber(service);
    await service.call('apiKey', { token: person.token });
    const printed = expectDocument(await service.command(['api-key', 'revoke', person.email, '--json']));
    expect(printed).toMatchObject({ api_key_prefix: expect.stringMatching(/^svc_live_/) });
    const { body } = await service.call('apiKey', { token: person.token });
    expect(body).toMatchObject({ api_key: expect.stringMatching(/^svc_live_/) });
  });

  it('fails for an account without a key', async () => {
    const { email } = await signUp(service);
    expect((await service.command(['api-key', 'revoke', email, '--json'])).code).toBe(1);
  });
});
