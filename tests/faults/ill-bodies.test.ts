/**
 * Row 10 of the matrix: malformed bodies of every kind, generated from the schemas of the endpoints. Transport: inject.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyEndpointName, findEndpoint } from '../../server/http/endpoint-handler.ts';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { apiRoot, endpoints } from '../../shared/api/endpoints.ts';
import { minute } from '../harness/fake-clock.ts';
import { fromPage, newStaff, type Staff, signInStaff } from '../harness/staff.ts';
import { sharedApp } from '../harness/start-app.ts';
import { stringIn } from '../harness/test-client.ts';
import { issueLicense, numberedDeviceId, subscriber, type User } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout, runsOf, settle } from './matrix-run.ts';

const row = 10;
const server = sharedApp();
const names = Object.keys({ ...endpoints, ...adminEndpoints }) as AnyEndpointName[];
// These would end the session that the other requests need: by signing out, or by signing in as somebody else.
const ending = ['accountSignOut', 'staffSignOut', 'logout'];
const withBody = names.filter((name) => findEndpoint(name).method !== 'GET' && !ending.includes(name));

let user: User;
let licenseKey: string;
let owner: Staff;
let sessions: { token: string; cookie: string };

beforeAll(async () => {
  user = await subscriber(server);
  licenseKey = (await issueLicense(server, '--email', user.email)).key;
  owner = await newStaff(server, 'owner');
  await signIn();
});

/** Renews both sessions for the next minutes, in which the member of staff counts as confirmed. */
async function signIn(): Promise<void> {
  const { body } = await server.call('login', { body: { email: user.email, password: user.password } });
  const { cookie } = await signInStaff(server, owner.email);
  sessions = { token: stringIn(body, 'access_token'), cookie };
}

type Fields = Readonly<Record<string, unknown>>;

/** The JSON schema of each endpoint's fields, by the field's name. */
const fieldsOf = new Map(
  withBody.map((name) => {
    const { request } = findEndpoint(name);
    const schema = request && z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
    return [name, Object.entries((schema?.properties ?? {}) as Readonly<Record<string, { type?: string }>>)];
  }),
);

/** Returns a body with each field of the schema, of the correct type. */
function goodBody(name: AnyEndpointName): Fields {
  return Object.fromEntries((fieldsOf.get(name) ?? []).map(([field, each]) => [field, goodValue(field, each)]));
}

function goodValue(field: string, { type }: { readonly type?: string }): unknown {
  const known: Fields = {
    email: user.email,
    // The correct password could end the session that the other requests need, or delete the account.
    password: 'not the password',
    license_key: licenseKey,
    device_id: numberedDeviceId(1),
  };
  if (field in known) return known[field];
  const ofType: Fields = { boolean: true, integer: 1, number: 1, array: [], object: {} };
  return ofType[type ?? 'string'] ?? 'text';
}

/** Texts of JSON values, including some that no program would write. */
const illValue = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '-0', '1e400', '-1e400', '9007199254740993', '1.5', '[]', '{}', '[[]]', '""', '" "'],
    ...[
      '"\\u0000"',
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\\u202e"',
      '"../../etc/passwd"',
      '"%00"',
      '"$ne"',
      '{"$ne":""}',
    ],
    ...['{"__proto__":{"isAdmin":true}}', '{"toString":1}', '{"length":1e9}', '"\' or 1=1 --"', '"<script>"'],
  ),
  fc.integer({ min: 1, max: 60_000 }).map((length) => JSON.stringify('x'.repeat(length))),
  fc.integer({ min: 1, max: 20_000 }).map((length) => JSON.stringify('e\u0301\u0323'.repeat(length))),
  fc.integer({ min: 1, max: 15_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 5000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => JSON.stringify(text)),
);

type Body = string | Buffer;

/** Ways to damage the text of a valid body with the given fields. */
const damage: fc.Arbitrary<(text: string, fields: readonly string[]) => Body> = fc.oneof(
  fc.tuple(fc.nat(), illValue).map(([at, value]) => (text: string, fields: readonly string[]) => {
    const field = fields[at % Math.max(1, fields.length)] ?? 'anything';
    const others = Object.entries(JSON.parse(text) as Fields).filter(([name]) => name !== field);
    const pairs = others.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`);
    return `{${[...pairs, `${JSON.stringify(field)}:${value}`].join(',')}}`;
  }),
  fc.nat().map((at) => (text: string, fields: readonly string[]) => {
    const { [fields[at % Math.max(1, fields.length)] ?? '']: _, ...others } = JSON.parse(text) as Fields;
    return JSON.stringify(others);
  }),
  illValue.map((value) => () => value),
  fc.tuple(fc.constantFrom('__proto__', 'constructor', '', 'email', '\u0000'), illValue).map(
    ([field, value]) =>
      (text: string) =>
        `{${JSON.stringify(field)}:${value}${text === '{}' ? '' : ','}${text.slice(1)}`,
  ),
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => (text: string) => {
    const bytes = Buffer.from(text);
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
  fc
    .constantFrom('\ufeff', '\u0000', '//\n', "'", ',', ' '.repeat(60_000))
    .map((before) => (text: string) => before + text),
  fc.constantFrom('\u0000', '{}', ',', ']', '\ufeff').map((after) => (text: string) => text + after),
  fc.constantFrom(65_537, 70_000, 1_000_000).map((size) => (text: string) => text + ' '.repeat(size - text.length)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => () => Buffer.from(bytes)),
  fc
    .constantFrom('utf16le', 'latin1')
    .map((encoding) => (text: string) => Buffer.from(`${text}é`, encoding as 'latin1')),
);

const someHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br, gzip' },
    ),
  },
);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('a malformed body of any kind gets a standard error, never a server error, and leaks no memory', {
  timeout: rowTimeout(),
}, async () => {
  const statuses = new Map<number, number>();
  const used: number[] = [];
  let sent = 0;
  const sampleEvery = Math.floor(amount(row) / 20);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...withBody), damage, someHeaders, async (name, change, headers) => {
      const { method, path, auth } = findEndpoint(name);
      const good = goodBody(name);
      const body = change(JSON.stringify(good), Object.keys(good));
      const who = auth === 'staff' || path.startsWith('/admin') ? { ...fromPage, cookie: sessions.cookie } : {};
      const response = await server.request(method, apiRoot + path.replace(/:\w+/g, 'none'), {
        headers: { 'content-type': 'application/json', ...who, ...headers },
        ...(auth === 'bearer' ? { token: sessions.token } : {}),
        body,
      });
      expect(response.status, `${name}: ${response.text}`).toBeLessThan(500);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      sent += 1;
      // Some limits that no setting turns off allow only so many requests a minute.
      if (sent % 20 === 0) {
        await settle(server);
        server.clock.advance(minute);
      }
      if (sent % 80 === 0) await signIn();
      if (sent % sampleEvery === 0) used.push(usedBytes());
    }),
    runsOf(row),
  );
  // The caches are full by the second quarter; memory that is used later and never released is a leak. A single sample
  // may be up to 10 MB too high because of compilation or pending garbage collection.
  const before = Math.min(...used.slice(5, 10));
  const after = Math.min(...used.slice(15, 20));
  const grownMb = Math.round((after - before) / 1e5) / 10;
  expect(grownMb, 'MB kept in the last quarter, above the second').toBeLessThan(20);
  expect(statuses.get(401) ?? 0, 'requests without a session').toBeLessThan(sent / 20);
  expect(statuses.get(400), JSON.stringify([...statuses])).toBeGreaterThan(sent / 3);
  reportFigures(row, {
    amount: `${sent} bodies`,
    figures: {
      endpoints: withBody.length,
      refused: sent - (statuses.get(200) ?? 0),
      accepted: statuses.get(200) ?? 0,
      'MB grown': grownMb,
    },
  });
});
