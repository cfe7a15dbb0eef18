/** Random input at every endpoint: whatever a client sends, the response follows the rules and is never a 500. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { type AnyEndpointName, findEndpoint } from '../../../server/http/endpoint-handler.ts';
import { type AdminEndpointName, adminEndpoints } from '../../../shared/api/admin-endpoints.ts';
import { apiRoot, type Endpoint, type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { sendRaw } from '../../harness/raw-request.ts';
import { fromPage, newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { issueLicense, newDeviceId, numberedDeviceId, signUp, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();
const httpServer = sharedHttpServer();
let user: User;
let licenseKey: string;

beforeAll(async () => {
  user = await subscriber(server);
  licenseKey = (await issueLicense(server, '--email', user.email)).key;
});

const names = Object.keys(endpoints) as EndpointName[];

// `request` already checks each response against the rules; what remains to check is that the status is below 500.
function expectHandled(status: number): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
}

/** Any text, including lone surrogates and NUL, and texts that are close to valid ones. */
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
    'svc_live_',
    'v1.x',
    'a@example.com',
    '\u0000',
    'x'.repeat(5000),
    '__proto__',
    'constructor',
  ),
  fc.constant(null).map(() => licenseKey),
  fc.constant(null).map(() => user.email),
  fc.nat(20).map((number) => numberedDeviceId(number)),
  fc.uuid(),
);

const someValue = fc.oneof(someText, fc.boolean(), fc.jsonValue({ maxDepth: 3 }));

/**
 * A body with the fields of the request, each with a valid, nearly valid or arbitrary value; or a body of another form.
 */
function bodyOf(name: AnyEndpointName): fc.Arbitrary<string | Uint8Array> {
  const { request } = findEndpoint(name);
  const fields = Object.keys((request as { shape?: object } | undefined)?.shape ?? { anything: 1 });
  const record = fc.record(Object.fromEntries(fields.map((field) => [field, someValue])), { requiredKeys: [] });
  return fc.oneof(
    { weight: 4, arbitrary: record.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 6, stringUnit: 'binary' }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 100 }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
  );
}

const someHeader = fc.oneof(fc.constant(undefined), fc.stringMatching(/^[\x20-\x7e]{0,300}$/));
const someContentType = fc.oneof(
  { weight: 3, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('application/json; charset=utf-16', 'text/plain', undefined) },
);

describe('random input', () => {
  it.each(names)('as body, headers and parameter of %s is handled', async (name) => {
    const { method, path } = endpoints[name];
    const hashesPassword = name === 'login' || name === 'signup';
    // A request that ends its own session must not affect the next ones.
    const { token } = name === 'accountSignOut' ? await signUp(server) : user;
    await fc.assert(
      fc.asyncProperty(
        bodyOf(name),
        fc.record({
          'content-type': someContentType,
          'idempotency-key': someHeader,
          'x-api-key': someHeader,
          'x-forwarded-for': someHeader,
          authorization: fc.oneof({ weight: 9, arbitrary: fc.constant(null).map(() => `Bearer ${token}`) }, someHeader),
        }),
        fc.stringMatching(/^[\w.~%-]{1,80}$/),
        async (body, headers, parameter) => {
          const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
          const response = await server.request(method, apiRoot + path.replace(/:\w+/, parameter), {
            headers: Object.fromEntries(sent) as Record<string, string>,
            ...(method === 'POST' ? { body } : {}),
          });
          expectHandled(response.status);
        },
      ),
      { numRuns: hashesPassword ? 100 : 250 },
    );
  });

  it('next to valid fields is handled', async () => {
    await fc.assert(
      fc.asyncProperty(someText, someText, someText, async (deviceName, platform, replaces) => {
        const right = { license_key: licenseKey, device_id: newDeviceId() };
        const body = { ...right, device_name: deviceName, platform, replaces };
        expectHandled((await server.call('activateLicense', { token: user.token, body })).status);
      }),
      { numRuns: 80 },
    );
  });

  it('as the name of a new device is stored or rejected, and the list can still be read', async () => {
    await fc.assert(
      fc.asyncProperty(someText, async (deviceName) => {
        const body = { license_key: licenseKey, device_id: numberedDeviceId(10), device_name: deviceName };
        expectHandled((await server.call('activateLicense', { token: user.token, body })).status);
        expect((await server.call('listActivations', { token: user.token })).status).toBe(200);
      }),
      { numRuns: 60 },
    );
  });

  it('as an activation id gets NOT_FOUND', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), async (at) => {
        expect((await server.call('releaseActivation', { token: user.token, at })).status).toBe(404);
      }),
      { numRuns: 150 },
    );
  });

  it('as a token gets INVALID_TOKEN', async () => {
    const headerText = fc.string({ unit: fc.constantFrom(...'abcXYZ019._-~+/= '), maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(headerText, async (token) => {
        const { status, body } = await server.call('subscriptionStatus', { token });
        expect(status).toBe(401);
        expect(body.code).toBe('INVALID_TOKEN');
      }),
      { numRuns: 60 },
    );
  });
});

/** Valid and nearly valid query parameters, up to four of them. */
function queryOf(name: AdminEndpointName): fc.Arbitrary<string> {
  const { query } = adminEndpoints[name] as Endpoint;
  const fields = [...Object.keys(query?.shape ?? {}), 'format', 'after', 'limit'];
  const value = fc.oneof(
    someText,
    fc.constantFrom('csv', '0', '7', '200', '201', '-1', '1e3', 'active', 'a@', 'HW-', 'svc-', 'license.', 'é', '%'),
    fc.constant(null).map(() => user.id),
    fc.constant(null).map(() => `${user.id} ${user.email}`),
    fc.constant('2026-11-22T09:30:00Z'),
  );
  const pairs = fc.array(fc.tuple(fc.constantFrom(...fields), value), { maxLength: 4 });
  return pairs.map((list) => list.map(([key, text]) => `${key}=${encodeURIComponent(text.toWellFormed())}`).join('&'));
}

describe('random input from an owner', () => {
  const adminNames = Object.keys(adminEndpoints) as AdminEndpointName[];

  it.each(adminNames)('as body, query, headers and parameters of %s is handled', async (name) => {
    const { method, path } = adminEndpoints[name];
    const { browser } = await newStaff(server, 'owner');
    const hashesPassword = /SignIn$|Confirm$|redeem|Password$/.test(name);
    await fc.assert(
      fc.asyncProperty(
        bodyOf(name),
        queryOf(name),
        fc.record({
          'content-type': fc.oneof(someContentType, fc.constant('application/octet-stream')),
          'x-sha256': someHeader,
          origin: someHeader,
          'x-forwarded-host': someHeader,
          'user-agent': someHeader,
        }),
        fc.oneof(
          fc.stringMatching(/^[\w.~%-]{1,80}$/),
          fc.uuid(),
          fc.constant(null).map(() => user.id),
          fc.constantFrom('standard', 'linux_amd64'),
        ),
        fc.constantFrom(undefined, undefined, 'latchkey_staff=x', '=;;='),
        async (body, query, headers, parameter, otherCookie) => {
          const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
          const cookie = otherCookie ?? browser.cookie;
          const response = await server.request(method, `${apiRoot}${path.replace(/:\w+/g, parameter)}?${query}`, {
            headers: { ...(Object.fromEntries(sent) as Record<string, string>), ...fromPage, cookie },
            ...(method === 'GET' ? {} : { body }),
          });
          expectHandled(response.status);
        },
      ),
      { numRuns: hashesPassword ? 30 : 120 },
    );
  });
});

describe('random input over HTTP', () => {
  it('as the bytes of a body is handled', async () => {
    const { token } = await signUp(httpServer);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.uint8Array({ maxLength: 400 }), async (name, bytes) => {
        if (endpoints[name].method !== 'POST') return;
        expectHandled((await httpServer.call(name, { token, body: bytes })).status);
      }),
      { numRuns: 150 },
    );
  });

  it('as the headers of a request is handled', async () => {
    const headerText = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(headerText, headerText, headerText, async (key, idempotencyKey, forwarded) => {
        const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey, 'x-forwarded-for': forwarded };
        expectHandled((await httpServer.call('validateApiKey', { headers, body: {} })).status);
        expectHandled((await httpServer.call('refresh', { headers, body: { refresh_token: 'v1.x' } })).status);
      }),
      { numRuns: 60 },
    );
  });

  it('as a path and query is handled', async () => {
    const segment = fc.string({ unit: 'grapheme', maxLength: 30 }).map(encodeURIComponent);
    const somePath = fc.array(segment, { maxLength: 4 }).map((segments) => `${apiRoot}/${segments.join('/')}`);
    const someMethod = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT');
    await fc.assert(
      fc.asyncProperty(someMethod, somePath, segment, async (method, path, query) => {
        expectHandled((await httpServer.request(method, `${path}?${query}`)).status);
      }),
      { numRuns: 100 },
    );
  });

  it('as the bytes of a whole request never stops the server, and signing up still works', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        await sendRaw(httpServer.url, Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
      }),
      { numRuns: 40 },
    );
    expect((await signUp(httpServer)).token).toMatch(/./);
  });
});

describe('an account that is deleted during its request', () => {
  const deleted = '00000000-0000-7000-8000-000000000000';

  it('gets INVALID_TOKEN', async () => {
    const { licenses, heartbeats } = server.services;
    const { key } = await issueLicense(server);
    const request = { license_key: key, device_id: numberedDeviceId(1), device_name: '', platform: '' };
    await expect(licenses.activate(deleted, request, byCommand)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    const heartbeat = { userId: deleted, deviceId: numberedDeviceId(1), instance: '', address: '::1' };
    await expect(heartbeats.record(heartbeat)).rejects.toMatchObject({
      code: 'INVALID_TOKEN',
    });
  });
});
