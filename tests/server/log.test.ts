/** What the server logs: one JSON object per line, and never a secret. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { repository } from '../harness/environment.ts';
import { sharedHttpServer, startHttpServer } from '../harness/http-server.ts';
import { startTestApp } from '../harness/start-app.ts';
import { createAdmin } from '../harness/test-admin.ts';
import { stringIn } from '../harness/test-client.ts';
import type { Json } from '../harness/test-server.ts';
import { activate, issueLicense, subscriber, type User } from '../harness/users.ts';

const server = sharedHttpServer();

/** Does everything a user can do, and returns the secrets involved. */
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
  it('contains no password, token or key, whatever was requested and however it ended', async () => {
    const secrets = await useEverything(await subscriber(server));
    const written = server.process.stdout() + server.process.stderr();
    for (const secret of secrets) expect(written.includes(secret), `${secret.slice(0, 6)}… was logged`).toBe(false);
  });

  it('has one JSON object per line, on stderr', async () => {
    await server.call('subscriptionStatus');
    const lines = () => server.process.stderr().trim().split('\n');
    await expect.poll(() => lines().filter((line) => line.includes('/subscription/status')).length).toBeGreaterThan(0);
    for (const line of lines()) expect(JSON.parse(line), line).toEqual(expect.any(Object));
    expect(server.process.stdout()).toMatch(/^listening on \S+\n(?:first admin: \S+\n)?$/);
  });
});

type Line = { readonly msg: string; readonly route?: string; readonly status?: number; readonly routes?: Json };

function linesIn(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('the request log', () => {
  it('has a line for each refused request, and a summary of the rest for each minute with requests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startTestApp();
    const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);
    const summaries = () => linesIn(app.logText()).filter(({ msg }) => msg === 'requests');
    for (let sent = 0; sent < 3; sent++) await app.call('validateApiKey', { body: { api_key: 'x' } });
    await app.call('subscriptionStatus');
    await app.request('GET', '/healthz');
    const refused = linesIn(app.logText()).filter(({ route }) => route !== undefined);
    expect(refused).toMatchObject([
      { msg: 'request refused', method: 'GET', route: '/api/v1/subscription/status', status: 401 },
    ]);
    expect(summaries()).toEqual([]);
    await minutes(1);
    const figures = (count: number) => ({
      statuses: { 200: count },
      p50Ms: expect.any(Number),
      p99Ms: expect.any(Number),
    });
    expect(summaries().map(({ routes }) => routes)).toEqual([
      { 'POST /api/v1/metrics/api-key/validate': figures(3), 'GET /healthz': figures(1) },
    ]);
    await minutes(60);
    expect(summaries()).toHaveLength(1);
    await app.request('GET', '/healthz');
    await minutes(1);
    expect(summaries().map(({ routes }) => routes)[1]).toEqual({ 'GET /healthz': figures(1) });
  });

  it('has at most 500 lines per minute for refused requests, and counts the others in the summary', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startTestApp();
    const refuse = async (count: number) => {
      for (let sent = 0; sent < count; sent++) await app.request('GET', '/nowhere');
    };
    const refused = () => linesIn(app.logText()).filter(({ msg }) => msg === 'request refused');
    await refuse(503);
    expect(refused()).toHaveLength(500);
    await vi.advanceTimersByTimeAsync(60_000);
    const [summary] = linesIn(app.logText()).filter(({ msg }) => msg === 'requests');
    expect(summary?.routes).toMatchObject({ 'any unknown': { statuses: { 404: 3 } } });
    await refuse(1);
    expect(refused()).toHaveLength(501);
  });

  it('includes the summary of the last minute when the server stops', async () => {
    const stopping = await startHttpServer(createAdmin());
    await stopping.request('GET', '/healthz');
    await stopping.stop();
    const [summary] = linesIn(stopping.process.stderr()).filter(({ msg }) => msg === 'requests');
    expect(summary?.routes).toHaveProperty(['GET /healthz']);
  });

  it('can have a line for each request, including the last ones before the server stops', async () => {
    const stopping = await startHttpServer(createAdmin({ LATCHKEY_LOG_REQUESTS: 'all' }));
    for (let sent = 0; sent < 5; sent++) await stopping.request('GET', '/healthz');
    await stopping.stop();
    const lines = linesIn(stopping.process.stderr());
    expect(lines.filter(({ route, status }) => route === '/healthz' && status === 200)).toHaveLength(5);
    expect(lines.filter(({ msg }) => msg === 'requests')).toEqual([]);
  });

  it('has the fields of a child logger of a part of the server', async () => {
    const { app, logText } = await startTestApp();
    app.log.child({ part: 'mail' }).warn('not sent');
    expect(linesIn(logText()).find(({ msg }) => msg === 'not sent')).toMatchObject({ part: 'mail' });
  });

  it('includes buffered lines when the process crashes', () => {
    const program = `import { createLog } from '${pathToFileURL(join(repository, 'server/log.ts'))}';
      createLog({ logLevel: 'info', logRequests: 'all' }).info('the last one');
      throw new Error('crashed');`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('"msg":"the last one"');
  });
});
