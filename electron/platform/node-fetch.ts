/** `fetch` without Electron: through the proxy of the environment, and with the certificate authorities of the system. */
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { Agent, EnvHttpProxyAgent, fetch, type RequestInit as UndiciRequestInit } from 'undici';
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
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('LATCHKEY_CA_FILE has no certificate in PEM.');
  return [text];
}

/** Throws a sentence if a proxy of the environment is none that it can use. */
export function createNodeFetch({ environment, authorities }: NetworkSettings): Fetch {
  const proxies = {
    httpProxy: readProxy(environment, 'HTTP_PROXY'),
    httpsProxy: readProxy(environment, 'HTTPS_PROXY'),
  };
  const noProxy = read(environment, 'NO_PROXY');
  let dispatchers: { readonly direct: Agent; readonly byEnvironment: EnvHttpProxyAgent } | undefined;

  // At the first request: some systems need a while to list their authorities.
  const open = () => {
    const ca = [...getCACertificates('default'), ...getCACertificates('system'), ...authorities];
    const tls = { connect: { ca }, requestTls: { ca }, proxyTls: { ca } };
    return { direct: new Agent(tls), byEnvironment: new EnvHttpProxyAgent({ ...tls, ...proxies, noProxy }) };
  };

  return async (url, init) => {
    dispatchers ??= open();
    const dispatcher = isLoopback(url) ? dispatchers.direct : dispatchers.byEnvironment;
    try {
      const response = await fetch(url, { ...(init as UndiciRequestInit), dispatcher });
      return response as unknown as Response;
    } catch (error) {
      throw isProxyRefusal(error) ? new NetworkError('PROXY_AUTHENTICATION') : error;
    }
  };
}

/** undici has no code for it. */
function isProxyRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.startsWith('Proxy response (407)')) return true;
  }
  return false;
}

/** This machine is never asked for through a proxy, which would ask itself. */
export function isLoopback(url: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** The user and password that the environment has for this proxy. */
export function findProxyCredentials(
  environment: NetworkSettings['environment'],
  { host, port }: { readonly host: string; readonly port: number },
): { readonly username: string; readonly password: string } | null {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) {
    const value = read(environment, name).trim();
    const url = URL.parse(value.includes('://') ? value : `http://${value}`);
    if (!url || url.username === '' || url.hostname !== host) continue;
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
  const value = read(environment, name).trim();
  if (value === '') return '';
  const address = value.includes('://') ? value : `http://${value}`;
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return address;
  throw new Error(`${name} is no proxy that can be used: it must be like http://proxy.example.com:3128.`);
}
