/** `POST /metrics/api-key/validate`: whether a key is valid, sent in the body or in a header, without a session. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { envelope, invalid } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { type CallOptions, stringIn } from '../../harness/test-client.ts';
import { isoFromNow, subscribe, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();
let key: string;
let otherKey: string;

beforeAll(async () => {
  [key, otherKey] = [await keyOf(await subscriber(server)), await keyOf(await subscriber(server, 'advanced'))];
});

async function keyOf({ token }: User): Promise<string> {
  return stringIn((await server.call('apiKey', { token })).body, 'api_key');
}

async function validate(options: CallOptions) {
  const response = await server.call('validateApiKey', options);
  expect(response.status).toBe(200);
  return response.body;
}

const validOnStandard = {
  valid: true,
  plan: 'standard',
  source: 'new',
  features: { api_access: true, csv_export: true },
  subscription_active: true,
};

describe('a valid key', () => {
  it('is described by exactly the fields of the interface', async () => {
    expect(await validate({ body: { api_key: key } })).toStrictEqual(validOnStandard);
  });

  it('has the plan of its owner', async () => {
    expect(await validate({ body: { api_key: otherKey } })).toStrictEqual({ ...validOnStandard, plan: 'advanced' });
  });

  it('needs no Bearer token, and an invalid one is ignored', async () => {
    expect(await validate({ body: { api_key: key }, token: 'rubbish' })).toStrictEqual(validOnStandard);
  });

  it.each(['trialing', 'past_due'])('is valid while the subscription is %s', async (status) => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await subscribe(server, user, 'standard', '--status', status);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(validOnStandard);
  });

  it('shows which features the plan lacks', async () => {
    await server.admin('plan', 'set', 'keys-only', '--feature', 'api_access=true');
    const own = await keyOf(await subscriber(server, 'keys-only'));
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
  ])('is accepted %s', async (_, body) => {
    const sent = body === 'same' ? { api_key: key } : body;
    expect(await validate({ headers: { 'x-api-key': key }, body: sent })).toStrictEqual(validOnStandard);
  });

  it('gets VALIDATION_ERROR, in the plain envelope, if the body contains another key', async () => {
    const response = await server.call('validateApiKey', {
      headers: { 'x-api-key': key },
      body: { api_key: otherKey },
    });
    expect(response.status).toBe(400);
    expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('with an unknown key gets INVALID_API_KEY', async () => {
    const headers = { 'x-api-key': formatApiKey('A'.repeat(24)) };
    expect(await validate({ headers })).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});

describe('a request without a key', () => {
  it.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['other fields', { key: 'svc_live_', apiKey: 'x' }],
    ['a list', ['x']],
  ])('gets VALIDATION_ERROR, in the plain envelope: %s', async (_, body) => {
    const response = await server.call('validateApiKey', { body });
    expect(response.status).toBe(400);
    expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('an invalid key', () => {
  const keys: readonly (readonly [string, () => string])[] = [
    ['is empty', () => ''],
    ['is blank', () => ' '],
    ['is a word', () => 'rubbish'],
    ['is the prefix', () => 'svc_live_'],
    ['is as long as fits in a body', () => 'x'.repeat(60_000)],
    ['is a NUL', () => '\0'],
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

  it.each(keys)('gets INVALID_API_KEY if it %s', async (_, spell) => {
    expect(await validate({ body: { api_key: spell() } })).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});

describe('a previously valid key', () => {
  it.each(['canceled', 'expired'])('gets SUBSCRIPTION_INACTIVE while the subscription is %s', async (status) => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await subscribe(server, user, 'standard', '--status', status);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
  });

  it('gets SUBSCRIPTION_INACTIVE once the period has ended, and is valid again after a renewal', async () => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await subscribe(server, user, 'standard', '--period-end', isoFromNow(server, -1000));
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
    await subscribe(server, user, 'standard');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(validOnStandard);
  });

  it('gets SUBSCRIPTION_INACTIVE as soon as the period ends, without any job having to run', async () => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await subscribe(server, user, 'standard', '--period-end', isoFromNow(server, 1000));
    server.clock.advance(999);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(validOnStandard);
    server.clock.advance(1);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
  });

  it('gets API_ACCESS_DISABLED on a plan without API access', async () => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await subscribe(server, user, 'free');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('API_ACCESS_DISABLED'));
  });

  it('gets API_ACCESS_DISABLED as soon as an admin removes the feature from its plan', async () => {
    await server.admin('plan', 'set', 'fading', '--feature', 'api_access=true');
    const own = await keyOf(await subscriber(server, 'fading'));
    expect(await validate({ body: { api_key: own } })).toMatchObject({ valid: true });
    await server.admin('plan', 'set', 'fading', '--feature', 'api_access=false');
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('API_ACCESS_DISABLED'));
  });

  it('gets INVALID_API_KEY once an admin revoked it', async () => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await server.admin('api-key', 'revoke', user.email);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('INVALID_API_KEY'));
  });

  it('gets INVALID_API_KEY once the account was deleted', async () => {
    const user = await subscriber(server);
    const own = await keyOf(user);
    await server.admin('user', 'delete', user.email);
    expect(await validate({ body: { api_key: own } })).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});
