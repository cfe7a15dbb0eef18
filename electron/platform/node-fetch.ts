/** `fetch` without Electron: through the proxy of the environment, and with the certificate authorities of the system. */
import type { Agent, EnvHttpProxyAgent, Pool, RequestInit as UndiciRequestInit } from 'undici';
import type { FoundProxy } from '../licensing/platform.ts';
import { listAuthorities } from './certificate-authorities.ts';
import { type Fetch, NetworkError } from './http.ts';
import { defaultPorts, type Environment, isLoopback, readProxy, readVariable } from './proxy-environment.ts';

export type NetworkSettings = {
  /** Without a scheme a proxy speaks HTTP. */
  readonly environment: Environment;
  /** Further certificate authorities, as PEM. */
  readonly authorities: readonly string[];
};

/** Throws a sentence if a proxy of the environment is none that it can use. */
export function createNodeFetch({ environment, authorities }: NetworkSettings): Fetch {
  const proxies = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
  };
  const noProxy = readVariable(environment, 'NO_PROXY');
  let opened: Promise<{ readonly direct: Agent; readonly byEnvironment: EnvHttpProxyAgent }> | undefined;

  // At the first request: some systems need a while to list their authorities.
  const open = async () => {
    const { Agent, EnvHttpProxyAgent, Pool } = await loadUndici();
    const ca = listAuthorities(authorities);
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
export function createProxyFinder(environment: Environment): (url: string) => Promise<FoundProxy | null> {
  const settings = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
    noProxy: readVariable(environment, 'NO_PROXY'),
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
