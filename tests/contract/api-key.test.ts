/** `POST /metrics/api-key`: a key is shown once, found again by its prefix, and replaced on demand. */
import { beforeAll, describe, expect, it } from 'vitest';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { apiKey, apiKeyPrefix, envelope, sentence, timestamp, verdict } from '../harness/response-shapes.ts';
import { stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { isoFromNow, issueLicense, type Person, signUp, subscribe, subscriber } from '../harness/users.ts';

const service = startedService();
let pool: Person[];

beforeAll(async () => {
  pool = [];
  for (let count = 0; count < 8; count++) pool.push(await subscriber(service));
}, 60_000);

/** An account on the standard plan that nobody has used yet. */
function freshSubscriber(): Person {
  const person = pool.pop();
  if (!person) throw new Error('the pool of subscribers is too small for the cases of this file');
  return person;
}

function askForKey({ token }: Person, body?: unknown) {
  return service.call('apiKey', { token, body });
}

function validate(key: string) {
  return service.call('validateApiKey', { body: { api_key: key } });
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
    const { status, body } = await askForKey(freshSubscriber());
    expect(status).toBe(200);
    expect(body).toStrictEqual(newKeyShape);
  });

  it('with an empty object generates a key', async () => {
    expect((await askForKey(freshSubscriber(), {})).body).toStrictEqual(newKeyShape);
  });

  it('that asks for a regeneration generates a key', async () => {
    expect((await askForKey(freshSubscriber(), { regenerate: true })).body).toStrictEqual(newKeyShape);
  });

  it('that comes ten times at once generates one key', async () => {
    const person = freshSubscriber();
    const answers = await Promise.all(Array.from({ length: 10 }, () => askForKey(person)));
    expect(answers.map(({ status }) => status)).toStrictEqual(Array.from({ length: 10 }, () => 200));
    const shown = answers.filter(({ body }) => 'api_key' in body);
    expect(shown).toHaveLength(1);
    expect((await validate(stringIn(shown[0]?.body ?? {}, 'api_key'))).body).toMatchObject({ valid: true });
  });

  it('gives a key of 35 characters whose last two are the checksum of the others', async () => {
    const key = stringIn((await askForKey(freshSubscriber())).body, 'api_key');
    expect(key).toHaveLength(35);
    expect(isWellFormedApiKey(key)).toBe(true);
  });
});

describe('with a key of its own', () => {
  let person: Person;
  let key: string;

  beforeAll(async () => {
    person = freshSubscriber();
    key = stringIn((await askForKey(person)).body, 'api_key');
  });

  it.each([
    ['without a body', undefined],
    ['with an empty object', {}],
    ['that declines a regeneration', { regenerate: false }],
    ['with fields nobody knows', { rotate: true, plan: 'advanced' }],
  ])('an account gets the prefix and never the key again: a request %s', async (_name, body) => {
    const answer = await askForKey(person, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual(existingKeyShape);
    expect(answer.body.api_key_prefix).toBe(key.slice(0, 13));
    expect(answer.text).not.toContain(key);
  });

  it('an account sees the moment at which it was made', async () => {
    const { created_at: createdAt } = (await askForKey(person)).body;
    expect(Math.abs(Date.parse(String(createdAt)) - Date.now())).toBeLessThan(60_000);
    expect((await askForKey(person)).body.created_at).toBe(createdAt);
  });

  it('an account without a body may still say that it sends JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await service.call('apiKey', { token: person.token, headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual(existingKeyShape);
  });

  it('two accounts have different keys', async () => {
    const { body } = await askForKey(freshSubscriber());
    expect(body.api_key).not.toBe(key);
  });
});

describe('a regeneration', () => {
  it('gives a new key and ends the old one at once', async () => {
    const person = freshSubscriber();
    const old = stringIn((await askForKey(person)).body, 'api_key');
    const answer = await askForKey(person, { regenerate: true });
    expect(answer.body).toStrictEqual(newKeyShape);
    const fresh = stringIn(answer.body, 'api_key');
    expect(fresh).not.toBe(old);
    expect((await validate(old)).body).toStrictEqual(verdict('INVALID_API_KEY'));
    expect((await validate(fresh)).body).toMatchObject({ valid: true });
    expect((await askForKey(person)).body.api_key_prefix).toBe(fresh.slice(0, 13));
  });
});

describe('without access', () => {
  it('an account without a subscription is API_ACCESS_DISABLED', async () => {
    const { status, body } = await askForKey(await signUp(service));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('an account with a license alone is API_ACCESS_DISABLED', async () => {
    const person = await signUp(service);
    await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    expect((await askForKey(person)).body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('an account on a plan that lacks it is API_ACCESS_DISABLED', async () => {
    const { status, body } = await askForKey(await subscriber(service, 'free'));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it.each(['canceled', 'expired'])('an account whose subscription is %s is SUBSCRIPTION_INACTIVE', async (state) => {
    const { status, body } = await askForKey(await subscriber(service, 'standard', '--status', state));
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
  });

  it('an account whose period has passed is SUBSCRIPTION_INACTIVE', async () => {
    const person = await subscriber(service, 'standard', '--period-end', isoFromNow(-1000));
    expect((await askForKey(person)).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
  });

  it('an account that had a key neither sees nor replaces it, and has it back with the subscription', async () => {
    const person = await subscriber(service);
    const key = stringIn((await askForKey(person)).body, 'api_key');
    await subscribe(service, person, 'standard', '--status', 'canceled');
    expect((await askForKey(person)).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    expect((await askForKey(person, { regenerate: true })).body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    await subscribe(service, person, 'advanced');
    expect((await askForKey(person)).body).toMatchObject({ api_key_prefix: key.slice(0, 13), plan: 'advanced' });
    expect((await validate(key)).body).toMatchObject({ valid: true, plan: 'advanced' });
  });
});

describe('a plan made by an admin', () => {
  it('carries API access where the admin switched it on', async () => {
    await service.admin('plan', 'set', 'laboratory', '--max-devices', '5', '--feature', 'api_access=true');
    const { status, body } = await askForKey(await subscriber(service, 'laboratory'));
    expect(status).toBe(200);
    expect(body).toStrictEqual({ ...newKeyShape, plan: 'laboratory' });
  });
});
