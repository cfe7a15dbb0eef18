/** `fetch` without Electron: through the proxy of the environment, and with the certificate authorities of the system. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import type { Agent, EnvHttpProxyAgent, Pool, RequestInit as UndiciRequestInit } from 'undici';
import type { FoundProxy } from '../licensing/platform.ts';
import { type Fetch, NetworkError } from './http.ts';

export type NetworkSettings = {
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case; without a scheme a proxy speaks HTTP. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further certificate authorities, as PEM. */
  readonly authorities: readonly string[];
};

/** What LATCHKEY_CA_FILE adds to the certificate authorities. Throws a sentence if the file cannot be used. */
export function readAuthorities(path: string | undefined): readonly string[] {
  if (!path) return [];
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`LATCHKEY_CA_FILE cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error('LATCHKEY_CA_FILE has no certificate in PEM.');
  if (!certificates.every(isCertificate)) throw new Error('LATCHKEY_CA_FILE has a certificate that cannot be read.');
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** Throws a sentence if a proxy of the environment is none that it can use. */
export function createNodeFetch({ environment, authorities }: NetworkSettings): Fetch {
  const proxies = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
  };
  const noProxy = read(environment, 'NO_PROXY');
  let opened: Promise<{ readonly direct: Agent; readonly byEnvironment: EnvHttpProxyAgent }> | undefined;

  // At the first request: some systems need a while to list their authorities.
  const open = async () => {
    const { Agent, EnvHttpProxyAgent, Pool } = await loadUndici();
    const ca = [...getCACertificates('default'), ...getCACertificates('system'), ...authorities];
    const clientFactory = (proxy: URL, options: object) => new Pool(proxy, tellProxyFailures(options));
    const tls = { connect: { ca }, requestTls: { ca }, proxyTls: { ca } };
    return {
      direct: new Agent(tls),
      byEnvironment: new EnvHttpProxyAgent({ ...tls, ...proxies, noProxy, clientFactory }),
    };
  };

  return async (url, init) => {
    opened ??= open();
    const { direct, byEnvironment } = await opened;
    const dispatcher = isLoopback(url) ? direct : byEnvironment;
    const { fetch } = await loadUndici();
    try {
      const response = await fetch(url, { ...(init as UndiciRequestInit), dispatcher });
      return response as unknown as Response;
    } catch (error) {
      throw readProxyRefusal(error) ?? error;
    }
  };
}

/** On first use: the app in Electron, whose requests go by Electron's network, does without it. */
function loadUndici(): Promise<typeof import('undici')> {
  return import('undici');
}

type Connect = (options: object, callback: (error: Error | null, socket: unknown) => void) => void;

/** Tells a proxy that cannot be reached from a server that cannot, by Chromium's code. */
function tellProxyFailures(options: object): Pool.Options {
  const { connect } = options as { readonly connect: Connect };
  const connectToProxy: Connect = (target, callback) =>
    connect(target, (error, socket) => callback(error && new NetworkError('ERR_PROXY_CONNECTION_FAILED'), socket));
  return { ...options, connect: connectToProxy as Pool.Options['connect'] };
}

/** Which proxy such a `fetch` takes. Throws as `createNodeFetch` does. */
export function createProxyFinder(
  environment: NetworkSettings['environment'],
): (url: string) => Promise<FoundProxy | null> {
  const settings = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
    noProxy: read(environment, 'NO_PROXY'),
  };
  return async (url) => {
    let proxy: URL | null = null;
    // undici tells by which proxy it would go, and never goes: it alone knows its rules of NO_PROXY.
    const refuse: Connect = (_target, callback) => callback(new NetworkError('NOT_SENT'), null);
    const refuseFor = (chosen: URL): Connect => {
      return (target, callback) => {
        proxy = chosen;
        refuse(target, callback);
      };
    };
    const { EnvHttpProxyAgent, Pool } = await loadUndici();
    const agent = new EnvHttpProxyAgent({
      ...settings,
      connect: refuse as Pool.Options['connect'],
      clientFactory: (chosen, options) =>
        new Pool(chosen, { ...options, connect: refuseFor(chosen) as Pool.Options['connect'] }),
    });
    if (!isLoopback(url))
      await agent.request({ origin: new URL(url).origin, path: '/', method: 'HEAD' }).catch(() => {});
    await agent.destroy();
    return { route: proxy === null ? { kind: 'direct' } : toRoute(proxy), pacUrl: null };
  };
}

function toRoute({ protocol, hostname, port }: URL): FoundProxy['route'] {
  return {
    kind: 'proxy',
    protocol: protocol === 'https:' ? 'https' : 'http',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || defaultPorts[protocol]),
  };
}

/** The proxy responds, but opens no tunnel. undici says so in a message only. */
function readProxyRefusal(error: unknown): NetworkError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [, status] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
    if (status) return new NetworkError(status === '407' ? 'PROXY_AUTHENTICATION' : 'ERR_TUNNEL_CONNECTION_FAILED');
  }
  return null;
}

/** This machine is never asked for through a proxy, which would ask itself. */
export function isLoopback(url: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** The user and password that the environment has for this proxy. */
export function findProxyCredentials(
  environment: NetworkSettings['environment'],
  { host, port }: { readonly host: string; readonly port: number },
): { readonly username: string; readonly password: string } | null {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) {
    const url = parseProxy(read(environment, name));
    if (!url || url.username === '' || url.hostname.replace(/^\[(.*)\]$/, '$1') !== host) continue;
    if (Number(url.port || defaultPorts[url.protocol]) !== port) continue;
    return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  }
  return null;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

function read(environment: NetworkSettings['environment'], name: string): string {
  return environment[name.toLowerCase()] || environment[name] || '';
}

/** The message leaves out the value, which may contain a password. */
function readProxy(environment: NetworkSettings['environment'], name: string): string {
  const value = read(environment, name);
  if (value.trim() === '') return '';
  const url = parseProxy(value);
  if (url) return url.href;
  throw new Error(
    `${name} is no proxy that can be used: it must be like http://proxy.example.com:3128, with a % in a password written as %25.`,
  );
}

/** Null for anything but a proxy over HTTP or TLS whose user and password can be decoded. */
function parseProxy(value: string): URL | null {
  const trimmed = value.trim();
  const url = URL.parse(trimmed.includes('://') ? trimmed : `http://${trimmed}`);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  try {
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}
