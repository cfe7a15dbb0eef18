/** Legacy API keys: valid until a date whatever the subscription, and afterwards only with a subscription. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SnapshotCache } from '../../../server/account-snapshots/snapshot-cache.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { day } from '../../harness/fake-clock.ts';
import { envelope, invalid, sentence, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { isoFromNow, signUp, subscribe, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();

/** Returns a key of an older system, with neither the length nor the checksum of current keys. */
function legacyKey(): string {
  return `old-${randomUUID()}`;
}

async function importKey({ email }: User, key: string, expiresAt = isoFromNow(server, 30 * day)) {
  return await server.admin('api-key', 'import-legacy', email, '--key', key, '--expires-at', expiresAt);
}

async function validate(key: string) {
  const response = await server.call('validateApiKey', { body: { api_key: key } });
  expect(response.status).toBe(200);
  return response.body;
}

function askForKey({ token }: User, body?: unknown) {
  return server.call('apiKey', { token, body });
}

describe('before any legacy key is imported', () => {
  const clean = sharedApp();

  it('an ill-formed key gets INVALID_API_KEY', async () => {
    const { body } = await clean.call('validateApiKey', { body: { api_key: legacyKey() } });
    expect(body).toStrictEqual(invalid('INVALID_API_KEY'));
  });

  it('ill-formed keys cause no query, until an account changes: then one, however many arrive at once', async () => {
    const { apiKeyValidation } = clean.services;
    const validateIllFormed = () => apiKeyValidation.validate(legacyKey());
    await validateIllFormed();
    const lookups = vi.spyOn(SnapshotCache.prototype, 'findApiKey');
    const queries = vi.spyOn(clean.database.read, 'selectFrom');
    onTestFinished(() => void vi.restoreAllMocks());
    await validateIllFormed();
    expect(queries).not.toHaveBeenCalled();
    await subscriber(clean);
    queries.mockClear();
    await Promise.all(Array.from({ length: 20 }, validateIllFormed));
    expect(queries).toHaveBeenCalledTimes(1);
    expect(lookups).not.toHaveBeenCalled();
  });

  it('an ill-formed key is looked up again after a look-up that failed', async () => {
    const validateIllFormed = () => clean.call('validateApiKey', { body: { api_key: legacyKey() } });
    await subscriber(clean);
    const queries = vi.spyOn(clean.database.read, 'selectFrom').mockImplementationOnce(() => {
      throw new DatabaseUnavailable(new Error('the query failed'));
    });
    onTestFinished(() => void queries.mockRestore());
    expect((await validateIllFormed()).status).toBe(503);
    expect((await validateIllFormed()).body).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});

describe('a grandfathered key', () => {
  it('is valid without any subscription, with exactly the fields of the interface', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    await importKey(user, key);
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'free',
      source: 'legacy',
      features: { api_access: true, csv_export: false },
      subscription_active: false,
    });
  });

  it('has the plan of the subscription if there is one', async () => {
    const user = await subscriber(server, 'advanced');
    const key = legacyKey();
    await importKey(user, key);
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'advanced',
      source: 'legacy',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
  });

  it.each(['canceled', 'expired'])('is valid even if the subscription is %s', async (status) => {
    const user = await subscriber(server, 'standard', '--status', status);
    const key = legacyKey();
    await importKey(user, key);
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'standard',
      source: 'legacy',
      features: { api_access: true, csv_export: false },
      subscription_active: false,
    });
  });

  it('is valid on a plan without API access', async () => {
    const key = legacyKey();
    await importKey(await subscriber(server, 'free'), key);
    expect(await validate(key)).toMatchObject({ valid: true, plan: 'free', features: { api_access: true } });
  });

  it('is also accepted in the header', async () => {
    const key = legacyKey();
    await importKey(await signUp(server), key);
    const { body } = await server.call('validateApiKey', { headers: { 'x-api-key': key } });
    expect(body).toMatchObject({ valid: true, source: 'legacy' });
  });

  it.each([
    ['our length and prefix but no checksum', () => `svc_live_${randomBytes(19).toString('base64url')}`],
    ['another prefix', () => `sk_${randomBytes(24).toString('hex')}`],
    ['three characters', () => randomBytes(2).toString('hex').slice(0, 3)],
    ['punctuation', () => `key:/+=${randomUUID()}!`],
  ])('may have %s', async (_, make) => {
    const key = make();
    await importKey(await signUp(server), key);
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
  });

  it('is valid if it was imported by its SHA-256', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    const hash = createHash('sha256').update(key).digest('hex').toUpperCase();
    await server.admin(
      'api-key',
      'import-legacy',
      user.email,
      '--sha256',
      hash,
      '--expires-at',
      isoFromNow(server, day),
    );
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
    expect((await askForKey(user)).body).toMatchObject({ api_key_prefix: 'svc_live_????', is_legacy: true });
  });

  it('is invalid with an extra character at its end', async () => {
    const key = legacyKey();
    await importKey(await signUp(server), key);
    expect(await validate(`${key}x`)).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});

describe('the holder of a grandfathered key', () => {
  it('gets its prefix, with exactly the fields of the interface', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    await importKey(user, key);
    const { status, body, text } = await askForKey(user);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      api_key_prefix: key.slice(0, 13),
      is_legacy: true,
      plan: 'free',
      features: { api_access: true },
      created_at: timestamp,
      message: sentence,
    });
    expect(text).not.toContain(key);
  });

  it('sees the plan of the subscription if there is one', async () => {
    const user = await subscriber(server, 'advanced');
    await importKey(user, legacyKey());
    expect((await askForKey(user)).body).toMatchObject({ is_legacy: true, plan: 'advanced' });
  });

  it('cannot regenerate it without a subscription, and it stays valid', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    await importKey(user, key);
    const { status, body } = await askForKey(user, { regenerate: true });
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
    expect(await validate(key)).toMatchObject({ valid: true });
  });

  it('cannot regenerate it with a subscription that gives no access', async () => {
    const user = await subscriber(server, 'standard', '--status', 'canceled');
    const key = legacyKey();
    await importKey(user, key);
    const { status, body } = await askForKey(user, { regenerate: true });
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    expect((await askForKey(user)).body).toMatchObject({ is_legacy: true, plan: 'standard' });
    expect(await validate(key)).toMatchObject({ valid: true });
  });
});

describe('the holder of a grandfathered key with a subscription', () => {
  it('can replace it with a new key', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    await importKey(user, key);
    await subscribe(server, user, 'standard');
    expect((await askForKey(user, { regenerate: true })).body).toMatchObject({ is_legacy: false, plan: 'standard' });
    expect(await validate(key)).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});

describe('a legacy key whose access has ended', () => {
  it('gets SUBSCRIPTION_EXPIRED with the time at which it ended, and without an error text', async () => {
    const end = isoFromNow(server, -day);
    const key = legacyKey();
    await importKey(await signUp(server), key, end);
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it.each(['canceled', 'expired'])('gets SUBSCRIPTION_EXPIRED while the subscription is %s', async (status) => {
    const end = isoFromNow(server, -day);
    const key = legacyKey();
    await importKey(await subscriber(server, 'standard', '--status', status), key, end);
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it('is valid again while the owner has a subscription', async () => {
    const user = await signUp(server);
    const end = isoFromNow(server, -day);
    const key = legacyKey();
    await importKey(user, key, end);
    await subscribe(server, user, 'standard');
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'standard',
      source: 'legacy',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
    await subscribe(server, user, 'standard', '--period-end', isoFromNow(server, -1000));
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it('expires on time without any job having to run', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    const end = isoFromNow(server, 1000);
    await importKey(user, key, end);
    server.clock.advance(999);
    expect(await validate(key)).toMatchObject({ valid: true });
    server.clock.advance(1);
    const ended = { valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end };
    expect(await validate(key)).toStrictEqual(ended);
    await subscribe(server, user, 'standard', '--period-end', isoFromNow(server, 1000));
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
    server.clock.advance(1000);
    expect(await validate(key)).toStrictEqual(ended);
  });

  it('is not shown to a holder without access', async () => {
    const user = await signUp(server);
    await importKey(user, legacyKey(), isoFromNow(server, -day));
    const { status, body } = await askForKey(user);
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('can be replaced with a new key once the owner has a subscription', async () => {
    const user = await subscriber(server);
    const key = legacyKey();
    await importKey(user, key, isoFromNow(server, -day));
    const { status, body } = await askForKey(user, { regenerate: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ is_legacy: false, plan: 'standard' });
    expect(await validate(key)).toStrictEqual(invalid('INVALID_API_KEY'));
    expect(await validate(stringIn(body, 'api_key'))).toMatchObject({ valid: true, source: 'new' });
  });
});

describe('an import', () => {
  it('replaces the existing key of the account', async () => {
    const user = await subscriber(server);
    const own = stringIn((await askForKey(user)).body, 'api_key');
    const key = legacyKey();
    await importKey(user, key);
    expect(await validate(own)).toStrictEqual(invalid('INVALID_API_KEY'));
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
    expect((await askForKey(user)).body).toMatchObject({ is_legacy: true });
  });

  it('replaces an earlier import', async () => {
    const user = await signUp(server);
    const [first, second] = [legacyKey(), legacyKey()];
    await importKey(user, first);
    await importKey(user, second);
    expect(await validate(first)).toStrictEqual(invalid('INVALID_API_KEY'));
    expect(await validate(second)).toMatchObject({ valid: true });
  });

  it('is refused with NOT_FOUND if the account is deleted meanwhile', async () => {
    const { id } = await signUp(server);
    const { accounts, apiKeyAdmin } = server.services;
    await accounts.removeById(id, byCommand);
    const legacy = { key: legacyKey(), expiresAtMs: server.clock.now() + day };
    await expect(apiKeyAdmin.importLegacy(id, legacy, byCommand)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is undone by a revocation', async () => {
    const user = await signUp(server);
    const key = legacyKey();
    await importKey(user, key);
    await server.admin('api-key', 'revoke', user.email);
    expect(await validate(key)).toStrictEqual(invalid('INVALID_API_KEY'));
  });
});
