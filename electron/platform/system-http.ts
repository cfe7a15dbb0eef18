/** The HTTP port of this process: over Electron's network stack in the app, and over Node's without Electron. */
import { net } from 'electron';
import type { Http } from '../licensing/platform.ts';
import { readAuthorities } from './certificate-authorities.ts';
import { createElectronFetch } from './electron-fetch.ts';
import { createHttp } from './http.ts';
import { createNodeFetch } from './node-fetch.ts';
import { findProxyCredentials, isLoopback } from './proxy-environment.ts';

/** Throws a sentence if a setting of the environment cannot be used. */
export function createSystemHttp(environment: NodeJS.ProcessEnv): Http {
  const authorities = readAuthorities(environment.LATCHKEY_CA_FILE);
  // Electron does not accept extra authorities.
  if (!process.versions.electron || authorities.length > 0) {
    return createHttp(createNodeFetch({ environment, authorities }));
  }
  const direct = createNodeFetch({ environment: {}, authorities });
  const byElectron = createElectronFetch(
    (options) => net.request(options),
    (proxy) => findProxyCredentials(environment, proxy),
  );
  return createHttp((url, init) => (isLoopback(url) ? direct(url, init) : byElectron(url, init)));
}
