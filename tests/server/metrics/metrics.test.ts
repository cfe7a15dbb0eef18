/** `/metrics`: what it counts, who may read it, and that one scrape covers all workers. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertBackup } from '../../../server/backup/backup.repository.ts';
import { countDevicesSince } from '../../../server/metrics/metrics.repository.ts';
import type { MetricsChannel, ProcessMetrics } from '../../../server/metrics/metrics.service.ts';
import { limitsOff } from '../../harness/environment.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sendRaw } from '../../harness/raw-request.ts';
import { StaffBrowser } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { startServer } from '../../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { goodPassword, issueLicense, newDeviceId, signUp, subscriber } from '../../harness/users.ts';

const token = 'a-token-for-prometheus';

/** Returns the value of a series, named as in the Prometheus format. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

async function scrape(app: TestApp): Promise<string> {
  const { status, headers, text } = await app.request('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return text;
}

describe('the metrics', () => {
  it('count requests by route and status, and their duration', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    await app.call('login', { body: { email: user.email, password: 'wrong' } });
    await app.call('login', { body: { email: user.email, password: goodPassword } });
    const fromPage = { 'sec-fetch-site': 'same-origin' };
    await app.call('accountSignIn', { body: { email: user.email, password: 'wrong' }, headers: fromPage });
    await app.request('PROPFIND', '/api/v1/no/such/path');
    const text = await scrape(app);
    const login = 'method="POST",route="/api/v1/auth/login"';
    expect(seriesValue(text, `latchkey_http_requests_total{${login},status="401"}`)).toBe(1);
    expect(seriesValue(text, `latchkey_http_requests_total{${login},status="200"}`)).toBe(1);
    expect(seriesValue(text, `latchkey_http_requests_total{method="any",route="unknown",status="404"}`)).toBe(1);
    expect(seriesValue(text, `latchkey_http_request_duration_seconds_count{${login}}`)).toBe(2);
    expect(seriesValue(text, `latchkey_http_request_duration_seconds_bucket{le="+Inf",${login}}`)).toBe(2);
    expect(seriesValue(text, 'latchkey_sign_in_failures_total')).toBe(2);
    expect(text).not.toContain('/no/such/path');
  });

  it('count waiting mails and events and refused staff sign-ins, and say when a backup was verified', async () => {
    const app = await startTestApp({ LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' });
    await app.admin('webhook', 'add', 'https://example.com/events', '--event', 'subscription.changed');
    const user = await subscriber(app);
    await app.call('forgotPassword', { body: { email: user.email } });
    await new StaffBrowser(app).signIn(user.email, 'wrong');
    await app.call('staffSession');
    const text = await scrape(app);
    expect(seriesValue(text, 'latchkey_unsent{queue="mails"}')).toBe(1);
    expect(seriesValue(text, 'latchkey_unsent{queue="events"}')).toBe(1);
    for (const queue of ['mails', 'events']) {
      const since = seriesValue(text, `latchkey_unsent_oldest_timestamp_seconds{queue="${queue}"}`);
      expect(since).toBe(app.now() / 1000);
    }
    expect(seriesValue(text, 'latchkey_sign_in_failures_total')).toBe(1);
    expect(text).not.toMatch(/^latchkey_backup_proven_timestamp_seconds /m);
    const proven_at_ms = 1_800_000_000_000;
    const backup = {
      started_at_ms: 0,
      file: 'b.tar',
      bytes: 1,
      sha256: '',
      encryption: null,
      row_count: 1,
      problem: null,
    };
    await app.database.write((transaction) => insertBackup(transaction, { ...backup, proven_at_ms }));
    app.clock.advance(60_000);
    expect(seriesValue(await scrape(app), 'latchkey_backup_proven_timestamp_seconds')).toBe(1_800_000_000);
    const idle = await scrape(await startTestApp());
    expect(idle).toContain('latchkey_unsent{queue="mails"} 0');
    expect(idle).not.toMatch(/^latchkey_unsent_oldest/m);
  });

  it('count active devices without reading the others', async () => {
    const plan = await readQueryPlan(await startTestApp(), (executor) => countDevicesSince(executor, 0).catch(() => 0));
    expect(plan).toContain('SEARCH device_activity USING INDEX device_activity_by_age (last_seen_at_ms>?)');
  });

  it('count activations, active devices, and requests over a limit by its name', async () => {
    const app = await startTestApp({ LATCHKEY_RATE_KEY_VALIDATE: '1' });
    const user = await signUp(app);
    const { key } = await issueLicense(app, '--email', user.email);
    const device = { license_key: key, device_id: newDeviceId(), device_name: '', platform: '' };
    await app.call('activateLicense', { body: device, token: user.token });
    await app.call('heartbeat', { body: { device_id: device.device_id }, token: user.token });
    for (let sent = 0; sent < 3; sent++) await app.call('validateApiKey', { body: { api_key: 'x' } });
    const text = await scrape(app);
    expect(seriesValue(text, 'latchkey_activations_total')).toBe(1);
    expect(seriesValue(text, 'latchkey_devices_alive')).toBe(1);
    expect(seriesValue(text, 'latchkey_rate_limited_total{limit="key_validate"}')).toBe(2);
    expect(seriesValue(text, 'latchkey_commit_duration_seconds_count')).toBeGreaterThan(2);
    expect(seriesValue(text, 'latchkey_queue_waiting{queue="writes"}')).toBe(0);
    expect(seriesValue(text, 'latchkey_queue_waiting{queue="password_hashes"}')).toBe(0);
    expect(seriesValue(text, 'latchkey_database_size_bytes')).toBeGreaterThan(10_000);
    app.clock.advance(16 * 60_000);
    expect(seriesValue(await scrape(app), 'latchkey_devices_alive')).toBe(0);
  });

  it('still cover requests and the process while the database cannot be read', async () => {
    const app = await startTestApp();
    expect(seriesValue(await scrape(app), 'latchkey_database_up')).toBe(1);
    await app.database.close();
    app.clock.advance(2 * 60_000);
    const text = await scrape(app);
    expect(seriesValue(text, 'latchkey_database_up')).toBe(0);
    expect(seriesValue(text, 'latchkey_devices_alive')).toBeUndefined();
    expect(text).toContain('latchkey_http_requests_total{method="GET",route="/metrics",status="200"} 1');
  });

  it('say that the database is down if it is for one of several processes', async () => {
    const processes: (() => Promise<ProcessMetrics>)[] = [];
    const metricsChannel: MetricsChannel = {
      provide: (readOwn) => void processes.push(readOwn),
      readAll: () => Promise.all(processes.map((read) => read())),
    };
    const [app, other] = [await startTestApp({}, { metricsChannel }), await startTestApp({}, { metricsChannel })];
    expect(seriesValue(await scrape(app), 'latchkey_database_up')).toBe(1);
    await other.database.close();
    other.clock.advance(2 * 60_000);
    expect(seriesValue(await scrape(app), 'latchkey_database_up')).toBe(0);
  });

  it('include process metrics and the version', async () => {
    const text = await scrape(await startTestApp());
    expect(seriesValue(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(text).toMatch(/^latchkey_build_info\{version="\d[^"]*",node_version="24\.[\d.]+"\} 1$/m);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).not.toContain('nodejs_eventloop_utilization');
  });
});

describe('reading the metrics', () => {
  it('from another machine requires the token', async () => {
    const app = await startTestApp({ LATCHKEY_METRICS_TOKEN: token });
    const read = async (sent?: string) =>
      (await app.request('GET', '/metrics', { from: '203.0.113.7', ...(sent === undefined ? {} : { token: sent }) }))
        .status;
    expect(await read()).toBe(401);
    expect(await read(`${token}x`)).toBe(401);
    expect(await read(token)).toBe(200);
  });

  it('from another machine is refused if no token is set', async () => {
    const app = await startTestApp();
    const { status, body } = await app.request('GET', '/metrics', { from: '203.0.113.7', token: 'undefined' });
    expect([status, body.code]).toEqual([401, 'INVALID_TOKEN']);
    expect((await app.request('GET', '/metrics', { from: '::1' })).status).toBe(200);
  });

  it('through a local proxy counts as reading from where the client is', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    const untrusting = await startTestApp();
    expect((await untrusting.request('GET', '/metrics', { headers: forwarded })).status).toBe(401);
    const trusting = await startTestApp({ LATCHKEY_TRUST_PROXY: '1' });
    expect((await trusting.request('GET', '/metrics', { headers: forwarded })).status).toBe(401);
  });
});

describe('a request for the metrics that is forwarded on this machine', () => {
  const statusOf = async (app: TestApp, headers: Record<string, string>) =>
    (await app.request('GET', '/metrics', { headers })).status;

  it('is not local, whatever it claims about the client', async () => {
    const [plain, trusting] = [await startTestApp(), await startTestApp({ LATCHKEY_TRUST_PROXY: '1' })];
    for (const app of [plain, trusting]) {
      expect(await statusOf(app, { 'x-forwarded-for': '127.0.0.1' })).toBe(401);
      expect(await statusOf(app, { forwarded: 'for=127.0.0.1' })).toBe(401);
      expect(await statusOf(app, { 'x-real-ip': '127.0.0.1' })).toBe(401);
      expect(await statusOf(app, { via: '1.1 proxy' })).toBe(401);
      expect(await statusOf(app, { 'x-forwarded-proto': 'https' })).toBe(401);
      for (const name of ['x-forwarded-port', 'x-original-forwarded-for', 'cf-connecting-ip', 'true-client-ip']) {
        expect(await statusOf(app, { [name]: '203.0.113.7' }), name).toBe(401);
      }
    }
  });

  it('is not local if it uses HTTP/1.0, like nginx towards its upstream servers', async () => {
    const server = await startHttpServer(createAdmin());
    const { port } = new URL(server.url);
    const request = (version: string) =>
      `GET /metrics HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(server.url, request('1.0'))).status).toBe(401);
    expect((await sendRaw(server.url, request('1.1'))).status).toBe(200);
  });

  it('is not local for a page whose own host name resolves to this machine', async () => {
    const app = await startTestApp();
    for (const host of ['attacker.example', 'attacker.example:8470', '203.0.113.7', 'localhost.attacker.example']) {
      expect(await statusOf(app, { host })).toBe(401);
    }
    for (const host of ['localhost', 'localhost:8470', '127.0.0.1:8470', '[::1]:8470']) {
      expect(await statusOf(app, { host })).toBe(200);
    }
  });

  it('requires the token if one is set, even on this machine', async () => {
    const app = await startTestApp({ LATCHKEY_METRICS_TOKEN: token });
    expect(await statusOf(app, {})).toBe(401);
    expect((await app.request('GET', '/metrics', { token })).status).toBe(200);
  });
});

describe.skipIf(process.platform === 'win32')('two workers', () => {
  it('show their combined metrics, whichever of them answers', async () => {
    const settings = { ...limitsOff, LATCHKEY_DATA: temporaryFolder() };
    const server = await startServer(settings, { args: ['--workers', '2'] });
    onTestFinished(async () => void (await server.stop()));
    const get = async (path: string) => {
      const response = await fetch(server.url + path, { headers: { connection: 'close' } });
      return response.text();
    };
    for (let sent = 0; sent < 6; sent++) await get('/healthz');
    const texts = [await get('/metrics'), await get('/metrics'), await get('/metrics')];
    for (const text of texts) {
      expect(seriesValue(text, 'latchkey_http_requests_total{method="GET",route="/healthz",status="200"}')).toBe(6);
      expect(seriesValue(text, 'latchkey_devices_alive')).toBe(0);
      expect(text).toMatch(/^latchkey_build_info\{.*\} 1$/m);
    }
  });
});
