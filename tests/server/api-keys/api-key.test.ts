/** `POST /metrics/api-key`: a key is shown once, then identified by its prefix, and replaced on request. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isWellFormedApiKey } from '../../../shared/formats/api-key.ts';
import { apiKey, apiKeyPrefix, envelope, invalid, sentence, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { isoFromNow, issueLicense, signUp, subscribe, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();
function askForKey({ token }: User, body?: unknown) {
  return server.call('apiKey', { token, body });
}

function validate(key: string) {
  return server.call('validateApiKey', { body: { api_key: key } });
}

const newKeyShape = {
  api_key: apiKey,
  is_legacy: false,
  plan: 'standard',
  features: { api_access: true },
  created_at: timestamp,
  message: sentence,
};

const { api_key: _, ...commonFields } = newKeyShape;
const existingKeyShape = { ...commonFields, api_key_prefix: apiKeyPrefix };

describe('the first request', () => {
  it('without a body generates a key, with exactly the fields of the interface', async () => {
    const { status, body } = await askForKey(await subscriber(server));
    expect(status).toBe(200);
    expect(body).toStrictEqual(newKeyShape);
  });

  it.each([{}, { regenerate: false }, { regenerate: true }])('with %j generates a key', async (body) => {
    const response = await askForKey(await subscriber(server), body);
    expect(response.body).toStrictEqual({ ...newKeyShape, created_at: isoFromNow(server, 0) });
  });

  it('stores and logs nothing from which the key could be read', async () => {
    const key = stringIn((await askForKey(await subscriber(server))).body, 'api_key');
    const rows = await server.database.read.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(server.logText()).not.toContain(key);
  });

  it('generates only one key when sent ten times at once', async () => {
    const user = await subscriber(server);
    const responses = await Promise.all(Array.from({ length: 10 }, () => askForKey(user)));
    expect(responses.map(({ status }) => status)).toStrictEqual(Array.from({ length: 10 }, () => 200));
    const shown = responses.filter(({ body }) => 'api_key' in body);
    expect(shown).toHaveLength(1);
    expect(responses.filter(({ body }) => 'api_key_prefix' in body)).toHaveLength(9);
    expect((await validate(stringIn(shown[0]?.body ?? {}, 'api_key'))).body).toMatchObject({ valid: true });
  });

  it('returns a key of 35 characters, the last two of which are the checksum of the others', async () => {
    const key = stringIn((await askForKey(await subscriber(server))).body, 'api_key');
    expect(key).toHaveLength(35);
    expect(isWellFormedApiKey(key)).toBe(true);
  });
});

describe('with an existing key', () => {
  let user: User;
  let key: string;

  beforeAll(async () => {
    user = await subscriber(server);
    key = stringIn((await askForKey(user)).body, 'api_key');
  });

  it.each([
    ['without a body', undefined],
    ['with an empty object', {}],
    ['that asks for no regeneration', { regenerate: false }],
    ['with unknown fields', { rotate: true, plan: 'advanced' }],
  ])('an account gets the prefix and never the key again: a request %s', async (_name, body) => {
    const response = await askForKey(user, body);
    expect(response.status).toBe(200);
    expect(response.body).toStrictEqual(existingKeyShape);
    expect(response.body.api_key_prefix).toBe(key.slice(0, 13));
    expect(response.text).not.toContain(key);
  });

  it('an account sees when the key was created', async () => {
    const owner = await subscriber(server);
    const { created_at: createdAt } = (await askForKey(owner)).body;
    expect(createdAt).toBe(isoFromNow(server, 0));
    server.clock.advance(1000);
    expect((await askForKey(owner)).body.created_at).toBe(createdAt);
  });

  it('an account may send the JSON media type without a body', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await server.call('apiKey', { token: user.token, headers });
    expect(response.status).toBe(200);
    expect(response.body).toStrictEqual(existingKeyShape);
  });

  it('two accounts have different keys', async () => {
    const { body } = await askForKey(await subscriber(server));
    expect(body.api_key).not.toBe(key);
  });
});

describe('a regeneration', () => {
  it('returns a new key, and the old one is invalid at once', async () => {
    const user = await subscriber(server);
    const old = stringIn((await askForKey(user)).body, 'api_key');
    const response = await askForKey(user, { regenerate: true });
    expect(response.body).toStrictEqual(newKeyShape);
    const fresh = stringIn(response.body, 'api_key');
    expect(fresh).not.toBe(old);
    expect((await validate(old)).body).toStrictEqual(invalid('INVALID_API_KEY'));
    expect((await validate(fresh)).body).toMatchObject({ valid: true });
    expect((await askForKey(user)).body.api_key_prefix).toBe(fresh.slice(0, 13));
  });
});

describe('without access', () => {
  it('an account without a subscription gets API_ACCESS_DISABLED', async () => {
    const { status, body } = await askForKey(await signUp(server));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('an account with only a license gets API_ACCESS_DISABLED', async () => {
    const user = await signUp(server);
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    expect((await askForKey(user)).body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('a regeneration gets the same error', async () => {
    const [none, canceled] = [await signUp(server), await subscriber(server, 'standard', '--status', 'canceled')];
    expect((await askForKey(none, { regenerate: true })).body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
    expect((await askForKey(canceled, { regenerate: true })).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
  });

  it('an account on a plan without API access gets API_ACCESS_DISABLED', async () => {
    const { status, body } = await askForKey(await subscriber(server, 'free'));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it.each(['canceled', 'expired'])('an account whose subscription is %s gets SUBSCRIPTION_INACTIVE', async (state) => {
    const { status, body } = await askForKey(await subscriber(server, 'standard', '--status', state));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
  });

  it('an account whose period has ended gets SUBSCRIPTION_INACTIVE', async () => {
    const user = await subscriber(server, 'standard', '--period-end', isoFromNow(server, -1000));
    expect((await askForKey(user)).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
  });

  it('an account neither sees nor replaces its key, which works again with a new subscription', async () => {
    const user = await subscriber(server);
    const key = stringIn((await askForKey(user)).body, 'api_key');
    await subscribe(server, user, 'standard', '--status', 'canceled');
    expect((await askForKey(user)).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    expect((await askForKey(user, { regenerate: true })).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    expect((await validate(key)).body).toStrictEqual(invalid('SUBSCRIPTION_INACTIVE'));
    await subscribe(server, user, 'free');
    expect((await validate(key)).body).toStrictEqual(invalid('API_ACCESS_DISABLED'));
    await subscribe(server, user, 'advanced');
    expect((await askForKey(user)).body).toMatchObject({ api_key_prefix: key.slice(0, 13), plan: 'advanced' });
    expect((await validate(key)).body).toMatchObject({ valid: true, plan: 'advanced' });
  });
});

describe('a session that ends after its request was admitted', () => {
  const idempotent = { headers: { 'idempotency-key': 'a key for one request' } };
  const signedOut = { status: 401, body: envelope('INVALID_TOKEN') };

  async function askSignedOutMeanwhile({ token, refreshToken }: User, options: Partial<typeof idempotent>) {
    const write = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
      await server.call('logout', { body: { refresh_token: refreshToken } });
      return server.database.write(work);
    });
    const response = await server.call('apiKey', { token, ...options });
    write.mockRestore();
    return response;
  }

  it.each([
    { name: 'without an Idempotency-Key', options: {} },
    { name: 'with an Idempotency-Key', options: idempotent },
  ])('gets no key $name', async ({ options }) => {
    const user = await subscriber(server);
    expect(await askSignedOutMeanwhile(user, options)).toMatchObject(signedOut);
    const keys = server.database.read.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
    expect(await keys.execute()).toStrictEqual([]);
  });

  it('is not shown again the key that it has generated', async () => {
    const user = await subscriber(server);
    expect((await server.call('apiKey', { token: user.token, ...idempotent })).status).toBe(200);
    expect(await askSignedOutMeanwhile(user, idempotent)).toMatchObject(signedOut);
  });
});

describe('a plan created by an admin', () => {
  it('includes API access if the admin enabled it', async () => {
    await server.admin('plan', 'set', 'laboratory', '--max-devices', '5', '--feature', 'api_access=true');
    const { status, body } = await askForKey(await subscriber(server, 'laboratory'));
    expect(status).toBe(200);
    expect(body).toStrictEqual({ ...newKeyShape, plan: 'laboratory' });
  });
});

it('of the keys that an account has replaced, only the newest are stored, however often it replaces its key', async () => {
  const { token, id } = await subscriber(server);
  const made: number[] = [];
  for (let count = 0; count < 110; count += 1) {
    server.clock.advance(1);
    made.push(server.now());
    expect((await server.call('apiKey', { token, body: { regenerate: true } })).status).toBe(200);
  }
  const keys = server.database.read.selectFrom('api_keys').where('user_id', '=', id);
  const stored = await keys.selectAll().orderBy('created_at_ms').execute();
  expect(stored.map(({ created_at_ms }) => created_at_ms)).toEqual(made.slice(-101));
  expect(stored.filter(({ revoked_at_ms }) => revoked_at_ms === null)).toHaveLength(1);
});
