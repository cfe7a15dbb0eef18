/** Arbitrary input at every endpoint of the table: never a failure of the server, always the envelope. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../../shared/api/endpoints.ts';
import { errorEnvelope, isErrorCode } from '../../../shared/api/errors.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
let person: SignedUp;
beforeAll(async () => {
  service = await startTestApp({ LATCHKEY_LOG_LEVEL: 'silent' });
  person = await service.signUp();
});
afterAll(() => service.close());

/** The fields of a request, each with the right kind of value, a near miss, or anything at all. */
function bodyFor(endpoint: Endpoint): fc.Arbitrary<string> {
  const shape = Object.keys((endpoint.request as { shape?: object } | undefined)?.shape ?? { anything: 1 });
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      'HW-00000000-00000000-00000000-00000000',
      'SVC-0000-0000-0000-0000',
      'svc_live_',
      'v1.',
      '\0',
      '\ud800',
    ),
    fc.constant(person.email),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const fields = fc.record(Object.fromEntries(shape.map((name) => [name, value])), { requiredKeys: [] });
  return fc.oneof(
    fields.map((body) => JSON.stringify(body)),
    fc.json(),
    fc.string({ maxLength: 100 }),
  );
}

const header = fc.oneof(fc.constant(undefined), fc.stringMatching(/^[\x20-\x7e]{0,300}$/));

it.each(Object.entries<Endpoint>(endpoints))('%s withstands whatever is sent', async (_name, endpoint) => {
  await fc.assert(
    fc.asyncProperty(
      bodyFor(endpoint),
      fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain', ''),
      fc.record({
        'idempotency-key': header,
        'x-api-key': header,
        authorization: fc.oneof({ weight: 9, arbitrary: fc.constant(`Bearer ${person.accessToken}`) }, header),
      }),
      fc.stringMatching(/^[\w.~%-]{1,80}$/),
      async (payload, contentType, headers, parameter) => {
        const sent = Object.entries({ ...headers, 'content-type': contentType }).filter(([, value]) => value);
        const response = await service.app.inject({
          method: endpoint.method,
          url: (apiRoot + endpoint.path).replace(/:\w+/, parameter),
          headers: Object.fromEntries(sent) as Record<string, string>,
          ...(endpoint.method === 'POST' ? { payload } : {}),
        });
        expect(response.statusCode, response.body).toBeLessThan(500);
        if (response.statusCode === 200 || endpoint.otherResponses?.[response.statusCode]) return;
        const { code } = errorEnvelope.strict().parse(response.json());
        expect(isErrorCode(code)).toBe(true);
      },
    ),
    { numRuns: endpoint.path === '/auth/login' || endpoint.path === '/auth/signup' ? 60 : 150 },
  );
});
