/** Determines the client's address behind trusted proxies, from the X-Forwarded-For header. */
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseAddress, readForwardedAddress } from '../network-address.ts';
import type { Config } from '../settings/config.ts';

const header = 'x-forwarded-for';

/** Returns true if the address at this number of hops is a trusted proxy; 0 is the connection's own address. */
export type IsTrusted = (address: string | undefined, hop: number) => boolean;

/** Creates the check that the setting LATCHKEY_TRUST_PROXY asks for. */
export function createIsTrusted(trustProxy: Config['trustProxy']): IsTrusted {
  if (trustProxy === undefined) return () => false;
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy;
  const networks = trustProxy.map(parseNetwork);
  return (address) => {
    const parsed = parseAddress(address);
    return parsed !== undefined && networks.some((network) => isIn(network, parsed));
  };
}

/**
 * Makes `request.ip` the client's address without the port, brackets and zone, which Fastify would leave in. Must be
 * called before any hook that uses `request.ip` is added. Logs once if a proxy forwards something that is not an
 * address, in which case its own address is used, and once if a proxy in front of the server is not trusted.
 */
export function findClientAddresses(app: FastifyInstance, isTrusted: IsTrusted): void {
  const logged = new Set<string>();
  app.addHook('onRequest', ({ raw, log }, _reply, done) => {
    const { [header]: forwarded } = raw.headers;
    if (typeof forwarded !== 'string' || forwarded === '') return done();
    const { remoteAddress } = raw.socket;
    const { address, isReadable } = findClientAddress(remoteAddress, forwarded, isTrusted);
    if (address === undefined || address === remoteAddress) delete raw.headers[header];
    else raw.headers[header] = address;
    const problem = isReadable ? findUntrustedProxy(remoteAddress, isTrusted) : unreadable;
    if (problem !== undefined && !logged.has(problem)) {
      logged.add(problem);
      log.warn({ proxy: String(parseAddress(remoteAddress)) }, problem);
    }
    done();
  });
}

const unreadable =
  'X-Forwarded-For of a trusted proxy has something that is no address: the proxy counts as the client';
const untrusted =
  'a proxy is in front of the server, but LATCHKEY_TRUST_PROXY does not name it: all clients have its address and share its rate limits; set LATCHKEY_TRUST_PROXY';

/** Only the header of an address that is not public counts, because any client can send the header. */
function findUntrustedProxy(connected: string | undefined, isTrusted: IsTrusted): string | undefined {
  const address = parseAddress(connected);
  return address && address.range() !== 'unicast' && !isTrusted(connected, 0) ? untrusted : undefined;
}

/** Follows the header from the connection outwards while the proxies are trusted and the entries are addresses. */
function findClientAddress(connected: string | undefined, forwarded: string, isTrusted: IsTrusted) {
  let address = connected;
  for (const [hop, text] of forwarded.split(',').toReversed().entries()) {
    if (!isTrusted(address, hop)) break;
    const next = readForwardedAddress(text);
    if (next === undefined) return { address, isReadable: false };
    address = next;
  }
  return { address, isReadable: true };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

function parseNetwork(text: string): Network {
  const [address = '', bits] = text.split('/');
  const parsed = ipaddr.process(address);
  return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)];
}

function isIn([network, bits]: Network, address: Address): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
