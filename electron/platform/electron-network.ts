/** The network port that finds proxies and looks up names like Electron's network stack. */
import { app, net, session } from 'electron';
import type { FoundProxy, Network } from '../licensing/platform.ts';
import { createNetwork } from './network.ts';
import { type Environment, findProxyCredentials, isLoopback } from './proxy-environment.ts';
import { readProxyList, withoutSecrets } from './proxy-list.ts';

/** The environment contains the proxy's credentials. */
export function createElectronNetwork(environment: Environment): Network {
  return createNetwork({
    authorities: [],
    findCredentials: (proxy) => findProxyCredentials(environment, proxy),
    findProxy: (url) => findByElectron(url, environment),
    lookUp: async (host) => (await net.resolveHost(host)).endpoints.map(({ address }) => address),
  });
}

async function findByElectron(url: string, environment: Environment): Promise<FoundProxy | null> {
  if (isLoopback(url)) return { route: { kind: 'direct' }, pacUrl: null };
  const pacUrl = withoutSecrets(app.commandLine.getSwitchValue('proxy-pac-url') || environment.auto_proxy || '');
  try {
    const route = readProxyList(await session.defaultSession.resolveProxy(url));
    return route && { route, pacUrl };
  } catch {
    return null;
  }
}
