/** `POST /metrics/api-key/validate`: a stranger asks whether a key is good, in the body or in a header. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatApiKey } from '../../shared/formats/api-key.ts';
import { sendRawToRoute } from '../harness/raw-request.ts';
import { envelope, verdict } from '../harness/response-shapes.ts';
import { type CallOptions, stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { isoFromNow, type Person, subscribe, subscriber } from '../harness/users.ts';

const service = startedService();
let key: string;
let otherKey: string;

beforeAll(async () => {
  [key, otherKey] = [await keyOf(await subscriber(service)), await keyOf(await subscriber(service, 'advanced'))];
}, 60_000);

async function keyOf({ token }: Person): Promise<string> {
  return stringIn((await service.call('apiKey', { token })).body, 'api_key');
}

async function validate(options: CallOptions) {
  const answer = await service.call('validateApiKey', options);
  expect(answer.status).toBe(200);
  return answer.body;
}

const validOnStandard = {
  valid: true,
  plan: 'standard',
  source: 'new',
  features: { api_access: true, csv_export: true },
  subscription_active: true,
};

describe('a good key', () => {
  it('is described by exactly the fields of the interface', async () => {
    expect(await validate({ body: { api_key: key } })).toStrictEqual(validOnStandard);
  });

  it('has the plan of its owner', async () => {
    expect(await validate({ body: { api_key: otherKey } })).toStrictEqual({ ...validOnStandard, plan: 'advanced' });
  });

  it('needs no Bearer token, and takes no notice of a bad one', async () => {
    expect(await validate({ body: { api_key: key }, token: 'rubbish' })).toStrictEqual(validOnStandard);
  });

  it.each(['trialing', 'past_due'])('is good while the subscription is %s', async (status) => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await subscribe(service, person, 'standard', '--status', status);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(validOnStandard);
  });

  it('says which of its features the plan lacks', async () => {
    await service.admin('plan', 'set', 'keys-only', '--feature', 'api_access=true');
    const own = await keyOf(await subscriber(service, 'keys-only'));
    expect(await validate({ body: { api_key: own } })).toStrictEqual({
      ...validOnStandard,
      plan: 'keys-only',
      features: { api_access: true, csv_export: false },
    });
  });
});

describe('the header x-api-key', () => {
  it.each([
    ['without a body', undefined],
    ['with an empty object', {}],
    ['with the same key in the body', 'same'],
  ])('carries the key %s', async (_, body) => {
    const sent = body === 'same' ? { api_key: key } : body;
    expect(await validate({ headers: { 'x-api-key': key }, body: sent })).toStrictEqual(validOnStandard);
  });

  it('and a body that says something else are VALIDATION_ERROR, in the plain envelope', async () => {
    const answer = await service.call('validateApiKey', { headers: { 'x-api-key': key }, body: { api_key: otherKey } });
    expect(answer.status).toBe(400);
    expect(answer.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('with an unknown key is INVALID_API_KEY', async () => {
    const headers = { 'x-api-key': formatApiKey('A'.repeat(24)) };
    expect(await validate({ headers })).toStrictEqual(verdict('INVALID_API_KEY'));
  });

  it('sent twice with different keys opens nothing', async () => {
    const path = '/api/v1/metrics/api-key/validate';
    const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nx-api-key: ${otherKey}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const { status, text } = await sendRawToRoute(service.url, path, request);
    expect(status).toBeLessThan(500);
    expect(JSON.parse(text)).not.toMatchObject({ valid: true });
  });
});

describe('no key at all', () => {
  it.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['other fields', { key: 'svc_live_', apiKey: 'x' }],
  ])('is VALIDATION_ERROR, in the plain envelope: %s', async (_, body) => {
    const answer = await service.call('validateApiKey', { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('a key that is none', () => {
  const keys: readonly (readonly [string, () => string])[] = [
    ['is empty', () => ''],
    ['is blank', () => ' '],
    ['is a word', () => 'rubbish'],
    ['is the prefix', () => 'svc_live_'],
    ['is a prefix as it is shown later', () => key.slice(0, 13)],
    ['is unknown though its checksum fits', () => formatApiKey('A'.repeat(24))],
    ['has a wrong checksum', () => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')],
    ['differs in one character', () => `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`],
    ['is in another case', () => key.toUpperCase()],
    ['has a space after it', () => `${key} `],
    ['has a line break after it', () => `${key}\n`],
    ['is cut', () => key.slice(0, -1)],
    ['has one character more', () => `${key}A`],
    ['is for another environment', () => key.replace('live', 'test')],
    ['holds SQL', () => "svc_live_' OR '1'='1' --"],
    ['holds a NUL', () => `${key}\u0000`],
    ['has a lone surrogate', () => `${key.slice(0, -1)}\ud800`],
    ['has ten thousand characters', () => `svc_live_${'A'.repeat(10_000)}`],
  ];

  it.each(keys)('is INVALID_API_KEY where it %s', async (_, spell) => {
    expect(await validate({ body: { api_key: spell() } })).toStrictEqual(verdict('INVALID_API_KEY'));
  });
});

describe('a key that was good', () => {
  it.each(['canceled', 'expired'])('is SUBSCRIPTION_INACTIVE while the subscription is %s', async (status) => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await subscribe(service, person, 'standard', '--status', status);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('SUBSCRIPTION_INACTIVE'));
  });

  it('is SUBSCRIPTION_INACTIVE once the period has passed, and good again after a renewal', async () => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await subscribe(service, person, 'standard', '--period-end', isoFromNow(-1000));
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('SUBSCRIPTION_INACTIVE'));
    await subscribe(service, person, 'standard');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(validOnStandard);
  });

  it('is API_ACCESS_DISABLED on a plan that lacks it', async () => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await subscribe(service, person, 'free');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('API_ACCESS_DISABLED'));
  });

  it('is API_ACCESS_DISABLED from the moment at which the admin takes the feature from its plan', async () => {
    await service.admin('plan', 'set', 'fading', '--feature', 'api_access=true');
    const own = await keyOf(await subscriber(service, 'fading'));
    expect(await validate({ body: { api_key: own } })).toMatchObject({ valid: true });
    await service.admin('plan', 'set', 'fading', '--feature', 'api_access=false');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('API_ACCESS_DISABLED'));
  });

  it('is INVALID_API_KEY once an admin revoked it', async () => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await service.admin('api-key', 'revoke', person.email);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('INVALID_API_KEY'));
  });

  it('is INVALID_API_KEY once the account was deleted', async () => {
    const person = await subscriber(service);
    const own = await keyOf(person);
    await service.admin('user', 'delete', person.email);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(verdict('INVALID_API_KEY'));
  });
});
