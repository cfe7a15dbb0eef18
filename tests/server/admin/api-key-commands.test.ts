/** `admin api-key`: keys imported from an older system work until they expire, and a revoked key stops working. */
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { timestamp } from '../../harness/response-shapes.ts';
import { expectDocument, expectFailure } from '../../harness/test-admin.ts';
import { isoFromNow, signUp, subscriber } from '../../harness/users.ts';

const server = sharedHttpServer();

describe('api-key import-legacy', () => {
  it('prints the prefix and the dates, but not the key', async () => {
    const { email } = await signUp(server);
    const key = `old-${randomUUID()}`;
    const end = isoFromNow(server, 86_400_000);
    const result = await server.run(['api-key', 'import-legacy', email, '--key', key, '--expires-at', end, '--json']);
    expect(expectDocument(result)).toMatchObject({
      api_key_prefix: expect.any(String),
      is_legacy: true,
      created_at: timestamp,
      expires_at: end,
      revoked_at: null,
    });
    expect(result.stdout).not.toContain(key);
    const { body } = await server.call('validateApiKey', { body: { api_key: key } });
    expect(body, 'the running server knows it').toMatchObject({ valid: true, source: 'legacy' });
  });

  it('reads the key from standard input, where the list of processes does not show it', async () => {
    const { email } = await signUp(server);
    const key = `old-${randomUUID()}`;
    const words = ['api-key', 'import-legacy', email, '--key-stdin', '--expires-at', '2099-01-31', '--json'];
    expectDocument(await server.run(words, `${key}\n`));
    const { body } = await server.call('validateApiKey', { body: { api_key: key } });
    expect(body).toMatchObject({ valid: true, source: 'legacy' });
    expectFailure(await server.run(words, '\n'), 'VALIDATION_ERROR');
  });

  it('by SHA-256 shows a prefix of question marks', async () => {
    const { email } = await signUp(server);
    const key = `old-${randomUUID()}`;
    const sha256 = createHash('sha256').update(key).digest('hex').toUpperCase();
    const words = ['--sha256', sha256, '--expires-at', '2020-02-03T04:05:06Z'];
    expect(await server.admin('api-key', 'import-legacy', email, ...words)).toMatchObject({
      api_key_prefix: 'svc_live_????',
      is_legacy: true,
    });
    const { body } = await server.call('validateApiKey', { body: { api_key: key } });
    expect(body).toStrictEqual({
      valid: false,
      code: 'SUBSCRIPTION_EXPIRED',
      expires_at: '2020-02-03T04:05:06.000Z',
    });
  });

  it('never takes a key away from another account', async () => {
    const [one, other] = [await signUp(server), await signUp(server)];
    const key = `old-${randomUUID()}`;
    const importFor = (email: string) =>
      server.run([
        'api-key',
        'import-legacy',
        email,
        '--key',
        key,
        '--expires-at',
        isoFromNow(server, 60_000),
        '--json',
      ]);
    expectDocument(await importFor(one.email));
    expectFailure(await importFor(other.email), 'VALIDATION_ERROR');
    expect((await server.call('apiKey', { token: one.token })).body).toMatchObject({ is_legacy: true });
  });
});

describe('api-key revoke', () => {
  it("prints the revoked key, and the owner's next request creates a new key", async () => {
    const user = await subscriber(server);
    await server.call('apiKey', { token: user.token });
    const printed = expectDocument(await server.run(['api-key', 'revoke', user.email, '--json']));
    expect(printed).toMatchObject({ api_key_prefix: expect.stringMatching(/^svc_live_/), revoked_at: timestamp });
    const { body } = await server.call('apiKey', { token: user.token });
    expect(body).toMatchObject({ api_key: expect.stringMatching(/^svc_live_/) });
  });

  it('fails for an account without a key', async () => {
    const { email } = await signUp(server);
    expectFailure(await server.run(['api-key', 'revoke', email, '--json']), 'NOT_FOUND');
  });
});
