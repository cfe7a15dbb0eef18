/** Parses Chromium's description of the proxy for an address. */
import type { ProxyRoute } from '../licensing/platform.ts';

const protocols = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks',
  SOCKS4: 'socks',
  SOCKS5: 'socks',
} as const;
const defaultPorts = { http: 80, https: 443, socks: 1080 } as const;

/**
 * Returns the first entry of a proxy auto-configuration list, which is tried first; `null` if it cannot be parsed.
 * @example readProxyList('PROXY proxy.example:3128; DIRECT')
 */
export function readProxyList(list: string): ProxyRoute | null {
  const [first = ''] = list.split(';');
  const [keyword = '', server = ''] = first.trim().split(/\s+/);
  if (keyword.toUpperCase() === 'DIRECT') return { kind: 'direct' };
  const protocol = Object.entries(protocols).find(([name]) => name === keyword.toUpperCase())?.[1];
  const [, host, port] = /^(?:[^@]*@)?(\[[0-9a-f:.]+\]|[^:@]+)(?::(\d+))?$/i.exec(server) ?? [];
  if (protocol === undefined || host === undefined) return null;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return { kind: 'proxy', protocol, host: bare, port: Number(port ?? defaultPorts[protocol]) };
}

/**
 * Returns the address of an auto-configuration in a form that may be shown: without user, password, query and fragment.
 */
export function withoutSecrets(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && /^(?:https?|file):$/.test(url.protocol) ? `${url.protocol}//${url.host}${url.pathname}` : null;
}
