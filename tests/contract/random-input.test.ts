/** Random input of every kind: whatever a client sends, the answer keeps the house rules and is never a 500. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type EndpointName, endpoints } from '../../shared/api/endpoints.ts';
import { sendRaw } from '../harness/raw-request.ts';
import { startedService } from '../harness/use-server.ts';
import { issueLicense, newDeviceId, type Person, signUp, subscriber } from '../harness/users.ts';

const service = startedService();
let person: Person;
let licenseKey: string;

beforeAll(async () => {
  person = await subscriber(service);
  licenseKey = (await issueLicense(service, '--email', person.email)).key;
}, 60_000);

const names = Object.keys(endpoints) as EndpointName[];
const withBody = names.filter((name) => 'request' in endpoints[name]);

// The house rules are checked on each answer where it is received; what remains is that there is one below 500.
function expectAnswered(status: number): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
}

/** Any text, lone surrogates and NUL included, and texts that come close to what is right. */
const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)),
      { maxLength: 8 },
    )
    .map((units) => units.join('')),
  fc.constantFrom(
    'HW-00000000-00000000-00000000-00000000',
    'SVC-0000-0000-0000-0000',
    'v1.x',
    'a@example.com',
    '\u0000',
  ),
);

const someValue = fc.oneof(someText, fc.jsonValue({ maxDepth: 3 }));

const someFields = fc.record(
  {
    email: someValue,
    password: someValue,
    full_name: someValue,
    refresh_token: someValue,
    all_devices: someValue,
    license_key: someValue,
    device_id: someValue,
    device_name: someValue,
    platform: someValue,
    replaces: someValue,
    api_key: someValue,
    regenerate: someValue,
  },
  { requiredKeys: [] },
);

describe('random input', () => {
  it.each(withBody)('as the fields of %s is answered', async (name) => {
    await fc.assert(
      fc.asyncProperty(someFields, async (body) => {
        expectAnswered((await service.call(name, { token: person.token, body })).status);
      }),
      { numRuns: 80 },
    );
  });

  it.each(withBody)('as the JSON body of %s is answered', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6, stringUnit: 'binary' }), async (text) => {
        expectAnswered((await service.call(name, { token: person.token, body: text })).status);
      }),
      { numRuns: 50 },
    );
  });

  it.each(withBody)('as the bytes of the body of %s is answered', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expectAnswered((await service.call(name, { token: person.token, body: bytes })).status);
      }),
      { numRuns: 50 },
    );
  });

  it('beside fields that are right is answered', async () => {
    await fc.assert(
      fc.asyncProperty(someText, someText, someText, async (deviceName, platform, replaces) => {
        const right = { license_key: licenseKey, device_id: newDeviceId() };
        const body = { ...right, device_name: deviceName, platform, replaces };
        expectAnswered((await service.call('activateLicense', { token: person.token, body })).status);
      }),
      { numRuns: 80 },
    );
  });

  it('as the name of a new device is kept or refused, and the list can still be read', async () => {
    await fc.assert(
      fc.asyncProperty(someText, async (deviceName) => {
        const owner = person;
        const body = {
          license_key: licenseKey,
          device_id: 'HW-00000000-00000000-00000000-0000000A',
          device_name: deviceName,
        };
        const { status } = await service.call('activateLicense', { token: owner.token, body });
        expectAnswered(status);
        expect((await service.call('listActivations', { token: owner.token })).status).toBe(200);
      }),
      { numRuns: 60 },
    );
  });

  it('as a token is INVALID_TOKEN', async () => {
    const headerText = fc.string({ unit: fc.constantFrom(...'abcXYZ019._-~+/= '), maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(headerText, async (token) => {
        const { status, body } = await service.call('subscriptionStatus', { token });
        expect(status).toBe(401);
        expect(body.code).toBe('INVALID_TOKEN');
      }),
      { numRuns: 60 },
    );
  });

  it('as the headers of a request is answered', async () => {
    const headerText = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(headerText, headerText, headerText, async (key, idempotencyKey, forwarded) => {
        const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey, 'x-forwarded-for': forwarded };
        expectAnswered((await service.call('validateApiKey', { headers, body: {} })).status);
        expectAnswered((await service.call('refresh', { headers, body: { refresh_token: 'v1.x' } })).status);
      }),
      { numRuns: 60 },
    );
  });

  it('as a path and query is answered', async () => {
    const segment = fc.string({ unit: 'grapheme', maxLength: 30 }).map(encodeURIComponent);
    const somePath = fc.array(segment, { maxLength: 4 }).map((segments) => `${apiRoot}/${segments.join('/')}`);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'DELETE', 'PUT'),
        somePath,
        segment,
        async (method, path, query) => {
          expectAnswered((await service.request(method, `${path}?${query}`, { token: person.token })).status);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('as the bytes of a whole request never ends the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        await sendRaw(service.url, Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
      }),
      { numRuns: 40 },
    );
    expect((await service.request('GET', '/healthz')).status).toBe(200);
  });

  it('leaves the server as it was: an account can still sign up', async () => {
    expect((await signUp(service)).token).toMatch(/./);
  });
});
