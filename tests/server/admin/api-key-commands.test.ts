/** `api-key`: keys of an older system are valid until they expire, and a revoked key is not. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAdmin } from '../../harness/run-admin.ts';
import { startServer } from '../../harness/start-server-old.ts';

const legacyKey = 'old-system-key-1234567890';
const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');

it('an imported key validates, as it is or by its hash, until an admin revokes it', async () => {
  const admin = createAdmin();
  const server = await startServer(admin.folder);
  await admin.createUser('ada@example.com');
  const validate = async (api_key: string) => (await server.call('/metrics/api-key/validate', { api_key })).body;
  const importKey = (...words: string[]) =>
    admin.json(['api-key', 'import-legacy', 'ada@example.com', ...words, '--expires-at', '2094-01-01']);

  const imported = await importKey('--key', legacyKey);
  expect(imported).toMatchObject({
    is_legacy: true,
    created_at: expect.any(String),
    expires_at: '2094-01-01T00:00:00.000Z',
    revoked_at: null,
  });
  expect(JSON.stringify(imported)).not.toContain(legacyKey);
  expect(await validate(legacyKey)).toMatchObject({ valid: true, source: 'legacy' });

  const byHash = await importKey('--sha256', sha256('another one').toUpperCase());
  expect(byHash).toMatchObject({ api_key_prefix: 'svc_live_????', is_legacy: true });
  expect(await validate('another one')).toMatchObject({ valid: true });
  expect(await validate(legacyKey)).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });

  const revoked = await admin.json(['api-key', 'revoke', 'ada@example.com']);
  expect(revoked).toEqual({ ...byHash, revoked_at: expect.any(String) });
  expect(await validate('another one')).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
  expect(await admin.failure(['api-key', 'revoke', 'ada@example.com'])).toMatchObject({ code: 'NOT_FOUND' });
});

it('an expired key is reported with its expiry date', async () => {
  const admin = createAdmin();
  const server = await startServer(admin.folder);
  await admin.createUser('ada@example.com');
  const words = ['--key', legacyKey, '--expires-at', '2020-02-03T04:05:06Z'];
  await admin.json(['api-key', 'import-legacy', 'ada@example.com', ...words]);
  expect((await server.call('/metrics/api-key/validate', { api_key: legacyKey })).body).toEqual({
    valid: false,
    code: 'SUBSCRIPTION_EXPIRED',
    expires_at: '2020-02-03T04:05:06.000Z',
  });
});

it('a key belongs to one account only', async () => {
  const admin = createAdmin();
  await admin.createUser('ada@example.com');
  await admin.createUser('bob@example.com');
  const words = (email: string) => [
    'api-key',
    'import-legacy',
    email,
    '--key',
    legacyKey,
    '--expires-at',
    '2094-01-01',
  ];
  await admin.json(words('ada@example.com'));
  expect(await admin.failure(words('bob@example.com'))).toMatchObject({ code: 'VALIDATION_ERROR' });
});
