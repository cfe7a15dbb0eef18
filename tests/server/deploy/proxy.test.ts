/**
 * nginx and Caddy as server/deploy configures them: the server sees the client address, and browsers get a secure
 * cookie.
 */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../../harness/admin.ts';
import { limitsOn } from '../../harness/environment.ts';
import { findProgram } from '../../harness/find-program.ts';
import { type HttpServer, openHttpServer } from '../../harness/http-server.ts';
import { envelope } from '../../harness/response-shapes.ts';
import {
  type ProxyKind,
  type ProxyRequest,
  proxyKinds,
  type ReverseProxy,
  send,
  startProxy,
} from '../../harness/reverse-proxy.ts';
import { addStaffByLink } from '../../harness/staff.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { goodPassword } from '../../harness/users.ts';

describe.each(proxyKinds)('behind %s', (kind) => {
  const program = findProgram(kind);
  describe.skipIf(program === undefined)('as installed here', () => tryProxy(kind, program ?? ''));
});

function tryProxy(kind: ProxyKind, program: string): void {
  const folder = makeTemporaryFolder();
  let server: HttpServer;
  let proxy: ReverseProxy;
  beforeAll(async () => {
    server = await openHttpServer(new Admin(folder, { ...limitsOn, LATCHKEY_TRUST_PROXY: '127.0.0.1' }));
    const proxyFolder = join(folder, 'proxy');
    mkdirSync(proxyFolder);
    proxy = await startProxy(kind, { program, upstream: server.url, folder: proxyFolder });
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    removeFolder(folder);
  });

  const ask = (path: string, options?: ProxyRequest) => send(proxy.url, path, options);
  const post = (path: string, body: object, options: ProxyRequest = {}) => {
    const headers = { 'content-type': 'application/json', ...options.headers };
    return ask(`/api/v1${path}`, { ...options, method: 'POST', headers, body: JSON.stringify(body) });
  };

  it('each client has its own limits, which a forged address cannot evade', async () => {
    const statuses: unknown[] = [];
    for (let port = 1; port <= 6; port++) {
      const headers = { 'x-forwarded-for': `192.0.2.${port}`, forwarded: `for=192.0.2.${port}` };
      const body = { email: 'nobody@example.com', password: 'x' };
      statuses.push((await post('/auth/login', body, { headers, from: '127.0.0.2' })).status);
    }
    expect(statuses).toStrictEqual([404, 404, 404, 404, 404, 429]);
    const other = await post('/auth/login', { email: 'nobody@example.com', password: 'x' }, { from: '127.0.0.3' });
    expect(other.status).toBe(404);
  });

  it('staff get a cookie that only this host can set over TLS, and requests from other sites are refused', async () => {
    const email = await addStaffByLink(server, 'owner');
    const credentials = { email, password: goodPassword };
    const foreign = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
    const refused = await post('/admin/session', credentials, { headers: foreign, from: '127.0.0.4' });
    expect(refused.status).toBe(403);
    const response = await post('/admin/session', credentials, { headers: { origin: proxy.url }, from: '127.0.0.4' });
    expect(response.status, response.text).toBe(200);
    const [cookie = ''] = response.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-latchkey_staff=[^;]+; /);
    expect(cookie).toMatch(/; Secure/);
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect((await ask('/api/v1/admin/session', { headers })).status).toBe(200);
  });

  it('the proxy chooses the request id, which the server also logs', async () => {
    const { headers } = await ask('/api/v1/subscription/status', { headers: { 'x-request-id': 'of-a-client' } });
    const id = headers['x-request-id'];
    expect(id).toMatch(/^[\da-f-]{32,36}$/);
    await expect.poll(() => server.process.stderr()).toContain(`"requestId":"${id}"`);
  });

  it('the metrics are not public', async () => {
    expect((await ask('/metrics')).status).toBe(404);
  });

  it('responses have the headers of the server, and none that reveals the proxy’s version', async () => {
    const { headers } = await ask('/healthz');
    expect(headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers.server ?? '').not.toMatch(/\d/);
  });

  it('the limits on request bodies are those of the server', async () => {
    const response = await post('/auth/login', { email: 'x'.repeat(70_000) }, { from: '127.0.0.5' });
    expect(response.status).toBe(413);
    expect(JSON.parse(response.text)).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it('clients can use HTTP/2', async () => {
    const session = connect(proxy.url, { rejectUnauthorized: false, family: 4 } as object);
    const stream = session.request({ ':path': '/healthz' });
    const status = await new Promise((resolve, reject) => {
      stream.once('response', (headers) => resolve(headers[':status']));
      stream.once('error', reject);
      session.once('error', reject);
    });
    session.destroy();
    expect(status).toBe(200);
  });

  it('a server that is down is reported as SERVICE_UNAVAILABLE', async () => {
    await server.stop();
    const response = await ask('/api/v1/binary-hash');
    expect(response.status).toBe(503);
    expect(JSON.parse(response.text)).toStrictEqual(envelope('SERVICE_UNAVAILABLE'));
    expect(response.headers['retry-after']).toBe('1');
  });
}
