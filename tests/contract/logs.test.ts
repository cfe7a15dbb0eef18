/** What the server writes while it works: structured lines, and nothing in them that opens anything. */
import { describe, expect, it } from 'vitest';
import { stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { activate, issueLicense, type Person, signUp, subscriber } from '../harness/users.ts';

const service = startedService();

/** Everything a person does, and what of it is a secret. */
async function liveThrough(person: Person): Promise<string[]> {
  const { key, id } = await issueLicense(service, '--email', person.email);
  const { deviceId } = await activate(service, person, key);
  const { token } = person;
  await service.call('heartbeat', { token, body: { device_id: deviceId } });
  const apiKey = stringIn((await service.call('apiKey', { token })).body, 'api_key');
  await service.call('validateApiKey', { headers: { 'x-api-key': apiKey } });
  await service.call('validateApiKey', { body: { api_key: `${apiKey.slice(0, -1)}!` } });
  const { body } = await service.call('refresh', { body: { refresh_token: person.refreshToken } });
  await service.call('refresh', { body: { refresh_token: person.refreshToken } });
  await service.call('login', { body: { email: person.email, password: 'a wrong but secret password' } });
  await service.call('login', { body: `{"password": "${person.password}` });
  await service.request('GET', `/api/v1/subscription/status?access_token=${token}`);
  await service.request('GET', `/api/v1/nothing/${apiKey}`, { token });
  await service.call('releaseActivation', { token, at: id });
  const rotated = [stringIn(body, 'access_token'), stringIn(body, 'refresh_token')];
  const passwords = [person.password, 'a wrong but secret password'];
  return [key, apiKey, token, person.refreshToken, ...rotated, ...passwords];
}

describe('the log', () => {
  it('holds no password, token or key, whatever was asked and however it was answered', async () => {
    const secrets = await liveThrough(await subscriber(service));
    const written = service.process.stdout() + service.process.stderr();
    for (const secret of secrets) expect(written.includes(secret), `${secret.slice(0, 6)}… was logged`).toBe(false);
  });

  it('is one JSON object a line, on stderr, with a line for each request', async () => {
    await signUp(service);
    const lines = () => service.process.stderr().trim().split('\n');
    await expect.poll(() => lines().filter((line) => line.includes('/auth/signup')).length).toBeGreaterThan(0);
    for (const line of lines()) expect(JSON.parse(line), line).toEqual(expect.any(Object));
    expect(service.process.stdout()).toMatch(/^listening on \S+\n$/);
  });
});
