/** `fetch` without Electron: with the environment's proxy and the system's certificate authorities. */
import { createSecureContext } from 'node:tls';
import type { Agent, EnvHttpProxyAgent, Pool, RequestInit as UndiciRequestInit } from 'undici';
import type { FoundProxy } from '../licensing/platform.ts';
import { listAuthorities } from './certificate-authorities.ts';
import { type Fetch, NetworkError } from './http.ts';
import { defaultPorts, type Environment, isLoopback, readProxy, readVariable } from './proxy-environment.ts';

type NetworkSettings = {
  /** A proxy without a scheme uses HTTP. */
  readonly environment: Environment;
  /** Extra certificate authorities, as PEM. */
  readonly authorities: readonly string[];
};

/** Throws a sentence if a proxy of the environment cannot be used. */
export function createNodeFetch({ environment, authorities }: NetworkSettings): Fetch {
  const proxies = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
  };
  const noProxy = readVariable(environment, 'NO_PROXY');
  let opened: Promise<{ readonly direct: Agent; readonly byEnvironment: EnvHttpProxyAgent }> | undefined;

  // Opened at the first request: some systems need a while to list their authorities.
  const open = async () => {
    const { Agent, EnvHttpProxyAgent, Pool } = await loadUndici();
    // Shared by all connections, because reading hundreds of certificates takes tens of milliseconds.
    const secureContext = createSecureContext({ ca: listAuthorities(authorities) });
    const clientFactory = (proxy: URL, options: object) => new Pool(proxy, reportProxyFailures(options));
    const tls = { connect: { secureContext }, requestTls: { secureContext }, proxyTls: { secureContext } };
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

/** Loaded on first use: the app in Electron, which uses Electron's network stack, does not need it. */
function loadUndici(): Promise<typeof import('undici')> {
  return import('undici');
}

type Connect = (options: object, callback: (error: Error | null, socket: unknown) => void) => void;

/** Distinguishes an unreachable proxy from an unreachable server, by Chromium's code. */
function reportProxyFailures(options: object): Pool.Options {
  const { connect } = options as { readonly connect: Connect };
  const connectToProxy: Connect = (target, callback) =>
    connect(target, (error, socket) => callback(error && new NetworkError('ERR_PROXY_CONNECTION_FAILED'), socket));
  return { ...options, connect: connectToProxy as Pool.Options['connect'] };
}

/** Finds the proxy that such a `fetch` uses. Throws like `createNodeFetch`. */
export function createProxyFinder(environment: Environment): (url: string) => Promise<FoundProxy | null> {
  const settings = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
    noProxy: readVariable(environment, 'NO_PROXY'),
  };
  return async (url) => {
    let proxy: URL | null = null;
    // undici reports the proxy that it would use without connecting: only undici knows its NO_PROXY rules.
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

/** Detects a proxy that responds but refuses a tunnel, which undici reports only in a message. */
function readProxyRefusal(error: unknown): NetworkError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [, status] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
    if (status) return new NetworkError(status === '407' ? 'PROXY_AUTHENTICATION' : 'ERR_TUNNEL_CONNECTION_FAILED');
  }
  return null;
}
