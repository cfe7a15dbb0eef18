/** Reads the proxy settings of the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** This machine is never reached through a proxy, which would connect to itself. */
export function isLoopback(url: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** Returns the environment's user and password for this proxy. */
export function findProxyCredentials(
  environment: Environment,
  { host, port }: { readonly host: string; readonly port: number },
): { readonly username: string; readonly password: string } | null {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) {
    const url = parseProxy(readVariable(environment, name));
    if (!url || url.username === '' || url.hostname.replace(/^\[(.*)\]$/, '$1') !== host) continue;
    if (Number(url.port || defaultPorts[url.protocol]) !== port) continue;
    return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  }
  return null;
}

export const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

export function readVariable(environment: Environment, name: string): string {
  return environment[name.toLowerCase()] || environment[name] || '';
}

/** The message omits the value, which may contain a password. */
export function readProxy(environment: Environment, name: string): string {
  const value = readVariable(environment, name);
  if (value.trim() === '') return '';
  const url = parseProxy(value);
  if (url) return url.href;
  throw new Error(
    `${name} is no proxy that can be used: it must be like http://proxy.example.com:3128, with a % in a password written as %25.`,
  );
}

/** Returns `null` unless it is a proxy over HTTP or TLS whose user and password can be decoded. */
function parseProxy(value: string): URL | null {
  const trimmed = value.trim();
  const address = trimmed.includes('://') ? trimmed : `http://${trimmed}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  try {
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}
