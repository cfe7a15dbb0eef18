/**
 * Row 14 of the matrix: the ids of another account or member of staff at every endpoint. The response is the same as
 * for an unknown id, reveals nothing about the other account, and nothing of it is changed. Transport: inject.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyEndpointName, findEndpoint } from '../../server/http/endpoint-handler.ts';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { endpoints } from '../../shared/api/endpoints.ts';
import { type StaffRole, staffRoles } from '../../shared/api/staff-role.ts';
import { formatLicenseKey } from '../../shared/formats/license-key.ts';
import { fromPage, newStaff, type Staff } from '../harness/staff.ts';
import { sharedApp } from '../harness/start-app.ts';
import type { EndpointCall, TestResponse } from '../harness/test-client.ts';
import { activate, goodPassword, issueLicense, newDeviceId, subscriber, type User } from '../harness/users.ts';
import { reportFigures } from './matrix-run.ts';

const row = 14;
const server = sharedApp({ LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1', LATCHKEY_PUBLIC_URL: 'https://l.example.com' });

type Ids = Readonly<Record<string, string>>;
type Owner = { readonly user: User; readonly ids: Ids; readonly licenseKey: string; readonly cookie: string };

/** How an account authenticates: with a token like a program, or with the cookie of the account page. */
const ways = ['token', 'cookie'] as const;
type Way = (typeof ways)[number];

let victim: Owner;
let attacker: Owner;
const members: Partial<Record<StaffRole, Staff>> = {};

/** Creates an account with one of everything that has an id. */
async function newOwner(): Promise<Owner> {
  const user = await subscriber(server, 'advanced');
  const { key, id } = await issueLicense(server, '--email', user.email, '--max-activations', '3');
  const { deviceId, activationId } = await activate(server, user, key);
  await server.call('heartbeat', { token: user.token, body: { device_id: deviceId } });
  await server.call('apiKey', { token: user.token, body: {} });
  const { body } = await server.call('sessions', { token: user.token });
  const [session] = body.sessions as { session_id: string }[];
  const ids = {
    session_id: session?.session_id ?? '',
    activation_id: activationId,
    license_id: id,
    device_id: deviceId,
  };
  const { email, password } = user;
  const page = await server.call('accountSignIn', { body: { email, password }, headers: fromPage });
  const [cookie = ''] = page.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  return { user, ids: { ...ids, license_key: key, replaces: activationId, id: user.id }, licenseKey: key, cookie };
}

/** Returns the credentials of this account for a request. */
function signedInAs({ user, cookie }: Owner, way: Way): EndpointCall {
  return way === 'token' ? { token: user.token, headers: fromPage } : { headers: { ...fromPage, cookie } };
}

beforeAll(async () => {
  victim = await newOwner();
  attacker = await newOwner();
  for (const role of staffRoles) members[role] = await newStaff(server, role);
});

function member(role: StaffRole): Staff {
  const { [role]: found } = members;
  if (!found) throw new Error(role);
  return found;
}

/** Returns the same fields with unknown ids. */
const unknown = (): Ids => ({
  session_id: randomUUID(),
  activation_id: randomUUID(),
  license_id: randomUUID(),
  device_id: newDeviceId(),
  license_key: formatLicenseKey(Array.from({ length: 15 }, (_, index) => index)),
  replaces: randomUUID(),
  id: randomUUID(),
});

function fieldsOf(name: AnyEndpointName): string[] {
  const { request } = findEndpoint(name);
  if (request === undefined) return [];
  const { properties = {} } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as {
    properties?: object;
  };
  return Object.keys(properties);
}

/** Returns a request that has these ids wherever the endpoint accepts one, and the account's own data elsewhere. */
function optionsWith(name: AnyEndpointName, ids: Ids, way: Way, by = attacker): EndpointCall {
  const { path, method } = findEndpoint(name);
  const own: Readonly<Record<string, unknown>> = {
    license_key: by.licenseKey,
    device_id: by.ids.device_id,
    // These values keep sessions and the attacker's own data unchanged.
    password: 'not the password',
    current_password: 'not the password',
    new_password: `${goodPassword} 2`,
    email: 'not an address',
    all_devices: false,
    refresh_token: 'v1.none',
  };
  const fields = fieldsOf(name);
  const body = Object.fromEntries(fields.map((field) => [field, ids[field] ?? own[field]]));
  const at = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => ids[parameter] ?? '0'.repeat(64));
  return { at, ...(method === 'GET' ? {} : { body }), ...signedInAs(by, way) };
}

/** Returns what no response may contain of the victim, except for what the request itself contained. */
function secretsOf({ user, ids, licenseKey }: Owner, sent: EndpointCall): string[] {
  const request = JSON.stringify(sent);
  const all = [user.email, user.id, licenseKey, ...Object.values(ids)];
  return all.filter((each) => each !== '' && !request.includes(each));
}

/** Returns the account as its user exports it, without what tells of the exports themselves. */
const stateOf = async ({ user }: Owner) => {
  const { body } = await server.call('exportAccount', { token: user.token });
  const entries = body.activity as readonly { readonly action: string }[];
  const activity = entries.filter(({ action }) => action !== 'account.export');
  return JSON.stringify({ ...body, activity, exported_at: '' });
};

const shapeOf = ({ status, body }: TestResponse) => ({ status, code: body.code, valid: body.valid, error: body.error });

const ofAccounts = (Object.keys(endpoints) as AnyEndpointName[]).filter((name) => findEndpoint(name).auth === 'bearer');
const takesId = (name: AnyEndpointName) =>
  findEndpoint(name).path.includes(':') || fieldsOf(name).some((field) => field in unknown());

describe.each(ways)('an account that sends the ids of another, signed in by %s,', (way) => {
  it('is signed in', async () => {
    expect((await server.call('accountSession', signedInAs(attacker, way))).body).toMatchObject({
      user: { email: attacker.user.email },
    });
  });

  it.each(ofAccounts.filter((name) => name !== 'accountSignOut'))(
    'gets and changes nothing of it: %s',
    async (name) => {
      const before = await stateOf(victim);
      const options = optionsWith(name, victim.ids, way);
      const { text } = await server.call(name, options);
      expect(secretsOf(victim, options).filter((secret) => text.includes(secret))).toStrictEqual([]);
      expect(await stateOf(victim)).toBe(before);
    },
  );

  it.each(ofAccounts.filter(takesId))('gets the same response as for an unknown id: %s', async (name) => {
    for (const field of Object.keys(unknown())) {
      const { path } = findEndpoint(name);
      if (!path.includes(`:${field}`) && !fieldsOf(name).includes(field)) continue;
      // One foreign id at a time, the others are the attacker's own. New accounts, because the request may use
      // something up, such as a place.
      const answerTo = async (id: string) => {
        const by = await newOwner();
        return shapeOf(await server.call(name, optionsWith(name, { ...by.ids, [field]: id }, way, by)));
      };
      expect(await answerTo(victim.ids[field] ?? ''), field).toStrictEqual(await answerTo(unknown()[field] ?? ''));
    }
    reportFigures(row, {
      amount: 'all endpoints',
      figures: {
        'endpoints of accounts': ofAccounts.length,
        'of them by the cookie of the account page': ofAccounts.length,
      },
    });
  });
});

const forStaff = (Object.keys(adminEndpoints) as AnyEndpointName[]).filter(
  (name) => findEndpoint(name).auth === 'staff',
);
const forStaffWithIds = forStaff.filter((name) => findEndpoint(name).path.includes(':'));

/** Uses the id for every id in the path, with an empty body. */
function withId(name: AnyEndpointName, id: string): EndpointCall {
  const { method, path } = findEndpoint(name);
  const at = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => (parameter === 'id' ? id : 'x'));
  return { at, ...(method === 'GET' ? {} : { body: {} }) };
}

describe('a session of the wrong kind', () => {
  it.each(ways)('of an account gives no access to the admin page, whatever ids it sends: by %s', async (way) => {
    for (const name of forStaff) {
      for (const id of [victim.user.id, victim.ids.license_id ?? '', attacker.user.id, randomUUID()]) {
        const { status, body } = await server.call(name, { ...withId(name, id), ...signedInAs(attacker, way) });
        expect({ status, code: body.code }, name).toStrictEqual({ status: 401, code: 'INVALID_TOKEN' });
      }
    }
  });

  it.each(staffRoles)(
    'of staff gives no access to any account, including its own: the cookie of a role, %s',
    async (role) => {
      for (const name of ofAccounts) {
        const { token: _, ...options } = optionsWith(name, victim.ids, 'token');
        const { status, body } = await member(role).browser.call(name, options);
        expect({ status, code: body.code }, name).toStrictEqual({ status: 401, code: 'INVALID_TOKEN' });
      }
    },
  );
});

describe('a member of staff without the role', () => {
  it.each(forStaffWithIds)('gets the same response for an existing and an unknown id: %s', async (name) => {
    const { method } = findEndpoint(name);
    for (const role of staffRoles.filter((each) => each !== 'owner')) {
      const { browser } = member(role);
      const none = await browser.call(name, withId(name, randomUUID()));
      if (none.status !== 403 && role !== 'viewer') continue;
      for (const id of [victim.user.id, victim.ids.license_id ?? '', member('owner').id]) {
        const known = await browser.call(name, withId(name, id));
        if (known.status === 403 || none.status === 403) expect(shapeOf(known), role).toStrictEqual(shapeOf(none));
        // A viewer may read accounts and licenses.
        else expect(method === 'GET' || [400, 404].includes(known.status), `${name}: ${known.text}`).toBe(true);
      }
    }
    reportFigures(row, {
      amount: 'all endpoints',
      figures: {
        'endpoints of staff': forStaff.length,
        'of them with ids': forStaffWithIds.length,
        roles: staffRoles.length,
      },
    });
  });

  it.each(['endStaffSession', 'removePasskey'] as const)('cannot affect another member: %s', async (name) => {
    const [owner, viewer] = [member('owner'), member('viewer')];
    const { sessions } = (await owner.browser.expectOk('staffSessions')) as { sessions: { id: string }[] };
    const foreign = await viewer.browser.call(name, { at: sessions[0]?.id ?? '' });
    const none = await viewer.browser.call(name, { at: randomUUID() });
    expect(shapeOf(foreign)).toStrictEqual(shapeOf(none));
    expect((await owner.browser.call('staffSession')).status).toBe(200);
  });
});
