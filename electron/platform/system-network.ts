/** The network port of this process, which uses the same proxy as its requests (`system-http.ts`). */
import type { Network } from '../licensing/platform.ts';
import { readAuthorities } from './certificate-authorities.ts';
import { createElectronNetwork } from './electron-network.ts';
import { createNetwork } from './network.ts';
import { createProxyFinder } from './node-fetch.ts';
import { findProxyCredentials } from './proxy-environment.ts';

/** Throws a sentence if a setting of the environment cannot be used. */
export function createSystemNetwork(environment: NodeJS.ProcessEnv): Network {
  const authorities = readAuthorities(environment.LATCHKEY_CA_FILE);
  if (process.versions.electron && authorities.length === 0) return createElectronNetwork(environment);
  return createNetwork({
    authorities,
    findProxy: createProxyFinder(environment),
    findCredentials: (proxy) => findProxyCredentials(environment, proxy),
  });
}
