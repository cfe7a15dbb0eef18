/** The network port of this process, which takes the same proxy as its requests (`system-http.ts`). */
import { app, net, session } from 'electron';
import type { FoundProxy, Network } from '../licensing/platform.ts';
import { createNetwork } from './network.ts';
import { createProxyFinder, findProxyCredentials, isLoopback, readAuthorities } from './node-fetch.ts';
import { readProxyList, withoutSecrets } from './proxy-list.ts';

/** Throws a sentence for a setting of the environment that cannot be used. */
export function createSystemNetwork(environment: NodeJS.ProcessEnv): Network {
  const authorities = readAuthorities(environment.LATCHKEY_CA_FILE);
  const common = {
    authorities,
    findCredentials: (proxy: { readonly host: string; readonly port: number }) =>
      findProxyCredentials(environment, proxy),
  };
  if (!process.versions.electron || authorities.length > 0) {
    return createNetwork({ ...common, findProxy: createProxyFinder(environment) });
  }
  return createNetwork({
    ...common,
    findProxy: (url) => findByElectron(url, environment),
    lookUp: async (host) => (await net.resolveHost(host)).endpoints.map(({ address }) => address),
  });
}

async function findByElectron(url: string, environment: NodeJS.ProcessEnv): Promise<FoundProxy | null> {
  if (isLoopback(url)) return { route: { kind: 'direct' }, pacUrl: null };
  const pacUrl = withoutSecrets(app.commandLine.getSwitchValue('proxy-pac-url') || environment.auto_proxy || '');
  try {
    const route = readProxyList(await session.defaultSession.resolveProxy(url));
    return route && { route, pacUrl };
  } catch {
    return null;
  }
}
