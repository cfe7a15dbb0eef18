/** nginx and Caddy as server/deploy configures them for a server below a path of a site, which they keep or strip. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../../electron/platform/http.ts';
import { createNodeFetch } from '../../../electron/platform/node-fetch.ts';
import { startMachine } from '../../conformance/start-machine.ts';
import { Admin } from '../../harness/admin.ts';
import { findProgram } from '../../harness/find-program.ts';
import { freePort } from '../../harness/free-port.ts';
import { type HttpServer, openHttpServer } from '../../harness/http-server.ts';
import { envelope } from '../../harness/response-shapes.ts';
import {
  type PathMode,
  type ProxyKind,
  pathModes,
  proxyKinds,
  type ReverseProxy,
  send,
  startProxy,
} from '../../harness/reverse-proxy.ts';
import { SmtpServer } from '../../harness/smtp-server.ts';
import { addStaffByLink } from '../../harness/staff.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { goodPassword, issueLicense, subscriber } from '../../harness/users.ts';

const cases = proxyKinds.flatMap((kind) => pathModes.map((path) => [kind, path] as const));

describe.each(cases)('below a path behind %s, which %ss it,', (kind, path) => {
  const program = findProgram(kind);
  describe.skipIf(program === undefined)('as installed here', () => tryPath(kind, program ?? '', path));
});

function tryPath(kind: ProxyKind, program: string, path: PathMode): void {
  const folder = makeTemporaryFolder();
  const smtp = new SmtpServer();
  let server: HttpServer;
  let proxy: ReverseProxy;
  beforeAll(async () => {
    await smtp.start();
    const port = await freePort();
    const settings = {
      LATCHKEY_TRUST_PROXY: '127.0.0.1',
      LATCHKEY_PUBLIC_URL: `https://localhost:${port}/latchkey`,
      LATCHKEY_SMTP_URL: smtp.url,
    };
    server = await openHttpServer(new Admin(folder, settings));
    const proxyFolder = join(folder, 'proxy');
    mkdirSync(proxyFolder);
    proxy = await startProxy(kind, { program, upstream: server.url, folder: proxyFolder, port, path });
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    await smtp.stop();
    removeFolder(folder);
  });

  const ask = (below: string, headers: Readonly<Record<string, string>> = {}) =>
    send(proxy.url, `/latchkey${below}`, { headers });
  const post = (below: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    send(proxy.url, `/latchkey/api/v1${below}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('everything but the metrics is available, and unknown paths get a 404 of the API', async () => {
    for (const below of ['/healthz', '/readyz', '/.well-known/jwks.json', '/api/docs', '/api/v1/features', '/reset']) {
      expect((await ask(below)).status, below).toBe(200);
    }
    expect((await ask('/metrics')).status).toBe(404);
    for (const below of ['/', '/nothing', '/api/v2/features', '/latchkeys/healthz']) {
      const { status, text } = await ask(below);
      expect([status, JSON.parse(text)], below).toStrictEqual([404, envelope('NOT_FOUND')]);
    }
    expect((await send(proxy.url, '/api/v1/features')).text).toMatch(/^cookies:/);
  });

  it('staff and users sign in with cookies for the path over TLS, which another site cannot use', async () => {
    const origin = proxy.url;
    const credentials = { email: await addStaffByLink(server, 'owner'), password: goodPassword };
    expect((await post('/admin/session', credentials, { origin: 'https://evil.example' })).status).toBe(403);
    for (const [endpoint, name] of [
      ['/admin/session', 'staff'],
      ['/account/session', 'account'],
    ]) {
      const response = await post(`${endpoint}`, credentials, { origin });
      expect(response.status, response.text).toBe(200);
      const [set = ''] = response.headers['set-cookie'] ?? [];
      expect(set).toMatch(new RegExp(`^__Secure-latchkey_${name}=[^;]+; .*Path=/latchkey; .*Secure`));
      const cookie = set.split(';')[0] ?? '';
      expect((await ask(`/api/v1${endpoint}`, { cookie })).status).toBe(200);
    }
  });

  it('the link in a mail leads to its page and works', async () => {
    const { email } = await subscriber(server);
    await post('/auth/password/forgot', { email });
    const [mail] = await smtp.waitFor(email);
    const link = new URL(/https:\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    expect(link.origin + link.pathname).toBe(`${proxy.url}/latchkey/reset`);
    expect((await send(link.origin, link.pathname)).text).toContain("post('api/v1/auth/password/reset'");
    const token = new URLSearchParams(link.hash.slice(1)).get('token');
    const response = await post('/auth/password/reset', { token, new_password: 'another quiet lantern 12' });
    expect(response.status, response.text).toBe(200);
  });

  it('the licensing client signs in and activates the device', async () => {
    const { email, password } = await subscriber(server);
    const { key } = await issueLicense(server, '--email', email, '--with-subscription');
    const http = createHttp(
      createNodeFetch({ environment: {}, authorities: [readFileSync(proxy.certificate, 'utf8')] }),
    );
    const serverAddress = `${proxy.url}/latchkey`;
    const { client } = await startMachine({ serverAddress: `${serverAddress}/`, name: `${kind}-${path}`, http });
    onTestFinished(() => client.stop());
    expect(await client.signIn({ email, password })).toEqual({ ok: true, value: null });
    expect(await client.activateLicense({ licenseKey: key })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(client.getState()).toMatchObject({ server: { address: serverAddress }, license: { kind: 'works' } });
    expect(await client.syncNow()).toMatchObject({ ok: true });
  });
}
