/** What the server logs: one JSON object a line, and no secret in any of them. */
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { stringIn } from '../harness/test-client.ts';
import { activate, issueLicense, signUp, subscriber, type User } from '../harness/users.ts';

const server = sharedHttpServer();

/** Everything a user does; the secrets in it. */
async function useEverything(user: User): Promise<string[]> {
  const { key, id } = await issueLicense(server, '--email', user.email);
  const { deviceId } = await activate(server, user, key);
  const { token } = user;
  await server.call('heartbeat', { token, body: { device_id: deviceId } });
  const apiKey = stringIn((await server.call('apiKey', { token })).body, 'api_key');
  await server.call('validateApiKey', { headers: { 'x-api-key': apiKey } });
  await server.call('validateApiKey', { body: { api_key: `${apiKey.slice(0, -1)}!` } });
  const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
  await server.call('refresh', { body: { refresh_token: user.refreshToken } });
  await server.call('login', { body: { email: user.email, password: 'a wrong but secret password' } });
  await server.call('login', { body: `{"password": "${user.password}` });
  await server.request('GET', `/api/v1/subscription/status?access_token=${token}`);
  await server.request('GET', `/api/v1/nothing/${apiKey}`, { token });
  await server.call('releaseActivation', { token, at: id });
  const rotated = [stringIn(body, 'access_token'), stringIn(body, 'refresh_token')];
  const passwords = [user.password, 'a wrong but secret password'];
  return [key, apiKey, token, user.refreshToken, ...rotated, ...passwords];
}

describe('the log', () => {
  it('holds no password, token or key, whatever was requested and however it ended', async () => {
    const secrets = await useEverything(await subscriber(server));
    const written = server.process.stdout() + server.process.stderr();
    for (const secret of secrets) expect(written.includes(secret), `${secret.slice(0, 6)}… was logged`).toBe(false);
  });

  it('is one JSON object a line, on stderr, with a line for each request', async () => {
    await signUp(server);
    const lines = () => server.process.stderr().trim().split('\n');
    await expect.poll(() => lines().filter((line) => line.includes('/auth/signup')).length).toBeGreaterThan(0);
    for (const line of lines()) expect(JSON.parse(line), line).toEqual(expect.any(Object));
    expect(server.process.stdout()).toMatch(/^listening on \S+\n$/);
  });
});
