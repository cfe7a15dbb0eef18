/**
 * The connection doctor over real sockets: names, ports, certificates, proxies and pages that are wrong in realistic
 * ways.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionDoctor } from '../../../electron/licensing/doctor.ts';
import type { Clock } from '../../../electron/licensing/platform.ts';
import { createHttp } from '../../../electron/platform/http.ts';
import { createNetwork, type NetworkOptions } from '../../../electron/platform/network.ts';
import { createNodeFetch, createProxyFinder } from '../../../electron/platform/node-fetch.ts';
import { findProxyCredentials } from '../../../electron/platform/proxy-environment.ts';
import type { DoctorReport } from '../../../shared/ipc/doctor.ts';
import { settings } from '../../../shared/ipc/settings.ts';
import { type Certificate, CertificateAuthority, hasOpenssl } from '../../harness/certificate-authority.ts';
import { ConnectProxy } from '../../harness/connect-proxy.ts';
import { freePort } from '../../harness/free-port.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const day = 86_400_000;
const name = 'licenses.example.test';
const hashes = JSON.stringify({ error: 'Not configured', message: 'No hashes.' });
const licenseServer: RequestListener = (_request, response) => {
  response.writeHead(404, { 'content-type': 'application/json' }).end(hashes);
};

let authority: CertificateAuthority;
let certificates: Record<'good' | 'expired' | 'otherName' | 'named', Certificate>;
beforeAll(() => {
  if (!hasOpenssl) return;
  authority = CertificateAuthority.create(makeTemporaryFolder(), '/O=Web Shield/CN=Shield Root');
  certificates = {
    good: authority.issue('localhost', Date.now() + day / 2),
    expired: authority.issue('localhost', Date.now() - day),
    otherName: authority.issue('hotel.example.test', Date.now() + day / 2),
    named: authority.issue(name, Date.now() + day / 2),
  };
});

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function startHttps(certificate: Certificate, listener: RequestListener = licenseServer): Promise<number> {
  return listen(createHttpsServer(certificate, listener));
}

type Given = {
  readonly environment?: Record<string, string>;
  readonly trusts?: boolean;
  /** How far this clock is ahead. */
  readonly aheadMs?: number;
  readonly network?: Partial<NetworkOptions>;
  /** A deadline that ends after 300 ms; the others stay, so that no earlier step meets it on a busy machine. */
  readonly shortenedMs?: number;
};

async function diagnose(
  serverAddress: string,
  { environment = {}, trusts = true, aheadMs = 0, network, shortenedMs }: Given = {},
): Promise<DoctorReport> {
  const authorities = trusts ? [authority.pem] : [];
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    monotonic: () => performance.now(),
    sinceBoot: () => null,
    setTimer: (ms, callback) => {
      const timer = setTimeout(callback, ms === shortenedMs ? 300 : ms);
      return () => clearTimeout(timer);
    },
  };
  const doctor = new ConnectionDoctor({
    clock,
    http: createHttp(createNodeFetch({ environment, authorities })),
    network: createNetwork({
      authorities,
      findProxy: createProxyFinder(environment),
      findCredentials: (proxy) => findProxyCredentials(environment, proxy),
      ...network,
    }),
    trustedTime: { nowMs: Date.now, measuredMs: Date.now, isClockAhead: false, isClockBehind: false },
    session: { user: null },
    signedOutReason: () => null,
    deviceLicense: {
      loadStatus: () => Promise.reject(new Error('Nobody is signed in.')),
      validateStored: () => Promise.reject(new Error('Nobody is signed in.')),
    },
    preferences: { current: { serverAddress, settings: settings.parse({}) } },
    changes: { notify: () => {} },
    signal: new AbortController().signal,
  });
  const report = await doctor.run();
  if (!report) throw new Error('canceled');
  return report;
}

/** The failed step; apart from the clock there is at most one. */
function failureOf({ steps }: DoctorReport) {
  return steps.find(({ outcome }) => outcome === 'fail');
}

describe.skipIf(!hasOpenssl)('the connection doctor over real sockets', () => {
  it('finds nothing wrong with a good server, and reports its certificate', async () => {
    const port = await startHttps(certificates.good);
    const { steps } = await diagnose(`https://localhost:${port}`);
    expect(steps.map(({ outcome }) => outcome)).toEqual([
      ...Array(7).fill('pass'),
      ...['unknown', 'skipped', 'skipped'],
    ]);
    expect(steps[2]).toMatchObject({ detail: '127.0.0.1' });
    expect(steps[3]?.detail).toEqual({
      issuer: 'Web Shield, Shield Root',
      expires_at: expect.stringMatching(/^20\d\d-.*Z$/),
      protocol: 'TLSv1.3',
      code: null,
    });
    for (const { measured_ms, outcome } of steps)
      if (outcome !== 'skipped') expect(measured_ms).toBeGreaterThanOrEqual(0);
  });

  it('detects a port that refuses connections', async () => {
    const failed = failureOf(await diagnose(`https://localhost:${await freePort()}`));
    expect(failed).toMatchObject({ step: 'tcp', finding: 'connection-refused', detail: 'ECONNREFUSED' });
  });

  it('detects a name that does not exist', async () => {
    const dnsServers = [await startDns(3)];
    const report = await diagnose('https://nothing.invalid', { network: { dnsServers } });
    expect(failureOf(report)).toMatchObject({ step: 'dns', finding: 'name-not-found', remedy: 'check-address' });
  });

  it.each([
    ['refuses', async () => `127.0.0.1:${await freePort()}`],
    ['fails', () => startDns(2)],
  ])('detects that no name can be resolved if the DNS server %s', async (_case, start) => {
    const dnsServers = [await start()];
    const report = await diagnose('https://nothing.invalid', { network: { dnsServers } });
    expect(failureOf(report)).toMatchObject({ step: 'dns', finding: 'dns-silent', remedy: 'check-network' });
  });

  it('ends a connection attempt without a response at the deadline', async () => {
    const port = await startSilentListener();
    const failed = failureOf(await diagnose(`https://127.0.0.1:${port}`, { shortenedMs: 6000 }));
    expect(failed).toMatchObject({ step: 'tcp', finding: 'connection-timeout', remedy: 'check-firewall' });
    expect(failed?.measured_ms).toBeGreaterThan(250);
  });

  it('ends a handshake without a response at the deadline', async () => {
    const port = await listen(createTcpServer((socket) => void socket.on('error', () => {})));
    // Not a name, whose resolution would have the same deadline.
    const failed = failureOf(await diagnose(`https://127.0.0.1:${port}`, { shortenedMs: 12_000 }));
    expect(failed).toMatchObject({ step: 'tls', finding: 'tls-timeout' });
  });

  it('detects a server that speaks plain HTTP on the port', async () => {
    const port = await listen(createHttpServer(licenseServer));
    const failed = failureOf(await diagnose(`https://localhost:${port}`));
    expect(failed).toMatchObject({ step: 'tls', finding: 'tls-not-spoken', detail: { issuer: null } });
  });

  it('names an untrusted issuer', async () => {
    const port = await startHttps(certificates.good);
    const report = await diagnose(`https://localhost:${port}`, { trusts: false });
    expect(failureOf(report)).toMatchObject({
      step: 'tls',
      finding: 'certificate-issuer',
      remedy: 'trust-issuer',
      detail: { issuer: 'Web Shield, Shield Root', code: expect.stringMatching(/^UNABLE_TO/) },
    });
    expect(report.steps[5]).toMatchObject({ step: 'clock', finding: 'clock-in-sync' });
  });

  it('detects a certificate for another name', async () => {
    const port = await startHttps(certificates.otherName);
    expect(failureOf(await diagnose(`https://localhost:${port}`))).toMatchObject({ finding: 'certificate-name' });
  });

  it('detects a certificate that has expired by the server’s time too', async () => {
    const port = await startHttps(certificates.expired);
    const report = await diagnose(`https://localhost:${port}`);
    expect(failureOf(report)).toMatchObject({ finding: 'certificate-expired', remedy: 'renew-certificate' });
    expect(report.steps[5]).toMatchObject({ finding: 'clock-in-sync' });
  });

  it('detects a certificate that has expired only by this clock', async () => {
    const date = new Date(Date.now() - 1.5 * day).toUTCString();
    const port = await startHttps(certificates.expired, (_request, response) =>
      response.writeHead(404, { date }).end(),
    );
    const report = await diagnose(`https://localhost:${port}`);
    expect(failureOf(report)).toMatchObject({ finding: 'certificate-clock', remedy: 'set-clock' });
    expect(report.steps[5]).toMatchObject({ finding: 'clock-ahead', detail: '36 h' });
  });

  it('sends only a request without content over an untrusted connection', async () => {
    const seen: unknown[] = [];
    const port = await startHttps(certificates.expired, ({ method, headers }, response) => {
      seen.push([method, Object.keys(headers)]);
      response.end();
    });
    await diagnose(`https://localhost:${port}`);
    expect(seen.length).toBeGreaterThan(0);
    for (const request of seen) expect(request).toEqual(['HEAD', ['host', 'connection']]);
  });

  it('reports by how much this clock is ahead', async () => {
    const port = await startHttps(certificates.good);
    const { steps } = await diagnose(`https://localhost:${port}`, { aheadMs: 12 * 60_000 });
    expect(steps[5]).toMatchObject({ finding: 'clock-ahead', detail: '12 min' });
    expect(steps[6]).toMatchObject({ finding: 'license-server' });
  });

  it.each<[string, RequestListener]>([
    ['a page', (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>Hotel</h1>')],
    ['the way to one', (_request, response) => response.writeHead(302, { location: 'http://hotel.test/' }).end()],
  ])('detects %s in place of the license server', async (_case, listener) => {
    const port = await startHttps(certificates.good, listener);
    const failed = failureOf(await diagnose(`https://localhost:${port}`));
    expect(failed).toMatchObject({ step: 'api', finding: 'web-page', remedy: 'sign-in-to-network' });
  });
});

describe.skipIf(!hasOpenssl)('the connection doctor behind a proxy', () => {
  async function startProxy(certificate: Certificate, credentials?: string): Promise<ConnectProxy> {
    const target = await startHttps(certificate);
    return ConnectProxy.start({ target, ...(credentials !== undefined && { credentials }) });
  }

  it('takes the same route as the app, and never shows the credentials', async () => {
    const proxy = await startProxy(certificates.named, 'ada:secret');
    const environment = { HTTPS_PROXY: `http://ada:secret@127.0.0.1:${proxy.port}` };
    const report = await diagnose(`https://${name}`, { environment });
    expect(report.steps.slice(1, 7)).toMatchObject([
      { step: 'dns', finding: 'name-not-needed', detail: '127.0.0.1' },
      { step: 'tcp', finding: 'connected', detail: '127.0.0.1' },
      { step: 'tls', finding: 'certificate-trusted', detail: { issuer: 'Web Shield, Shield Root' } },
      { step: 'proxy', finding: 'proxy-used', detail: `PROXY 127.0.0.1:${proxy.port}` },
      { step: 'clock', finding: 'clock-in-sync' },
      { step: 'api', finding: 'license-server' },
    ]);
    expect(JSON.stringify(report)).not.toMatch(/secret|ada/);
    expect(new Set(proxy.asked)).toEqual(new Set([`${name}:443`]));
  });

  it.each(['', 'ada:wrong@'])('detects that the proxy requires other credentials than %j', async (credentials) => {
    const proxy = await startProxy(certificates.named, 'ada:secret');
    const environment = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${proxy.port}` };
    const report = await diagnose(`https://${name}`, { environment });
    expect(failureOf(report)).toMatchObject({ step: 'proxy', finding: 'proxy-authentication' });
    expect(report.steps[3]).toMatchObject({ step: 'tls', outcome: 'unknown' });
  });

  it('detects that the proxy allows no connection to the server', async () => {
    const forbidding = createHttpServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await listen(forbidding)}` };
    expect(failureOf(await diagnose(`https://${name}`, { environment }))).toMatchObject({ finding: 'proxy-refuses' });
  });

  it('detects a proxy that is down, and one whose name does not exist', async () => {
    const down = { HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` };
    const failed = failureOf(await diagnose(`https://${name}`, { environment: down }));
    expect(failed).toMatchObject({ step: 'tcp', finding: 'proxy-unreachable', remedy: 'check-proxy' });
    const environment = { HTTPS_PROXY: 'http://proxy.invalid:3128' };
    const network = { dnsServers: [await startDns(3)] };
    const unnamed = failureOf(await diagnose(`https://${name}`, { environment, network }));
    expect(unnamed).toMatchObject({ step: 'dns', finding: 'proxy-name-not-found' });
  });

  it('names the issuer of a proxy that inspects the connection', async () => {
    const proxy = await startProxy(certificates.named);
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const failed = failureOf(await diagnose(`https://${name}`, { environment, trusts: false }));
    expect(failed).toMatchObject({ finding: 'certificate-issuer', detail: { issuer: 'Web Shield, Shield Root' } });
  });
});

/**
 * Answers every query with this code: 2 for a server that fails, 3 for a name that does not exist (RFC 1035, 4.1.1).
 */
async function startDns(code: number): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8180 | code, 2);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** Keeps its accept queue full: the system drops every further connection attempt, as a firewall does. */
async function startSilentListener(): Promise<number> {
  const program = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line));
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
  });
  // The accept queue has room for two.
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')));
  return port;
}
