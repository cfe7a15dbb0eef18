/**
 * Every field of every request with every wrong type, and every device id malformed in every way, derived from the
 * schemas so that new fields are covered too.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp, type User } from '../../harness/users.ts';

const server = sharedApp();
let user: User;

beforeAll(async () => {
  user = await signUp(server);
});

type FieldSchema = { readonly type: string; readonly pattern?: string };
type BodySchema = { readonly properties: Readonly<Record<string, FieldSchema>>; readonly required?: readonly string[] };

const names = (Object.keys(endpoints) as EndpointName[]).filter((name) => 'request' in endpoints[name]);

function schemaOf(name: EndpointName): BodySchema {
  const endpoint = endpoints[name];
  if (!('request' in endpoint)) throw new Error(`${name} takes no body`);
  return z.toJSONSchema(endpoint.request, { io: 'input' }) as BodySchema;
}

/** Returns a body in which every field has the right type. */
function rightBody(name: EndpointName): Record<string, unknown> {
  const fields = Object.entries(schemaOf(name).properties);
  return Object.fromEntries(fields.map(([field, schema]) => [field, rightValue(schema)]));
}

function isDeviceId({ pattern }: FieldSchema): boolean {
  return pattern?.includes('HW') ?? false;
}

function rightValue(schema: FieldSchema): unknown {
  const { type } = schema;
  if (type === 'boolean') return false;
  if (type === 'string') return isDeviceId(schema) ? deviceId : 'text';
  throw new Error(`a field of type ${type} needs a right and some wrong values here`);
}

const wrongFor: Readonly<Record<string, readonly unknown[]>> = {
  string: [null, 0, 1.5, true, [], ['text'], {}, { toString: 'text' }],
  boolean: [null, 0, 1, 'true', 'false', '', [], {}],
};

const deviceId = 'HW-00000000-00000000-00000000-00ABCDEF';

const malformedDeviceIds = [
  '',
  'HW-1',
  deviceId.toLowerCase(),
  deviceId.replace('ABCDEF', 'abcdef'),
  deviceId.slice(3),
  deviceId.replaceAll('-', ''),
  deviceId.slice(0, -9),
  `${deviceId}-00000000`,
  deviceId.replace('F', 'G'),
  `${deviceId}\n`,
  ` ${deviceId}`,
  '\ud800',
  'HW-'.repeat(3_333),
];

const wrongFields = names.flatMap((name) =>
  Object.entries(schemaOf(name).properties).flatMap(([field, schema]) =>
    [...(wrongFor[schema.type] ?? []), ...(isDeviceId(schema) ? malformedDeviceIds : [])].map((value) => ({
      name,
      field,
      value,
    })),
  ),
);

const missingFields = names.flatMap((name) => (schemaOf(name).required ?? []).map((field) => ({ name, field })));

/** Some requests are only accepted from a page of the server. */
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

describe('a field of the wrong type or form', () => {
  it.each(wrongFields)('gets VALIDATION_ERROR: $name with $field as $value', async ({ name, field, value }) => {
    const body = { ...rightBody(name), [field]: value };
    const response = await server.call(name, { token: user.token, body, headers: sameOrigin });
    expect(response.status, response.text).toBe(400);
    expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('a missing required field', () => {
  it.each(missingFields)('gets VALIDATION_ERROR: $name without $field', async ({ name, field }) => {
    const { [field]: _, ...body } = rightBody(name);
    const response = await server.call(name, { token: user.token, body, headers: sameOrigin });
    expect(response.status, response.text).toBe(400);
    expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('is one of those that the interface requires', () => {
    const required = Object.fromEntries(names.map((name) => [name, schemaOf(name).required ?? []]));
    expect(required).toMatchObject({
      login: ['email', 'password'],
      signup: ['email', 'password'],
      refresh: ['refresh_token'],
      validateLicense: ['license_key', 'device_id'],
      activateLicense: ['license_key', 'device_id'],
      apiKey: [],
      validateApiKey: [],
      heartbeat: ['device_id'],
    });
  });
});

it('a device id is recognized in the requests that have one', () => {
  const withDeviceId = wrongFields.filter(({ value }) => value === 'HW-1').map(({ name }) => name);
  expect(withDeviceId).toEqual(expect.arrayContaining(['validateLicense', 'activateLicense', 'heartbeat']));
});
