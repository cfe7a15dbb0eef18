/**
 * Decides which addresses events may be sent to. This happens when the connection is made, so that a name cannot
 * resolve to another address later.
 */
import { promises as dns, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { withinTime } from '../deadline.ts';
import { parseAddress } from '../network-address.ts';

/** Returns true for the address of a host on the internet, false for this machine, its network and reserved ranges. */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return false;
  return parsed?.range() === 'unicast' && parsed.toString() !== azurePlatform;
}

/** Azure gives this address to services of the platform on the virtual machine's own host. */
const azurePlatform = '168.63.129.16';

/**
 * The global unicast range of IPv6 (RFC 4291 §2.4). Excludes `::127.0.0.1`, for example, which `ipaddr.js` takes for
 * unicast.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';

  constructor(host: string) {
    super(`${host} is a private address: set LATCHKEY_WEBHOOK_ALLOW_PRIVATE=1 to send events to it`);
  }
}

/** A `lookup` function for connections that fails for a name with any address that is not public. */
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

/** Time limit for looking up a name for a warning, in ms. */
const warningTimeoutMs = 2_000;

/** Returns true if a URL currently leads to an address that is not public; false if its name cannot be resolved. */
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

/** Throws `PrivateAddressError` if the host of the URL is an IP address that is not public; names are not looked up. */
export function requirePublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError(host);
}
