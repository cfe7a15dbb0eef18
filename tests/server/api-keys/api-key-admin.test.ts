/** API key administration by staff. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, testStartMs } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

const server = sharedApp();

const end = testStartMs + day;

describe('importing a legacy key', () => {
  it('makes it the key of the account, in place of an earlier one', async () => {
    const { id } = await signUp(server);
    await server.services.apiKeyAdmin.importLegacy(id, { key: 'first-old-key', expiresAtMs: end }, byCommand);
    const record = await server.services.apiKeyAdmin.importLegacy(
      id,
      { key: 'second-old-key', expiresAtMs: end },
      byCommand,
    );
    expect(record).toMatchObject({ user_id: id, is_legacy: true, expires_at: new Date(end).toISOString() });
    expect(await server.services.apiKeyAdmin.get(id)).toStrictEqual(record);
    expect(await server.services.apiKeyValidation.validate('first-old-key')).toMatchObject({ code: 'INVALID_API_KEY' });
    expect(await server.services.apiKeyValidation.validate('second-old-key')).toMatchObject({ valid: true });
  });

  it('can be repeated for the same key, with another end', async () => {
    const { id } = await signUp(server);
    await server.services.apiKeyAdmin.importLegacy(id, { key: 'same-old-key', expiresAtMs: end }, byCommand);
    const again = await server.services.apiKeyAdmin.importLegacy(
      id,
      { key: 'same-old-key', expiresAtMs: end + day },
      byCommand,
    );
    expect(again.expires_at).toBe(new Date(end + day).toISOString());
  });

  it('rejects the key of another account, and leaves the account unchanged', async () => {
    const [one, two] = [await signUp(server), await signUp(server)];
    await server.services.apiKeyAdmin.importLegacy(one.id, { key: 'key-of-one', expiresAtMs: end }, byCommand);
    const imported = await server.services.apiKeyAdmin.importLegacy(
      two.id,
      { key: 'key-of-two', expiresAtMs: end },
      byCommand,
    );
    const rejected = server.services.apiKeyAdmin.importLegacy(
      two.id,
      { key: 'key-of-one', expiresAtMs: end },
      byCommand,
    );
    await expect(rejected).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await server.services.apiKeyAdmin.get(two.id)).toStrictEqual(imported);
  });

  it.each([
    { key: '' },
    { key: 'with space' },
    { key: 'x'.repeat(1001) },
    { sha256: 'abc' },
    { sha256: 'g'.repeat(64) },
  ])('rejects $key $sha256', async (legacy) => {
    const { id } = await signUp(server);
    const key = { ...(legacy as { key: string }), expiresAtMs: end };
    const rejected = server.services.apiKeyAdmin.importLegacy(id, key, byCommand);
    await expect(rejected).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('revoking a key', () => {
  it('invalidates it at once, and the account has no key afterwards', async () => {
    const { id } = await signUp(server);
    await server.services.apiKeyAdmin.importLegacy(id, { key: 'doomed-key', expiresAtMs: end }, byCommand);
    expect(await server.services.apiKeyAdmin.revoke(id, byCommand)).toMatchObject({
      revoked_at: new Date(testStartMs).toISOString(),
    });
    expect(await server.services.apiKeyValidation.validate('doomed-key')).toMatchObject({ code: 'INVALID_API_KEY' });
    expect(await server.services.apiKeyAdmin.get(id)).toBeUndefined();
    await expect(server.services.apiKeyAdmin.revoke(id, byCommand)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
