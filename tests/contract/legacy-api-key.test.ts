/** Legacy API keys: grandfathered for a time, ended, and alive again with the owner's subscription. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { envelope, sentence, timestamp, verdict } from '../harness/response-shapes.ts';
import { stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { dayMs, isoFromNow, type Person, signUp, subscribe, subscriber } from '../harness/users.ts';

const service = startedService();

/** A key of an older system: neither our length nor our checksum. */
function legacyKey(): string {
  return `old-${randomUUID()}`;
}

async function importKey({ email }: Person, key: string, expiresAt = isoFromNow(30 * dayMs)) {
  return await service.admin('api-key', 'import-legacy', email, '--key', key, '--expires-at', expiresAt);
}

async function validate(key: string) {
  const answer = await service.call('validateApiKey', { body: { api_key: key } });
  expect(answer.status).toBe(200);
  return answer.body;
}

function askForKey({ token }: Person, body?: unknown) {
  return service.call('apiKey', { token, body });
}

describe('before any legacy key was imported', () => {
  const clean = startedService();

  it('an ill-formed key is INVALID_API_KEY', async () => {
    const { body } = await clean.call('validateApiKey', { body: { api_key: legacyKey() } });
    expect(body).toStrictEqual(verdict('INVALID_API_KEY'));
  });
});

describe('a grandfathered key', () => {
  it('validates without any subscription, with exactly the fields of the interface', async () => {
    const person = await signUp(service);
    const key = legacyKey();
    await importKey(person, key);
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'free',
      source: 'legacy',
      features: { api_access: true, csv_export: false },
      subscription_active: false,
    });
  });

  it('has the plan of the subscription where there is one', async () => {
    const person = await subscriber(service, 'advanced');
    const key = legacyKey();
    await importKey(person, key);
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'advanced',
      source: 'legacy',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
  });

  it.each(['canceled', 'expired'])('validates although the subscription is %s', async (status) => {
    const person = await subscriber(service, 'standard', '--status', status);
    const key = legacyKey();
    await importKey(person, key);
    expect(await validate(key)).toMatchObject({
      valid: true,
      source: 'legacy',
      features: { api_access: true },
      subscription_active: false,
    });
  });

  it('validates on a plan without API access', async () => {
    const key = legacyKey();
    await importKey(await subscriber(service, 'free'), key);
    expect(await validate(key)).toMatchObject({ valid: true, plan: 'free', features: { api_access: true } });
  });

  it('validates in the header as well', async () => {
    const key = legacyKey();
    await importKey(await signUp(service), key);
    const { body } = await service.call('validateApiKey', { headers: { 'x-api-key': key } });
    expect(body).toMatchObject({ valid: true, source: 'legacy' });
  });

  it.each([
    ['our length and prefix but no checksum', () => `svc_live_${randomBytes(19).toString('base64url')}`],
    ['another prefix', () => `sk_${randomBytes(24).toString('hex')}`],
    ['three characters', () => randomBytes(2).toString('hex').slice(0, 3)],
    ['punctuation', () => `key:/+=${randomUUID()}!`],
  ])('may have %s', async (_, make) => {
    const key = make();
    await importKey(await signUp(service), key);
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
  });

  it('that was imported by its SHA-256 validates', async () => {
    const person = await signUp(service);
    const key = legacyKey();
    const hash = createHash('sha256').update(key).digest('hex');
    await service.admin('api-key', 'import-legacy', person.email, '--sha256', hash, '--expires-at', isoFromNow(dayMs));
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
    expect((await askForKey(person)).body).toMatchObject({ api_key_prefix: 'svc_live_????', is_legacy: true });
  });

  it('differs from the key that is its neighbour', async () => {
    const key = legacyKey();
    await importKey(await signUp(service), key);
    expect(await validate(`${key}x`)).toStrictEqual(verdict('INVALID_API_KEY'));
  });
});

describe('the holder of a grandfathered key', () => {
  it('retrieves its prefix, with exactly the fields of the interface', async () => {
    const person = await signUp(service);
    const key = legacyKey();
    await importKey(person, key);
    const { status, body, text } = await askForKey(person);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      api_key_prefix: sentence,
      is_legacy: true,
      plan: 'free',
      features: { api_access: true },
      created_at: timestamp,
      message: sentence,
    });
    expect(text).not.toContain(key);
  });

  it('reads the plan of the subscription where there is one', async () => {
    const person = await subscriber(service, 'advanced');
    await importKey(person, legacyKey());
    expect((await askForKey(person)).body).toMatchObject({ is_legacy: true, plan: 'advanced' });
  });

  it('cannot regenerate it without a subscription, and it goes on validating', async () => {
    const person = await signUp(service);
    const key = legacyKey();
    await importKey(person, key);
    const { status, body } = await askForKey(person, { regenerate: true });
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
    expect(await validate(key)).toMatchObject({ valid: true });
  });

  it('cannot regenerate it with a subscription that gives no access', async () => {
    const person = await subscriber(service, 'standard', '--status', 'canceled');
    const key = legacyKey();
    await importKey(person, key);
    const { status, body } = await askForKey(person, { regenerate: true });
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('SUBSCRIPTION_INACTIVE'));
    expect(await validate(key)).toMatchObject({ valid: true });
  });
});

describe('a legacy key whose access has ended', () => {
  it('is SUBSCRIPTION_EXPIRED with the moment at which it ended, and without error', async () => {
    const end = isoFromNow(-dayMs);
    const key = legacyKey();
    await importKey(await signUp(service), key, end);
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it.each(['canceled', 'expired'])('is SUBSCRIPTION_EXPIRED while the subscription is %s', async (status) => {
    const end = isoFromNow(-dayMs);
    const key = legacyKey();
    await importKey(await subscriber(service, 'standard', '--status', status), key, end);
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it('validates again once the owner has a subscription again, and ends with that', async () => {
    const person = await signUp(service);
    const end = isoFromNow(-dayMs);
    const key = legacyKey();
    await importKey(person, key, end);
    await subscribe(service, person, 'standard');
    expect(await validate(key)).toStrictEqual({
      valid: true,
      plan: 'standard',
      source: 'legacy',
      features: { api_access: true, csv_export: true },
      subscription_active: true,
    });
    await subscribe(service, person, 'standard', '--period-end', isoFromNow(-1000));
    expect(await validate(key)).toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  });

  it('turns from valid to ended with no job having to run', async () => {
    const key = legacyKey();
    const end = isoFromNow(2_000);
    await importKey(await signUp(service), key, end);
    const before = await validate(key);
    // Only a machine that took two seconds for one command has missed the moment before.
    if (Date.now() < Date.parse(end)) expect(before).toMatchObject({ valid: true });
    await expect
      .poll(async () => await validate(key), { timeout: 15_000, interval: 100 })
      .toStrictEqual({ valid: false, code: 'SUBSCRIPTION_EXPIRED', expires_at: end });
  }, 30_000);

  it('is not shown to a holder without access', async () => {
    const person = await signUp(service);
    await importKey(person, legacyKey(), isoFromNow(-dayMs));
    const { status, body } = await askForKey(person);
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('API_ACCESS_DISABLED'));
  });

  it('can be replaced by a new key once the owner has a subscription', async () => {
    const person = await subscriber(service);
    const key = legacyKey();
    await importKey(person, key, isoFromNow(-dayMs));
    const { status, body } = await askForKey(person, { regenerate: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ is_legacy: false, plan: 'standard' });
    expect(await validate(key)).toStrictEqual(verdict('INVALID_API_KEY'));
    expect(await validate(stringIn(body, 'api_key'))).toMatchObject({ valid: true, source: 'new' });
  });
});

describe('an import', () => {
  it('replaces the key that the account had', async () => {
    const person = await subscriber(service);
    const own = stringIn((await askForKey(person)).body, 'api_key');
    const key = legacyKey();
    await importKey(person, key);
    expect(await validate(own)).toStrictEqual(verdict('INVALID_API_KEY'));
    expect(await validate(key)).toMatchObject({ valid: true, source: 'legacy' });
    expect((await askForKey(person)).body).toMatchObject({ is_legacy: true });
  });

  it('replaces an earlier import', async () => {
    const person = await signUp(service);
    const [first, second] = [legacyKey(), legacyKey()];
    await importKey(person, first);
    await importKey(person, second);
    expect(await validate(first)).toStrictEqual(verdict('INVALID_API_KEY'));
    expect(await validate(second)).toMatchObject({ valid: true });
  });

  it('is undone by a revocation', async () => {
    const person = await signUp(service);
    const key = legacyKey();
    await importKey(person, key);
    await service.admin('api-key', 'revoke', person.email);
    expect(await validate(key)).toStrictEqual(verdict('INVALID_API_KEY'));
  });
});
