/** `latchkey-client/node`: the ports of the licensing client on Node alone. */
import type { Platform, Power } from '../licensing/platform.ts';
import { createHttp } from '../platform/http.ts';
import { createNetwork } from '../platform/network.ts';
import { openPlatform } from './open-platform.ts';

export type NodePlatformOptions = {
  /** Where the sign-in, the license and the log are stored; created if needed, accessible only to its owner. */
  readonly folder: string;
  /** Replaces Node's own `fetch`. With `redirect: 'manual'` it must return a redirect as a response. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

/** Node does not report when the machine sleeps. */
const unknownPower: Power = { onSuspend: () => () => {}, onResume: () => () => {} };

/**
 * Opens the stores in the folder. Secrets are encrypted with a key in a file next to them. Requests use Node's `fetch`,
 * which follows `HTTPS_PROXY` with `NODE_USE_ENV_PROXY=1` (Node 24), trusts what `NODE_EXTRA_CA_CERTS` adds, and can be
 * replaced. Rejects if the folder cannot be used.
 * @example
 * import { createNodePlatform } from 'latchkey-client/node';
 *
 * const platform = await createNodePlatform({ folder: 'profile' });
 * console.log(platform.machine.deviceName);
 */
export function createNodePlatform({ folder, fetch }: NodePlatformOptions): Promise<Platform> {
  const send = fetch ?? globalThis.fetch;
  const knowsRoute = fetch === undefined && !process.env.NODE_USE_ENV_PROXY;
  return openPlatform({
    folder,
    keyring: null,
    withoutKeyring: 'file',
    http: createHttp((url, init) => send(url, init)),
    network: createNetwork({
      authorities: null,
      findProxy: async () => (knowsRoute ? { route: { kind: 'direct' }, pacUrl: null } : null),
      findCredentials: () => null,
    }),
    power: unknownPower,
  });
}
