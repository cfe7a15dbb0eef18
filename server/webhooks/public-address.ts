/** Which addresses events may be sent to, decided when the connection is made, so that a name cannot change its meaning. */
import { promises as dns, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { withinTime } from '../within-time.ts';

/** Whether an address belongs to a host on the internet: not to this machine, its network, or a reserved range. */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  // An IPv4 address within IPv6 is what it says.
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return false;
  return parsed.range() === 'unicast';
}

/** All that is assigned of IPv6 (RFC 4291 §2.4): not `::127.0.0.1`, for example, which `ipaddr.js` takes for unicast. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is a private address: set LATCHKEY_WEBHOOK_ALLOW_PRIVATE=1 to send events to it`);
    this.name = 'PrivateAddressError';
  }
}

/** The `lookup` of a connection, which fails for a name that has an address that is not public. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '', 0);
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new PrivateAddressError(hostname), '', 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** How long a name may take to be looked up for a warning. */
const warningTimeoutMs = 2_000;

/** Whether a URL leads to an address that is not public, as far as that is known now; false where its name is not found. */
export async function leadsToPrivateAddress(url: URL): Promise<boolean> {
  try {
    requirePublicHost(url);
  } catch {
    return true;
  }
  const lookingUp = dns.lookup(url.hostname, { all: true });
  try {
    const addresses = await withinTime(
      lookingUp,
      warningTimeoutMs,
      () => new Error(`${url.hostname} is not found in time`),
    );
    return addresses.some(({ address }) => !isPublicAddress(address));
  } catch {
    return false;
  }
}

/** Throws `PrivateAddressError` for a URL that names an address, which is not looked up, that is not public. */
export function requirePublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError(host);
}
