/**
 * Requests without Electron, over real sockets: through the environment's proxy, with the system's certificate
 * authorities.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAuthorities } from '../../../electron/platform/certificate-authorities.ts';
import { createHttp } from '../../../electron/platform/http.ts';
import { createNodeFetch, createProxyFinder } from '../../../electron/platform/node-fetch.ts';
import { findProxyCredentials, isLoopback } from '../../../electron/platform/proxy-environment.ts';
import { ConnectProxy } from '../../harness/connect-proxy.ts';
import { freePort } from '../../harness/free-port.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const folder = makeTemporaryFolder();
const certificate = join(folder, 'certificate.pem');
const host = 'licenses.example.test';
const url = `https://${host}`;

/** Creates a self-signed certificate, which is its own authority. */
beforeAll(() => {
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${host}`];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', certificate];
  if (hasOpenssl)
    spawnSync('openssl', [...words, '-addext', `subjectAltName=DNS:${host}`, ...files], { stdio: 'ignore' });
});

/** Starts a license server behind a proxy that leads to it, and records what both receive. */
async function startBehindProxy(credentials?: string) {
  const seen: { url: string | undefined; headers: Record<string, unknown> }[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    if (request.url === '/moved') response.writeHead(307, { location: 'https://other.example.test/' });
    response.end('{}');
  };
  const tls = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(certificate) };
  const server = createServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, proxy: await ConnectProxy.start({ target: port, ...(credentials !== undefined && { credentials }) }) };
}

type Settings = { readonly environment?: Record<string, string>; readonly authorities?: readonly string[] };

function send(target: string, { environment = {}, authorities = readAuthorities(certificate) }: Settings = {}) {
  const headers = { authorization: 'Bearer secret' };
  const request = { method: 'GET' as const, url: target, headers, timeoutMs: 60_000, maxResponseBytes: 1000 };
  return createHttp(createNodeFetch({ environment, authorities })).send(request);
}

describe.skipIf(!hasOpenssl)('a proxy from the environment', () => {
  it.each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY'])('is used if %s names it', async (name) => {
    const { proxy, seen } = await startBehindProxy();
    const environment = { [name]: `http://127.0.0.1:${proxy.port}` };
    expect(await send(`${url}/api`, { environment })).toMatchObject({
      ok: true,
      response: { status: 200, body: '{}' },
    });
    expect(proxy.asked).toEqual([`${host}:443`]);
    expect(seen).toMatchObject([{ url: '/api', headers: { authorization: 'Bearer secret' } }]);
  });

  it('needs no scheme', async () => {
    const { proxy } = await startBehindProxy();
    expect(await send(url, { environment: { HTTPS_PROXY: `127.0.0.1:${proxy.port}` } })).toMatchObject({ ok: true });
  });

  it.each([host, '.example.test', '*', `other.example, ${host}:443`])(
    'is not used for NO_PROXY=%s',
    async (noProxy) => {
      const { proxy } = await startBehindProxy();
      const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: noProxy };
      expect(await send(url, { environment })).toMatchObject({ ok: false, reason: 'unreachable' });
      expect(proxy.asked).toEqual([]);
    },
  );

  it('gets its own credentials, and neither the proxy nor the server gets the other’s', async () => {
    const { proxy, seen } = await startBehindProxy('ada:p@ss');
    const environment = { HTTPS_PROXY: `http://ada:p%40ss@127.0.0.1:${proxy.port}` };
    expect(await send(url, { environment })).toMatchObject({ ok: true });
    expect(proxy.headers[0]).not.toHaveProperty('authorization');
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each(['', 'ada:wrong@'])(
    'that requires other credentials than %j is reported as the cause',
    async (credentials) => {
      const { proxy, seen } = await startBehindProxy('ada:right');
      const environment = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${proxy.port}` };
      const failure = { ok: false, reason: 'unreachable', message: 'PROXY_AUTHENTICATION' };
      expect(await send(url, { environment })).toEqual(failure);
      expect(seen).toEqual([]);
    },
  );

  it('that is down is reported as the cause, instead of the server', async () => {
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` };
    expect(await send(url, { environment })).toEqual({
      ok: false,
      reason: 'unreachable',
      message: 'ERR_PROXY_CONNECTION_FAILED',
    });
  });

  it('that opens no tunnel is reported as the cause', async () => {
    const forbidding = createHttpServer().on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
    );
    await new Promise<void>((resolve) => forbidding.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void forbidding.close());
    const { port } = forbidding.address() as AddressInfo;
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    expect(await send(url, { environment })).toMatchObject({ ok: false, message: 'ERR_TUNNEL_CONNECTION_FAILED' });
  });

  it('does not cause a redirect to be followed', async () => {
    const { proxy } = await startBehindProxy();
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await send(`${url}/moved`, { environment })).toMatchObject({ ok: true, response: { status: 307 } });
    expect(proxy.asked).toEqual([`${host}:443`]);
  });

  it('is never used for this machine', async () => {
    const { proxy } = await startBehindProxy();
    const local = createHttpServer((_request, response) => void response.end('local'));
    await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void local.close().closeAllConnections());
    const { port } = local.address() as AddressInfo;
    const address = `http://127.0.0.1:${proxy.port}`;
    const environment = { HTTP_PROXY: address, HTTPS_PROXY: address };
    for (const name of ['127.0.0.1', 'localhost']) {
      expect(await send(`http://${name}:${port}`, { environment })).toMatchObject({
        ok: true,
        response: { body: 'local' },
      });
    }
    expect(proxy.asked).toEqual([]);
  });

  it.each(['socks5://ada:secret@proxy:1080', 'http://', '://ada:secret', 'http://ada:100%@proxy:3128'])(
    'with the value %s is rejected at the start',
    (value) => {
      const create = () => createNodeFetch({ environment: { HTTPS_PROXY: value }, authorities: [] });
      expect(create).toThrow(
        /^HTTPS_PROXY is no proxy that can be used: it must be like http:\/\/proxy\.example\.com:3128, with a % in a password written as %25\.$/,
      );
    },
  );
});

describe.skipIf(!hasOpenssl)('a certificate', () => {
  it('from an unknown authority is rejected, and reported as the cause', async () => {
    const { proxy, seen } = await startBehindProxy();
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const failure = { ok: false, reason: 'unreachable', message: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    expect(await send(url, { environment, authorities: [] })).toEqual(failure);
    expect(seen).toEqual([]);
  });

  it('for another name is rejected, even with a known authority', async () => {
    const { proxy } = await startBehindProxy();
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const failure = { ok: false, reason: 'unreachable', message: 'ERR_TLS_CERT_ALTNAME_INVALID' };
    expect(await send('https://other.example.test', { environment })).toEqual(failure);
  });
});

describe('LATCHKEY_CA_FILE', () => {
  it('is rejected at the start if it cannot be read or has no certificate', () => {
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, 'nothing');
    expect(() => readAuthorities(join(folder, 'absent.pem'))).toThrow(
      /^LATCHKEY_CA_FILE cannot be read: .*absent\.pem/,
    );
    expect(() => readAuthorities(empty)).toThrow('LATCHKEY_CA_FILE has no certificate in PEM.');
    writeFileSync(empty, '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n');
    expect(() => readAuthorities(empty)).toThrow('LATCHKEY_CA_FILE has a certificate that cannot be read.');
    expect(readAuthorities(undefined)).toEqual([]);
    expect(readAuthorities('')).toEqual([]);
  });
});

it.each([
  ['http://127.0.0.1:8470', true],
  ['http://127.8.9.1', true],
  ['http://localhost', true],
  ['http://app.localhost', true],
  ['http://localhost.', true],
  ['https://[::1]:8470', true],
  ['https://localhost.example.com', false],
  ['https://127.0.0.1.example.com', false],
  ['https://licenses.example.com', false],
])('%s is this machine: %s', (address, isOwn) => {
  expect(isLoopback(address)).toBe(isOwn);
});

it.each([
  {
    environment: { HTTPS_PROXY: 'http://ada:p%40ss@proxy.example:3128' },
    found: { username: 'ada', password: 'p@ss' },
  },
  { environment: { https_proxy: 'ada:x@proxy.example:3128' }, found: { username: 'ada', password: 'x' } },
  { environment: { HTTPS_PROXY: 'http://ada:x@proxy.example:3129' }, found: null },
  { environment: { HTTPS_PROXY: 'http://ada:x@other.example:3128' }, found: null },
  { environment: { HTTPS_PROXY: 'http://proxy.example:3128' }, found: null },
  { environment: { HTTPS_PROXY: 'http://ada:100%@proxy.example:3128' }, found: null },
  { environment: {}, found: null },
])('a proxy gets credentials only if they belong to it: $environment', ({ environment, found }) => {
  expect(findProxyCredentials(environment, { host: 'proxy.example', port: 3128 })).toEqual(found);
});

const route = { kind: 'proxy', protocol: 'http', host: 'proxy.example', port: 3128 } as const;
it.each([
  [{}, 'https://far.example', { kind: 'direct' }],
  [{ HTTPS_PROXY: 'http://ada:secret@proxy.example:3128' }, 'https://far.example', route],
  [{ https_proxy: 'proxy.example:3128' }, 'https://far.example', route],
  [{ HTTP_PROXY: 'http://proxy.example:3128' }, 'https://far.example', route],
  [{ HTTPS_PROXY: 'https://proxy.example' }, 'https://far.example', { ...route, protocol: 'https', port: 443 }],
  [{ HTTPS_PROXY: 'http://[2001:db8::1]:3128' }, 'https://far.example', { ...route, host: '2001:db8::1' }],
  [{ HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: '.example' }, 'https://far.example', { kind: 'direct' }],
  [{ HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: 'far.example:8443' }, 'https://far.example', route],
  [
    { HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: 'far.example:8443' },
    'https://far.example:8443/base',
    { kind: 'direct' },
  ],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://localhost:8470', { kind: 'direct' }],
])('finds the proxy to use, without its credentials: %j to %s', async (environment, address, expected) => {
  expect(await createProxyFinder(environment)(address)).toEqual({ route: expected, pacUrl: null });
});
