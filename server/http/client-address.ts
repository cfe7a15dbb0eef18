/** Determines the client's address behind trusted proxies, from the X-Forwarded-For header, and warns of others. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
 * called before any hook that uses `request.ip` is added. If a proxy forwards something that is not an address, the
 * proxy's own address is used instead; this is logged once.
 */
export function findClientAddresses(app: FastifyInstance, isTrusted: IsTrusted): void {
  let isReported = false;
  const find = ({ raw, log }: FastifyRequest) => {
    const forwarded = raw.headers[header];
    if (typeof forwarded !== 'string' || forwarded === '') return;
    const { remoteAddress } = raw.socket;
    const { address, isReadable } = findClientAddress(remoteAddress, forwarded, isTrusted);
    if (address === undefined || address === remoteAddress) delete raw.headers[header];
    else raw.headers[header] = address;
    if (isReadable || isReported) return;
    isReported = true;
    log.warn('X-Forwarded-For of a trusted proxy has something that is no address: the proxy counts as the client');
  };
  app.addHook('onRequest', (request, _reply, done) => {
    find(request);
    done();
  });
}

/**
 * Warns once if a proxy in front of the server is not trusted, so that all clients have its address and share its rate
 * limits. Only the header of an address that is not public counts, because any client can send the header. Must be
 * called before `findClientAddresses`, which removes the header.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, isTrusted: IsTrusted): void {
  let isReported = false;
  app.addHook('onRequest', ({ raw, log }, _reply, done) => {
    if (!isReported && raw.headers[header] !== undefined) {
      const address = parseAddress(raw.socket.remoteAddress);
      isReported = address !== undefined && address.range() !== 'unicast' && !isTrusted(raw.socket.remoteAddress, 0);
      if (isReported) {
        log.warn(
          { proxy: String(address) },
          'a proxy is in front of the server, but LATCHKEY_TRUST_PROXY does not name it: all clients have its address and share its rate limits; set LATCHKEY_TRUST_PROXY',
        );
      }
    }
    done();
  });
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
