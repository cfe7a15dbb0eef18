/** Nothing that a client sends is a failure of the server: whatever the body, no answer is 500. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import { errorEnvelope, errorTable } from '../../shared/api/errors.ts';
import { deviceId, servicesOf } from '../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../harness/start-app.ts';

let test: TestApp;
let person: SignedUp;
let licenseKey: string;

beforeAll(async () => {
  test = await startTestApp();
  person = await test.signUp();
  const services = servicesOf(test);
  await services.subscriptions.set(person.id, { plan: 'standard' });
  licenseKey = (await services.licenseAdmin.issue({ userId: person.id })).license_key;
});
afterAll(() => test.close());

const posts: [string, Endpoint][] = Object.entries(endpoints).filter(
  ([name, { method }]) => method === 'POST' && name !== 'signup' && name !== 'login',
);

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', '\ud800', '🔑', 'x'.repeat(5000), '__proto__', 'constructor'),
);

/** Bodies with the right fields and wrong values, or right ones among them. */
const body = fc.oneof(
  fc.record(
    {
      license_key: fc.oneof(
        text,
        fc.constant(null).map(() => licenseKey),
        fc.jsonValue(),
      ),
      device_id: fc.oneof(
        text,
        fc.nat(20).map((number) => deviceId(number)),
        fc.jsonValue(),
      ),
      device_name: fc.oneof(text, fc.jsonValue()),
      platform: fc.oneof(text, fc.jsonValue()),
      replaces: fc.oneof(text, fc.uuid(), fc.jsonValue()),
      regenerate: fc.oneof(fc.boolean(), fc.jsonValue()),
      api_key: fc.oneof(text, fc.jsonValue()),
      refresh_token: fc.oneof(text, fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

describe.each(posts)('%s', (_name, endpoint) => {
  it('answers any body with 200 or a code of the table', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const answer = await test.call('POST', endpoint.path, { body: sent, token: person.accessToken });
        if (answer.status === 200) return;
        const { code } = errorEnvelope.strict().parse(answer.body);
        expect(code).not.toBe('INTERNAL_ERROR');
        expect(errorTable).toHaveProperty(code);
      }),
      { numRuns: 150 },
    );
  });
});

describe('an activation id', () => {
  it('may be any text: it is NOT_FOUND', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), async (id) => {
        const { statusCode } = await test.app.inject({
          method: 'DELETE',
          url: `${apiRoot}/license/activations/${encodeURIComponent(id)}`,
          headers: { authorization: `Bearer ${person.accessToken}` },
        });
        expect(statusCode).toBe(404);
      }),
      { numRuns: 150 },
    );
  });
});

describe('an account that is deleted while its request is on the way', () => {
  const gone = '00000000-0000-7000-8000-000000000000';

  it('is answered INVALID_TOKEN', async () => {
    const services = servicesOf(test);
    const { license_key } = await services.licenseAdmin.issue({});
    const call = { license_key, device_id: deviceId(1), device_name: '', platform: '' };
    await expect(services.licenses.activate(gone, call)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    await expect(services.heartbeats.record(gone, deviceId(1), '::1')).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });
});
