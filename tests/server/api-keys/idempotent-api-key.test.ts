/** `POST /metrics/api-key` with an Idempotency-Key: a lost response never costs a key. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { previewApiKey } from '../../../shared/formats/api-key.ts';
import { minute } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { signUp, subscribe, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();
const send = ({ token }: User, idempotencyKey: string, body?: unknown) =>
  server.call('apiKey', { token, body, headers: { 'idempotency-key': idempotencyKey } });
const validate = async (key: string) => (await server.call('validateApiKey', { body: { api_key: key } })).body;

describe('the same Idempotency-Key', () => {
  it.each([{}, { regenerate: true }])('with %j returns the same new key again', async (body) => {
    const user = await subscriber(server);
    const idempotencyKey = randomUUID();
    const first = await send(user, idempotencyKey, body);
    expect(first.status).toBe(200);
    server.clock.advance(9 * minute);
    expect((await send(user, idempotencyKey, body)).body).toStrictEqual(first.body);
    expect(await validate(stringIn(first.body, 'api_key'))).toMatchObject({ valid: true });
  });

  it('sent ten times at once replaces the key once', async () => {
    const user = await subscriber(server);
    const idempotencyKey = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => send(user, idempotencyKey, { regenerate: true })),
    );
    expect(new Set(responses.map(({ body }) => body.api_key)).size).toBe(1);
  });

  it.each([{}, { regenerate: true }])(
    'with %j gets the prefix of the current key, and replaces nothing, once another device replaced the key',
    async (body) => {
      const user = await subscriber(server);
      const idempotencyKey = randomUUID();
      await send(user, idempotencyKey, body);
      const { body: replacement } = await send(user, randomUUID(), { regenerate: true });
      const current = stringIn(replacement, 'api_key');
      const { status, body: repeated } = await send(user, idempotencyKey, body);
      expect(status).toBe(200);
      expect(repeated).not.toHaveProperty('api_key');
      expect(repeated).toMatchObject({
        api_key_prefix: previewApiKey(current),
        created_at: replacement.created_at,
      });
      expect(await validate(current)).toMatchObject({ valid: true });
    },
  );

  it.each([{}, { regenerate: true }])(
    'with %j returns one new key, the same on each repetition, once the key was revoked',
    async (body) => {
      const user = await subscriber(server);
      const idempotencyKey = randomUUID();
      const { body: revoked } = await send(user, idempotencyKey, body);
      await server.services.apiKeyAdmin.revoke(user.id, byCommand);
      const { body: other } = await send(user, idempotencyKey, body);
      expect(other.api_key).not.toBe(revoked.api_key);
      expect((await send(user, idempotencyKey, body)).body).toStrictEqual(other);
      expect(await validate(stringIn(other, 'api_key'))).toMatchObject({ valid: true });
    },
  );

  it('returns the prefix of the current key if it returned a prefix before', async () => {
    const user = await subscriber(server);
    await server.call('apiKey', { token: user.token });
    const idempotencyKey = randomUUID();
    const first = await send(user, idempotencyKey);
    expect((await send(user, idempotencyKey, { regenerate: false })).body).toStrictEqual(first.body);
    const { body } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    expect((await send(user, idempotencyKey)).body.api_key_prefix).toBe(previewApiKey(stringIn(body, 'api_key')));
  });

  it('with another body is an error, and the key stays valid', async () => {
    const user = await subscriber(server);
    const idempotencyKey = randomUUID();
    const { body } = await send(user, idempotencyKey);
    const { status, body: error } = await send(user, idempotencyKey, { regenerate: true });
    expect(status).toBe(400);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(await validate(stringIn(body, 'api_key'))).toMatchObject({ valid: true });
  });

  it('applies to one account only', async () => {
    const idempotencyKey = randomUUID();
    const mine = await send(await subscriber(server), idempotencyKey);
    const theirs = await send(await subscriber(server), idempotencyKey);
    expect(theirs.body.api_key).not.toBe(mine.body.api_key);
  });

  it('is accepted after an error, which is not stored', async () => {
    const user = await signUp(server);
    const idempotencyKey = randomUUID();
    expect((await send(user, idempotencyKey)).status).toBe(403);
    await subscribe(server, user, 'standard');
    expect((await send(user, idempotencyKey)).body).toHaveProperty('api_key');
  });

  it('replaces the key again after 10 minutes', async () => {
    const user = await subscriber(server);
    const idempotencyKey = randomUUID();
    const first = await send(user, idempotencyKey, { regenerate: true });
    server.clock.advance(10 * minute);
    const second = await send(user, idempotencyKey, { regenerate: true });
    expect(second.body.api_key).not.toBe(first.body.api_key);
    expect(await validate(stringIn(first.body, 'api_key'))).toMatchObject({ valid: false });
  });

  it('of more than 255 characters is an error', async () => {
    expect((await send(await subscriber(server), 'x'.repeat(256))).body.code).toBe('VALIDATION_ERROR');
  });
});

it('neither the API key nor the Idempotency-Key can be read from the database, and expired responses are deleted', async () => {
  const idempotencyKey = randomUUID();
  const user = await subscriber(server);
  const { body } = await send(user, idempotencyKey);
  const ownRows = () =>
    server.database.read.selectFrom('idempotent_responses').selectAll().where('user_id', '=', user.id).execute();
  const rows = await ownRows();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(stringIn(body, 'api_key'));
  expect(JSON.stringify(rows)).not.toContain(idempotencyKey);
  server.clock.advance(10 * minute);
  await send(user, randomUUID());
  expect(await ownRows()).toHaveLength(1);
});
