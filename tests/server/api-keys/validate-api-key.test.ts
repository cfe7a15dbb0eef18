/** `/metrics/api-key/validate`: what a presented key is worth. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { day } from '../../harness/fake-clock.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
  services = servicesOf(test);
});
afterAll(() => test.close());

const validate = (body: unknown, headers: Record<string, string> = {}) =>
  test.call('POST', '/metrics/api-key/validate', { body, headers });

const newKey = async () => {
  const person = await test.signUp();
  await services.subscriptions.set(person.id, { plan: 'standard' });
  const { body } = await test.call('POST', '/metrics/api-key', { token: person.accessToken });
  return { person, key: String(body.api_key) };
};

describe('a new key', () => {
  it('is answered with the fields of the interface and no more', async () => {
    const { key } = await newKey();
    const { status, body } = await validate({ api_key: key });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      valid: true,
      plan: 'standard',
      source: 'new',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
  });

  it('may come in the header x-api-key, with or without a body', async () => {
    const { key } = await newKey();
    expect((await validate(undefined, { 'x-api-key': key })).body).toMatchObject({ valid: true });
    expect((await validate({}, { 'x-api-key': key })).body).toMatchObject({ valid: true });
    expect((await validate({ api_key: key }, { 'x-api-key': key })).body).toMatchObject({ valid: true });
  });

  it('ends with the period of its subscription, without any job', async () => {
    const { person, key } = await newKey();
    await services.subscriptions.set(person.id, { plan: 'standard', periodEndMs: test.clock.now() + 1000 });
    test.clock.advance(1000);
    expect((await validate({ api_key: key })).body).toStrictEqual({
      valid: false,
      error: expect.stringMatching(/\w/),
      code: 'SUBSCRIPTION_INACTIVE',
    });
  });
});

describe('a request', () => {
  it.each([
    { what: 'without key', body: {}, headers: {} },
    { what: 'without body', body: undefined, headers: {} },
    { what: 'with two keys', body: { api_key: 'a' }, headers: { 'x-api-key': 'b' } },
    { what: 'with a number', body: { api_key: 7 }, headers: {} },
    { what: 'with null', body: { api_key: null }, headers: {} },
    { what: 'that is a list', body: ['x'], headers: {} },
  ] as { what: string; body: unknown; headers: Record<string, string> }[])(
    '$what is VALIDATION_ERROR, in the plain envelope',
    async ({ body, headers }) => {
      const answer = await validate(body, headers);
      expect(answer.status).toBe(400);
      expect(answer.body).toStrictEqual({ error: expect.stringMatching(/\w/), code: 'VALIDATION_ERROR' });
    },
  );

  it.each(['', 'x', '\0', '\ud800', `svc_live_${'x'.repeat(26)}`, 'x'.repeat(60_000), "' or 1=1 --"])(
    'with what is no key is INVALID_API_KEY: %#',
    async (api_key) => {
      const { status, body } = await validate({ api_key });
      expect(status).toBe(200);
      expect(body).toStrictEqual({ valid: false, error: expect.stringMatching(/\w/), code: 'INVALID_API_KEY' });
    },
  );
});

describe('a legacy key', () => {
  it('validates until its end whatever the subscription, and names the plan that there is', async () => {
    const person = await test.signUp();
    await services.apiKeyAdmin.importLegacy(person.id, { key: 'old-one' }, test.clock.now() + day);
    test.clock.advance(25);
    const valid = { valid: true, source: 'legacy' };
    const features = (csv_export: boolean) => ({ api_access: true, csv_export });
    expect((await validate({ api_key: 'old-one' })).body).toStrictEqual({
      ...valid,
      plan: 'free',
      features: features(false),
      subscription_active: false,
    });
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    expect((await validate({ api_key: 'old-one' })).body).toStrictEqual({
      ...valid,
      plan: 'standard',
      features: features(false),
      subscription_active: false,
    });
    await services.subscriptions.set(person.id, { plan: 'standard' });
    expect((await validate({ api_key: 'old-one' })).body).toStrictEqual({
      ...valid,
      plan: 'standard',
      features: features(true),
      subscription_active: true,
    });
  });

  it('is SUBSCRIPTION_EXPIRED afterwards, without error, until a subscription is active again', async () => {
    const person = await test.signUp();
    const end = test.clock.now() + 1000;
    await services.apiKeyAdmin.importLegacy(person.id, { key: 'old-two' }, end);
    test.clock.advance(1000);
    const ended = { valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: new Date(end).toISOString() };
    expect((await validate({ api_key: 'old-two' })).body).toStrictEqual(ended);
    await services.subscriptions.set(person.id, { plan: 'standard', periodEndMs: test.clock.now() + 1000 });
    expect((await validate({ api_key: 'old-two' })).body).toMatchObject({ valid: true, source: 'legacy' });
    test.clock.advance(1000);
    expect((await validate({ api_key: 'old-two' })).body).toStrictEqual(ended);
  });

  it('is known by its SHA-256 as well', async () => {
    const person = await test.signUp();
    const sha256 = createHash('sha256').update('old-three').digest('hex').toUpperCase();
    const record = await services.apiKeyAdmin.importLegacy(person.id, { sha256 }, test.clock.now() + day);
    expect(record.api_key_prefix).toBe('svc_live_????');
    expect((await validate({ api_key: 'old-three' })).body).toMatchObject({ valid: true, source: 'legacy' });
  });
});
