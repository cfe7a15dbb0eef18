/** Staff requests that create something, repeated with the same Idempotency-Key after a lost response. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { newStaff, type Staff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { issueLicense, newEmail, signUp } from '../../harness/users.ts';

const server = sharedApp();
let owner: Staff;

beforeEach(async () => {
  owner = await newStaff(server, 'owner');
});

async function countRows(table: 'licenses' | 'webhook_endpoints' | 'mails'): Promise<number> {
  return (await server.database.read.selectFrom(table).select('id').execute()).length;
}

const url = 'https://example.com/events';

describe.each([
  { name: 'issueLicense', table: 'licenses', secret: 'license_key', body: {}, other: { plan: 'advanced' } },
  {
    name: 'addWebhook',
    table: 'webhook_endpoints',
    secret: 'secret',
    body: { url, events: [] },
    other: { url, events: ['license.issued'] },
  },
] as const)('$name', ({ name, table, secret, body, other }) => {
  const send = (idempotencyKey: string, { as = owner, changed = body as object } = {}) =>
    as.browser.call(name, { body: changed, headers: { 'idempotency-key': idempotencyKey } });

  it('creates one, and returns the same response and secret again', async () => {
    const [key, before] = [randomUUID(), await countRows(table)];
    const first = await send(key);
    expect(first.status, first.text).toBe(200);
    server.clock.advance(4 * minute);
    const second = await send(key);
    expect(second.body).toStrictEqual(first.body);
    expect(second.body[secret]).toEqual(expect.any(String));
    expect(await countRows(table)).toBe(before + 1);
  });

  it('creates one for ten requests at once', async () => {
    const [key, before] = [randomUUID(), await countRows(table)];
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(key)));
    expect(new Set(responses.map((response) => response.body[secret])).size).toBe(1);
    expect(await countRows(table)).toBe(before + 1);
  });

  it('refuses the key of another request', async () => {
    const key = randomUUID();
    await send(key);
    expect((await send(key, { changed: other })).body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('creates another one for another key, without a key, and for another member', async () => {
    const [key, before] = [randomUUID(), await countRows(table)];
    await send(key);
    await send(randomUUID());
    await owner.browser.expectOk(name, { body });
    const colleague = await newStaff(server, 'owner');
    expect((await send(key, { as: colleague })).status).toBe(200);
    expect(await countRows(table)).toBe(before + 4);
  });

  it('stores neither the secret nor the key in readable form', async () => {
    const key = randomUUID();
    const { body: created } = await send(key);
    const rows = await server.database.read
      .selectFrom('idempotent_responses')
      .selectAll()
      .where('user_id', '=', owner.id)
      .execute();
    expect(rows).toHaveLength(1);
    for (const text of [String(created[secret]), key]) expect(JSON.stringify(rows)).not.toContain(text);
  });
});

describe('replaceLicenseKeyOf', () => {
  const send = (id: string, idempotencyKey: string, body: object = {}) =>
    owner.browser.call('replaceLicenseKeyOf', { at: id, body, headers: { 'idempotency-key': idempotencyKey } });

  const countReplacements = async (id: string) =>
    (
      await server.database.read
        .selectFrom('audit_events')
        .select('id')
        .where('action', '=', 'license.replace_key')
        .where('target_id', '=', id)
        .execute()
    ).length;

  it('replaces the key once, however often the request is repeated, and returns the same key again', async () => {
    const [{ id }, key] = [await issueLicense(server), randomUUID()];
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(id, key)));
    const [first] = responses;
    expect(first?.status, first?.text).toBe(200);
    server.clock.advance(4 * minute);
    expect((await send(id, key)).body).toStrictEqual(first?.body);
    expect(new Set(responses.map(({ body }) => body.license_key)).size).toBe(1);
    expect(await countReplacements(id)).toBe(1);
    expect((await send(id, randomUUID())).body.license_key).not.toBe(first?.body.license_key);
  });

  it('refuses the Idempotency-Key of another license or body', async () => {
    const [{ id }, other, key] = [await issueLicense(server), await issueLicense(server), randomUUID()];
    await send(id, key);
    for (const repeated of [send(other.id, key), send(id, key, { language: 'de' })]) {
      expect((await repeated).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    expect(await countReplacements(other.id)).toBe(0);
  });

  it('returns no key that has been replaced since', async () => {
    const [{ id }, key] = [await issueLicense(server), randomUUID()];
    await send(id, key);
    await send(id, randomUUID());
    const { status, body } = await send(id, key);
    expect([status, body]).toStrictEqual([409, envelope('CONFLICT')]);
    expect(await countReplacements(id)).toBe(2);
  });
});

it('issueLicense returns no key that has been replaced since', async () => {
  const send = () => owner.browser.call('issueLicense', { body: {}, headers: { 'idempotency-key': 'issued once' } });
  const { license } = (await send()).body as { license: { id: string } };
  await owner.browser.expectOk('replaceLicenseKeyOf', { at: license.id, body: {} });
  const { status, body } = await send();
  expect([status, body]).toStrictEqual([409, envelope('CONFLICT')]);
});

it('addWebhook returns no endpoint that has been removed since', async () => {
  const body = { url: 'https://example.com/removed', events: ['license.activated'] };
  const send = () => owner.browser.call('addWebhook', { body, headers: { 'idempotency-key': 'added once' } });
  const { id } = (await send()).body as { id: string };
  await owner.browser.expectOk('removeWebhook', { at: id });
  const { status, body: refused } = await send();
  expect([status, refused]).toStrictEqual([409, envelope('CONFLICT')]);
});

describe('a request that was refused', () => {
  it('is not stored: with the same key it succeeds once its reason is gone', async () => {
    const email = newEmail();
    const send = () =>
      owner.browser.call('issueLicense', { body: { email }, headers: { 'idempotency-key': `of ${email}` } });
    expect((await send()).body).toStrictEqual(envelope('USER_NOT_FOUND'));
    await signUp(server, email);
    expect((await send()).body).toMatchObject({ license: { email } });
  });

  it('is refused again with a key of more than 255 characters', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    const { body } = await owner.browser.call('issueLicense', { body: {}, headers });
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});
