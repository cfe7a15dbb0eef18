/**
 * What the server says about the license of this device: which answers are conclusive, and which of them are recorded.
 */
import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { DeviceLicense } from '../../../electron/licensing/device-license.ts';
import { LicenseStore } from '../../../electron/licensing/license-store.ts';
import { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import { invalidLicenseCodes, type ValidateLicenseResponse } from '../../../shared/api/license.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { validLicense } from './sample-responses.ts';
import { licenseKey, replacingKey } from './scripted-server.ts';

const hourMs = 3_600_000;
/** The server's clock is an hour ahead of this machine's. */
const at = '2026-03-03T10:00:00.000Z';
const wallAt = '2026-03-03T09:00:00.000Z';

const valid = validLicense({ csv_export: true });
const refused: ValidateLicenseResponse = { valid: false, error: 'No.', code: 'LICENSE_REVOKED' };
const status = { has_subscription: false, subscription: null, license: null, features: {} };
const failure = { code: 'SERVER_UNREACHABLE', message: 'No.', at: wallAt };
const activation = { success: true, activation_id: 'a1', activations: 2, max_activations: 3, message: '' } as const;

type Answer = ApiResult<unknown> | (() => Promise<ApiResult<unknown>>);

const success = (response: unknown): ApiResult<unknown> => ({ kind: 'success', response, serverTimeMs: null });

async function start({ key = licenseKey as string | null, given = null as string | null } = {}) {
  const platform = createFakePlatform();
  const { clock, secrets, log, subtle } = platform;
  const store = new LicenseStore({ secrets, log, subtle });
  await store.open({ serverAddress: 'https://license.org', accountId: 'ada', deviceId: 'HW-1' }, null);
  await store.update({ licenseKey: key, activationId: 'a0', lease: 'lease', unknownKeyLease: 'later' });
  const trustedTime = new TrustedTime({ clock });
  trustedTime.confirm(clock.now() + hourMs);
  const answers: Answer[] = [];
  const calls: unknown[][] = [];
  const session = {
    call: async (...args: unknown[]) => {
      calls.push(args);
      const answer = answers.shift();
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  let notified = 0;
  const deviceLicense = new DeviceLicense({
    session,
    store,
    deviceIdentity: { id: 'HW-1' },
    deviceName: { current: 'Studio Mac', given },
    machine: { platform: `${'x'.repeat(200)}yz` },
    clock,
    trustedTime,
    changes: { notify: () => void notified++ },
  } as never);
  const writesBefore = secrets.writes.length;
  const writes = () => secrets.writes.length - writesBefore;
  return { deviceLicense, store, answers, calls, clock, trustedTime, notified: () => notified, writes };
}

describe('validating a key', () => {
  it('sends it with this device’s id, and records nothing', async () => {
    const { deviceLicense, answers, calls, store, notified } = await start();
    answers.push(success(valid));
    expect(await deviceLicense.validate('any')).toEqual(success(valid));
    expect(calls).toEqual([['validateLicense', { body: { license_key: 'any', device_id: 'HW-1' } }]]);
    expect(store.facts.validation).toBeNull();
    expect(notified()).toBe(0);
  });

  it.each(invalidLicenseCodes)('treats an error with the code %s as a refusal', async (code) => {
    const { deviceLicense, answers } = await start();
    answers.push({ kind: 'error', failure: { ...failure, code } });
    expect(await deviceLicense.validate('any')).toEqual(success({ valid: false, error: 'No.', code }));
  });

  it.each<ApiResult<unknown>>([
    { kind: 'error', failure: { ...failure, code: 'INVALID_REQUEST' } },
    { kind: 'inconclusive', failure: { ...failure, code: 'LICENSE_REVOKED' } },
    { kind: 'unsupported', failure },
  ])('treats no other answer as a refusal: $kind $failure.code', async (answer) => {
    const { deviceLicense, answers } = await start();
    answers.push(answer);
    expect(await deviceLicense.validate('any')).toEqual(answer);
  });

  it('does not adopt a code that only the client uses from a refusal', async () => {
    const { deviceLicense, answers } = await start();
    answers.push(success({ valid: false, error: 'No.', code: 'CANCELED' }));
    expect(await deviceLicense.validate('any')).toEqual(success({ valid: false, error: 'No.', code: 'OTHER' }));
  });

  it('truncates long texts of a refusal', async () => {
    const { deviceLicense, answers } = await start();
    answers.push(success({ valid: false, error: 'x'.repeat(501), code: 'C'.repeat(65) }));
    const short = { valid: false, error: 'x'.repeat(500), code: 'C'.repeat(64) };
    expect(await deviceLicense.validate('any')).toEqual(success(short));
  });
});

describe('activating this device', () => {
  it.each([undefined, 'a9'])('sends its name and platform, and the device it replaces: %s', async (replaces) => {
    const { deviceLicense, answers, calls, store } = await start();
    answers.push(success(activation));
    expect(await deviceLicense.callActivate({ licenseKey: 'any', replaces })).toEqual(success(activation));
    const platform = 'x'.repeat(200);
    const body = { license_key: 'any', device_id: 'HW-1', device_name: 'Studio Mac', platform };
    expect(calls).toStrictEqual([['activateLicense', { once: false, body: replaces ? { ...body, replaces } : body }]]);
    expect(store.facts.localChange).toBeNull();
  });

  it.each([valid, null])('is recorded together with the answer about the key, if there was one', async (validation) => {
    const { deviceLicense, store, trustedTime, notified, writes } = await start({ key: null, given: 'Mine' });
    await deviceLicense.recordActivation(licenseKey, activation, validation);
    expect(store.facts).toMatchObject({
      licenseKey,
      activationId: 'a1',
      givenName: 'Mine',
      localChange: { kind: 'activated', activations: 2, maxActivations: 3, at },
      validation: validation && { response: validation, at },
      lease: 'lease',
      time: trustedTime.reading(),
    });
    expect(notified()).toBe(1);
    expect(writes()).toBe(1);
  });
});

describe('validating the stored key', () => {
  it('sends nothing if there is none', async () => {
    const { deviceLicense, calls } = await start({ key: null });
    expect(await deviceLicense.validateStored()).toBeNull();
    expect(calls).toEqual([]);
  });

  it('records a success with the server’s time, and keeps the lease', async () => {
    const { deviceLicense, answers, calls, store, trustedTime, notified, writes } = await start();
    await store.update({ localChange: { kind: 'released', at } });
    answers.push(success(valid), success(valid));
    expect(await deviceLicense.validateStored()).toEqual(success(valid));
    expect(calls).toEqual([['validateLicense', { body: { license_key: licenseKey, device_id: 'HW-1' } }]]);
    const time = trustedTime.reading();
    const recorded = { validation: { response: valid, at }, localChange: null, lease: 'lease', endedAt: null, time };
    expect(store.facts).toMatchObject({ ...recorded, licenseKey, activationId: 'a0' });
    expect(notified()).toBe(1);
    expect(writes()).toBe(2);
    await deviceLicense.validateStored('later');
    expect(writes()).toBe(2);
  });

  it.each<[string, ValidateLicenseResponse]>([
    ['a no', refused],
    ['an activation elsewhere', { ...valid, already_activated_on_device: false }],
  ])('ends the lease on %s, and stores that immediately', async (_, response) => {
    const { deviceLicense, answers, store, writes } = await start();
    answers.push(success(response));
    await deviceLicense.validateStored('later');
    const ended = { lease: null, unknownKeyLease: null, endedAt: at };
    expect(store.facts).toMatchObject({ ...ended, validation: { response, at }, licenseKey });
    expect(writes()).toBe(1);
  });

  it('records nothing if the answer is inconclusive', async () => {
    const { deviceLicense, answers, store, notified } = await start();
    const answer: ApiResult<unknown> = { kind: 'inconclusive', failure };
    answers.push(answer);
    expect(await deviceLicense.validateStored()).toEqual(answer);
    expect(store.facts).toMatchObject({ validation: null, lease: 'lease' });
    expect(notified()).toBe(0);
  });

  type Started = Awaited<ReturnType<typeof start>>;
  it.each<[string, (started: Started) => Promise<void>]>([
    ['the key is another one', ({ store }) => store.update({ licenseKey: replacingKey })],
    ['a later answer was recorded', ({ deviceLicense }) => deviceLicense.recordValidation(valid)],
    ['this device was activated', ({ deviceLicense }) => deviceLicense.recordActivation(licenseKey, activation, null)],
    ['this device was released', ({ deviceLicense }) => deviceLicense.recordRelease()],
    ['the key was replaced', ({ deviceLicense }) => deviceLicense.recordNewKey(licenseKey, null)],
    ['a lease was imported', ({ deviceLicense }) => deviceLicense.recordOfflineKey(licenseKey)],
    ...(['recordRelease', 'recordNewKey', 'recordOfflineKey', 'recordActivation'] as const).map(
      (name): [string, (started: Started) => Promise<void>] => [
        `${name} was followed by a later answer`,
        async ({ deviceLicense }) => {
          const acts = {
            recordRelease: () => deviceLicense.recordRelease(),
            recordNewKey: () => deviceLicense.recordNewKey(licenseKey, null),
            recordOfflineKey: () => deviceLicense.recordOfflineKey(licenseKey),
            recordActivation: () => deviceLicense.recordActivation(licenseKey, activation, null),
          };
          await acts[name]();
          await deviceLicense.recordValidation(valid);
        },
      ],
    ),
  ])('records nothing if meanwhile %s', async (_, act) => {
    const started = await start();
    const { deviceLicense, answers, store } = started;
    answers.push(async () => {
      await act(started);
      return success(refused);
    });
    expect(await deviceLicense.validateStored()).toEqual(success(refused));
    expect(store.facts.validation?.response).not.toEqual(refused);
  });
});

describe('loading the account’s status', () => {
  it('records the answer with the time of this machine', async () => {
    const { deviceLicense, answers, calls, store, notified, writes } = await start();
    answers.push(success(status), success(status));
    expect(await deviceLicense.loadStatus()).toEqual(success(status));
    expect(calls).toEqual([['subscriptionStatus']]);
    expect(store.facts.status).toEqual({ response: status, at: wallAt });
    expect(notified()).toBe(1);
    expect(writes()).toBe(1);
    await deviceLicense.loadStatus('later');
    expect(writes()).toBe(1);
  });

  it('records nothing if the answer is inconclusive, or this device was changed meanwhile', async () => {
    const { deviceLicense, answers, store } = await start();
    answers.push({ kind: 'inconclusive', failure });
    expect(await deviceLicense.loadStatus()).toEqual({ kind: 'inconclusive', failure });
    const changes = [
      () => deviceLicense.recordActivation(licenseKey, activation, null),
      () => deviceLicense.recordRelease(),
      () => deviceLicense.recordNewKey(licenseKey, null),
      () => deviceLicense.recordOfflineKey(licenseKey),
    ];
    for (const change of changes) {
      answers.push(async () => {
        await change();
        return success(status);
      });
      await deviceLicense.loadStatus();
      expect(store.facts.status).toBeNull();
    }
    answers.push(async () => {
      await deviceLicense.recordValidation(valid);
      return success(status);
    });
    await deviceLicense.loadStatus();
    expect(store.facts.status).toEqual({ response: status, at: wallAt });
  });
});

describe('recording', () => {
  it('an answer about a new key stores the key', async () => {
    const { deviceLicense, store, writes } = await start();
    await deviceLicense.recordValidation(valid, { licenseKey: replacingKey, activationId: 'a2' });
    expect(store.facts).toMatchObject({
      licenseKey: replacingKey,
      activationId: 'a2',
      validation: { response: valid },
    });
    expect(writes()).toBe(1);
  });

  it('a replaced key keeps the other facts', async () => {
    const { deviceLicense, store, writes, notified } = await start();
    const validation = { response: valid, at: wallAt };
    await deviceLicense.recordNewKey(replacingKey, validation);
    expect(store.facts).toMatchObject({ licenseKey: replacingKey, validation, activationId: 'a0', lease: 'lease' });
    expect([writes(), notified()]).toEqual([1, 1]);
  });

  it('the key of an imported lease discards the facts about another key', async () => {
    const { deviceLicense, store } = await start();
    await deviceLicense.recordActivation(licenseKey, activation, valid);
    await deviceLicense.recordOfflineKey(replacingKey);
    const none = { activationId: null, validation: null, localChange: null };
    expect(store.facts).toMatchObject({ ...none, licenseKey: replacingKey, lease: 'lease' });
  });

  it('a release ends the lease and keeps the key', async () => {
    const { deviceLicense, store } = await start();
    await deviceLicense.recordRelease();
    expect(store.facts).toMatchObject({
      ...{ licenseKey, activationId: null, lease: null, unknownKeyLease: null, endedAt: at },
      localChange: { kind: 'released', at },
    });
  });
});
