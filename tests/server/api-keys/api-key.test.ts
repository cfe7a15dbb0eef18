/** `/metrics/api-key`: generated, retrieved, replaced. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { isWellFormedApiKey } from '../../../shared/formats/api-key.ts';
import { day } from '../../harness/fake-clock.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
  services = servicesOf(test);
});
afterAll(() => test.close());

const ask = (person: SignedUp, body?: unknown) =>
  test.call('POST', '/metrics/api-key', { token: person.accessToken, body });

const validate = async (api_key: unknown) =>
  (await test.call('POST', '/metrics/api-key/validate', { body: { api_key } })).body;

const subscriber = async (plan = 'standard') => {
  const person = await test.signUp();
  await services.subscriptions.set(person.id, { plan });
  return person;
};

describe('the first call', () => {
  it.each([{ body: undefined }, { body: {} }, { body: { regenerate: false } }, { body: { regenerate: true } }])(
    'generates a key and shows it, with $body',
    async ({ body }) => {
      const { status, body: made } = await ask(await subscriber(), body);
      expect(status).toBe(200);
      expect(made).toStrictEqual({
        api_key: expect.any(String),
        is_legacy: false,
        plan: 'standard',
        features: { api_access: true },
        created_at: new Date(test.clock.now()).toISOString(),
        message: expect.stringMatching(/\w/),
      });
      expect(isWellFormedApiKey(String(made.api_key))).toBe(true);
    },
  );

  it('keeps nothing from which the key could be had', async () => {
    const { body } = await ask(await subscriber());
    const rows = await test.database.read.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(body.api_key);
    expect(test.logText()).not.toContain(body.api_key);
  });

  it('made many times at once generates one key', async () => {
    const person = await subscriber();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(person)));
    expect(answers.filter(({ body }) => body.api_key !== undefined)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.api_key_prefix !== undefined)).toHaveLength(19);
  });
});

describe('a later call', () => {
  it('retrieves the prefix alone', async () => {
    const person = await subscriber();
    const { body: made } = await ask(person);
    test.clock.advance(1000);
    const { body: found } = await ask(person, {});
    expect(found).toStrictEqual({
      api_key_prefix: String(made.api_key).slice(0, 13),
      is_legacy: false,
      plan: 'standard',
      features: { api_access: true },
      created_at: made.created_at,
      message: expect.stringMatching(/\w/),
    });
  });

  it('with regenerate replaces the key, and the old one is invalid at once', async () => {
    const person = await subscriber();
    const { body: first } = await ask(person);
    expect(await validate(first.api_key)).toMatchObject({ valid: true });
    const { body: second } = await ask(person, { regenerate: true });
    expect(second.api_key).not.toBe(first.api_key);
    expect(await validate(first.api_key)).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
    expect(await validate(second.api_key)).toMatchObject({ valid: true });
  });

  it.each([{ regenerate: 'yes' }, { regenerate: null }, [], 'x', 7, null])(
    'with nonsense is VALIDATION_ERROR: %j',
    async (body) => {
      const { status, body: refused } = await ask(await subscriber(), JSON.stringify(body));
      expect([status, refused.code]).toStrictEqual([400, 'VALIDATION_ERROR']);
    },
  );
});

describe('an account without API access', () => {
  it.each([
    { when: 'it has no subscription', arrange: async () => undefined, code: 'API_ACCESS_DISABLED' },
    {
      when: 'it has a license alone',
      arrange: (id: string) => services.licenseAdmin.issue({ userId: id, plan: 'advanced' }),
      code: 'API_ACCESS_DISABLED',
    },
    {
      when: 'its plan lacks it',
      arrange: (id: string) => services.subscriptions.set(id, { plan: 'free' }),
      code: 'API_ACCESS_DISABLED',
    },
    {
      when: 'its subscription is canceled',
      arrange: (id: string) => services.subscriptions.set(id, { plan: 'standard', status: 'canceled' }),
      code: 'SUBSCRIPTION_INACTIVE',
    },
    {
      when: 'its period is over',
      arrange: (id: string) => services.subscriptions.set(id, { plan: 'standard', periodEndMs: test.clock.now() }),
      code: 'SUBSCRIPTION_INACTIVE',
    },
  ])('is refused with $code when $when', async ({ arrange, code }) => {
    const person = await test.signUp();
    await arrange(person.id);
    for (const body of [undefined, { regenerate: true }]) {
      const { status, body: refused } = await ask(person, body);
      expect([status, refused.code]).toStrictEqual([403, code]);
    }
  });

  it('neither sees the key that it had, nor validates with it, until access comes back', async () => {
    const person = await subscriber();
    const { body } = await ask(person);
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    expect((await ask(person)).body.code).toBe('SUBSCRIPTION_INACTIVE');
    expect(await validate(body.api_key)).toMatchObject({ valid: false, code: 'SUBSCRIPTION_INACTIVE' });
    await services.subscriptions.set(person.id, { plan: 'free' });
    expect(await validate(body.api_key)).toMatchObject({ valid: false, code: 'API_ACCESS_DISABLED' });
    await services.subscriptions.set(person.id, { plan: 'standard' });
    expect(await validate(body.api_key)).toMatchObject({ valid: true });
  });
});

describe('a legacy key', () => {
  const holder = async (untilMs = test.clock.now() + day) => {
    const person = await test.signUp();
    const key = `old-${person.id}`;
    await services.apiKeyAdmin.importLegacy(person.id, { key }, untilMs);
    return { person, key };
  };

  it('shows its prefix to its holder without subscription, who cannot regenerate it', async () => {
    const { person, key } = await holder();
    expect((await ask(person)).body).toMatchObject({
      api_key_prefix: key.slice(0, 13),
      is_legacy: true,
      plan: 'free',
      features: { api_access: true },
    });
    const refused = await ask(person, { regenerate: true });
    expect([refused.status, refused.body.code]).toStrictEqual([403, 'API_ACCESS_DISABLED']);
    expect(await validate(key)).toMatchObject({ valid: true });
  });

  it('cannot be regenerated on a subscription that gives no access', async () => {
    const { person } = await holder();
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    expect((await ask(person, { regenerate: true })).body.code).toBe('SUBSCRIPTION_INACTIVE');
    expect((await ask(person)).body).toMatchObject({ is_legacy: true, plan: 'standard' });
  });

  it('can be replaced by a new one with a subscription that has API access', async () => {
    const { person, key } = await holder();
    await services.subscriptions.set(person.id, { plan: 'standard' });
    expect((await ask(person, { regenerate: true })).body).toMatchObject({ is_legacy: false, plan: 'standard' });
    expect(await validate(key)).toMatchObject({ code: 'INVALID_API_KEY' });
  });

  it('is not shown any more once its time is over, without a subscription', async () => {
    const { person } = await holder(test.clock.now() + 1000);
    test.clock.advance(1000);
    expect((await ask(person)).body.code).toBe('API_ACCESS_DISABLED');
  });
});
