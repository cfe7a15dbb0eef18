/** The network port on Node: looks up names, opens connections and completes TLS handshakes, only for measurements. */
import { lookup, Resolver } from 'node:dns/promises';
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type {
  ConnectResult,
  FoundProxy,
  HostLookup,
  Network,
  NetworkTarget,
  ProxyRoute,
  TlsResult,
} from '../licensing/platform.ts';
import { listAuthorities } from './certificate-authorities.ts';

type Credentials = { readonly username: string; readonly password: string };

export type NetworkOptions = {
  /** Extra certificate authorities (PEM) on top of those of Node and the system; `null` trusts only Node's. */
  readonly authorities: readonly string[] | null;
  readonly findProxy: (url: string) => Promise<FoundProxy | null>;
  readonly findCredentials: (proxy: NetworkTarget) => Credentials | null;
  /** Looks up the addresses of a name as the app itself does; rejects if there are none. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  /** DNS servers that are asked why a name was not found; the system's by default. */
  readonly dnsServers?: readonly string[];
};

/** The proxy refused a tunnel. */
class TunnelRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The proxy responded with status ${status}.`);
    this.status = status;
  }
}

export function createNetwork(options: NetworkOptions): Network {
  const { authorities, findProxy, findCredentials, lookUp = lookUpByNode, dnsServers } = options;
  let ca: string[] | undefined;
  // Loaded at the first handshake, because it may take a while.
  const loadAuthorities = () => {
    if (authorities !== null) ca ??= listAuthorities(authorities);
    return ca;
  };

  async function resolveHost(host: string, signal: AbortSignal): Promise<HostLookup> {
    try {
      return { kind: 'found', addresses: await orAborted(lookUp(host), signal) };
    } catch (error) {
      return signal.aborted ? { kind: 'no-answer', code: 'ABORTED' } : explainLookup(host, codeOf(error), signal);
    }
  }

  /**
   * The system uses the same code for a nonexistent name and for DNS servers that do not answer; the servers themselves
   * tell.
   */
  async function explainLookup(host: string, code: string, signal: AbortSignal): Promise<HostLookup> {
    const resolver = new Resolver({ timeout: 1500, tries: 1 });
    if (dnsServers) resolver.setServers(dnsServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await resolver.resolve4(host);
      return { kind: 'not-found', code };
    } catch (error) {
      return { kind: ['ENOTFOUND', 'ENODATA'].includes(codeOf(error)) ? 'not-found' : 'no-answer', code };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async function connect(target: NetworkTarget, signal: AbortSignal): Promise<ConnectResult> {
    try {
      const socket = await openTcp(target, signal);
      const { remoteAddress: address = null } = socket;
      socket.destroy();
      return { kind: 'connected', address };
    } catch (error) {
      return { kind: 'failed', code: codeOf(error) };
    }
  }

  async function secure(target: NetworkTarget, route: ProxyRoute, signal: AbortSignal): Promise<TlsResult> {
    if (route.kind === 'proxy' && route.protocol === 'socks') return { kind: 'not-measured' };
    try {
      const socket = await openTls(target, await openRoute(target, route, signal), signal);
      const result = describeTls(socket);
      socket.destroy();
      return result;
    } catch (error) {
      if (error instanceof TunnelRefused) return { kind: 'no-tunnel', status: error.status };
      return { kind: 'failed', code: codeOf(error) };
    }
  }

  async function readDate(url: string, route: ProxyRoute, signal: AbortSignal): Promise<number | null> {
    const { protocol, hostname, port, pathname } = new URL(url);
    if (route.kind === 'proxy' && route.protocol === 'socks') return null;
    const isSecure = protocol === 'https:';
    const target = { host: withoutBrackets(hostname), port: Number(port || (isSecure ? 443 : 80)) };
    try {
      const opened = await openRoute(target, route, signal);
      const socket = isSecure ? await openTls(target, opened, signal) : opened;
      const request = requestHttp({
        method: 'HEAD',
        path: pathname,
        headers: { host: new URL(url).host },
        createConnection: () => socket,
        signal,
      });
      const date = await readDateHeader(request);
      socket.destroy();
      return date;
    } catch {
      return null;
    }
  }

  function openRoute(target: NetworkTarget, route: ProxyRoute, signal: AbortSignal): Promise<Duplex> {
    return route.kind === 'direct' ? openTcp(target, signal) : openTunnel(target, route, signal);
  }

  function openTunnel(
    { host, port }: NetworkTarget,
    proxy: Extract<ProxyRoute, { kind: 'proxy' }>,
    signal: AbortSignal,
  ): Promise<Duplex> {
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const credentials = findCredentials(proxy);
    const headers = { host: authority, ...(credentials && { 'proxy-authorization': basic(credentials) }) };
    const common = { method: 'CONNECT', host: proxy.host, port: proxy.port, path: authority, headers, signal };
    const request =
      proxy.protocol === 'https'
        ? requestHttps({ ...common, agent: false, ca: loadAuthorities() })
        : requestHttp({ ...common, agent: false });
    return new Promise((resolve, reject) => {
      request.on('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        reject(new TunnelRefused(statusCode));
      });
      request.on('error', reject);
      request.end();
    });
  }

  /** Completes the handshake whatever the certificate is; only a request without a body is sent over the connection. */
  function openTls({ host }: NetworkTarget, opened: Duplex, signal: AbortSignal): Promise<TLSSocket> {
    const servername = isIP(host) ? '' : host;
    const given = { socket: opened, host, servername, ca: loadAuthorities(), ALPNProtocols: ['http/1.1'] };
    const socket = tlsConnect({ ...given, rejectUnauthorized: false });
    return untilOpen(socket, 'secureConnect', signal);
  }

  return { findProxy, resolveHost, connect, secure, readDate };
}

async function lookUpByNode(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function openTcp({ host, port }: NetworkTarget, signal: AbortSignal): Promise<Socket> {
  return untilOpen(tcpConnect({ host, port }), 'connect', signal);
}

/** Rejects with the code `ABORTED` once the signal aborts; an abort after that still closes the socket. */
function untilOpen<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(Object.assign(new Error('The measurement was ended.'), { code: 'ABORTED' }));
      socket.destroy();
    };
    socket.once(event, () => resolve(socket));
    // Never removed, so that an error after the promise is settled does not crash the process.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
      signal.removeEventListener('abort', abort);
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(new Error('aborted'));
    else signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  return Promise.race([promise, aborted]);
}

function readDateHeader(request: ClientRequest): Promise<number | null> {
  return new Promise((resolve, reject) => {
    request.on('response', ({ headers }) => {
      const dateMs = Date.parse(headers.date ?? '');
      // A cached response has the date of an earlier one.
      resolve(Number.isFinite(dateMs) && headers.age === undefined ? dateMs : null);
      request.destroy();
    });
    request.on('error', reject);
    // Without a response or an error, as when the server switches to another protocol.
    request.on('close', () => resolve(null));
    request.end();
  });
}

function describeTls(socket: TLSSocket): TlsResult {
  const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
  // Declared as an error, but actually an error code.
  const problem = socket.authorized ? null : String(socket.authorizationError ?? 'UNKNOWN');
  return {
    kind: 'secured',
    problem,
    issuer: describeIssuer(certificate.issuer),
    validFromMs: parseTime(certificate.valid_from),
    expiresAtMs: parseTime(certificate.valid_to),
    protocol: socket.getProtocol(),
  };
}

/** Returns the issuer's organization and name. The certificate claims both; nothing has verified them. */
function describeIssuer(issuer: PeerCertificate['issuer'] | undefined): string | null {
  const names = [issuer?.O, issuer?.CN].flat().filter((name) => name !== undefined && name !== '');
  const text = [...new Set(names)].join(', ').replace(/\p{C}/gu, '').trim();
  return text === '' ? null : text.slice(0, 100);
}

function parseTime(text: string | undefined): number | null {
  const timeMs = Date.parse(text ?? '');
  return Number.isFinite(timeMs) ? timeMs : null;
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Never returns a message, which may contain more than a code. */
function codeOf(error: unknown): string {
  const { code } = error instanceof Error && 'code' in error ? error : { code: null };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'UNKNOWN';
}
