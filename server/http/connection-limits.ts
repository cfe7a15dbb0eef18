/**
 * Keeps the number of connections, in total and per client address, below the number of files that the process may have
 * open. Each worker process has its own limits, because each can have that many files open.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Stream } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { DeadlineExceeded } from '../deadline.ts';
import { rateLimitAddress } from '../network-address.ts';
import type { IsTrusted } from './client-address.ts';
import { refuseConnection } from './connections.ts';
import { decideDownloadLimits } from './downloads.ts';
import { inParts } from './response-parts.ts';
import { type ConnectionGroup, findEvictable, TrackedConnection, waitsForClient } from './tracked-connection.ts';

type ConnectionLimits = { readonly total: number; readonly perAddress: number };

/** File descriptors reserved for the database, files, logs and connections that are being closed. */
const reservedDescriptors = 64;
const fewestConnections = 16;
const mostConnections = 20_000;

/**
 * Requests that a client may send without waiting for the responses (pipelining, RFC 9112, section 9.3.2). When a
 * client stops reading responses, Node stops reading its requests only after one chunk of input, which can hold a
 * thousand requests.
 */
const mostPending = 100;

/**
 * How long a client may go without reading any of a response that is ready for it. Node's socket timer counts each part
 * that is sent as activity, so a slow client still gets its response; one that reads nothing is disconnected after one
 * to two times this long. A streamed response may be waiting for the server instead, so the idle timeout applies to it.
 */
const unreadTimeoutMs = 5_000;

/** Used if the system does not report the limit. */
const usualDescriptorLimit = 1024;

/** Each address gets a quarter of the connections, so that one alone cannot use all of them. */
export function decideConnectionLimits(descriptorLimit: number): ConnectionLimits {
  const available = descriptorLimit - reservedDescriptors - decideDownloadLimits(descriptorLimit).total;
  const total = Math.max(fewestConnections, Math.min(available, mostConnections));
  return { total, perAddress: Math.max(fewestConnections, Math.floor(total / 4)) };
}

/** How many files this process can have open. Node raises the soft limit to the hard one at its start. */
export function readDescriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (soft === 'unlimited') return mostConnections + reservedDescriptors;
    return soft === undefined ? usualDescriptorLimit : Number(soft);
  } catch {
    return usualDescriptorLimit;
  }
}

type ConnectionLimiterDeps = {
  readonly limits: ConnectionLimits;
  /** Trusted proxies are exempt from the limit per address. */
  readonly isTrusted: IsTrusted;
  readonly isTls: boolean;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Set by the first request of a connection, for which `ConnectionLimiter` finds the connection by its peer. */
const connectionOf = Symbol('connection');
type RequestSocket = Socket & { [connectionOf]?: TrackedConnection };

/**
 * Enforces the connection limits. A new connection beyond a limit replaces the one that has been idle longest, or else
 * one that only waits for its client to complete a request or read its responses. If there is neither, every other
 * connection is waiting for the server and the new one is refused. A client that sends many requests without reading
 * the responses, or stops reading a response, is disconnected.
 */
export class ConnectionLimiter {
  readonly #deps: ConnectionLimiterDeps;
  readonly #all: ConnectionGroup = new Set();
  readonly #byAddress = new Map<string, ConnectionGroup>();
  // Keyed by address and port, because a request on a TLS connection has another socket than the connection.
  readonly #byPeer = new Map<string, TrackedConnection>();

  constructor(deps: ConnectionLimiterDeps) {
    this.#deps = deps;
  }

  /** Starts enforcing the limits. Must be called before the app listens. */
  watch(app: FastifyInstance): void {
    app.server.on('connection', (socket: Socket) => this.#accept(socket));
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#track(request, response));
    // Cheaper than a listener on each response. If the connection closes instead, all of this is dropped.
    app.addHook('onResponse', (_request, { raw }, done) => {
      this.#untrack(raw);
      done();
    });
    app.server.on('timeout', (socket: Socket) => this.#endSilent(socket));
    app.addHook('onSend', (_request, reply, payload, done) => {
      // An injected request has no connection.
      const isConnected = connectionOf in reply.raw.req.socket;
      if (!isConnected || payload instanceof Stream) return done(null, payload);
      reply.raw.setTimeout(unreadTimeoutMs);
      done(null, this.#deps.isTls ? inParts(reply, payload) : payload);
    });
    // After a connection is destroyed, Node still handles the requests that it had read from it.
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      done(raw.socket.destroyed ? new DeadlineExceeded('closed') : undefined);
    });
  }

  #accept(socket: Socket): void {
    const { limits, isTrusted, isTls } = this.#deps;
    const address = rateLimitAddress(socket.remoteAddress);
    const group: ConnectionGroup = this.#byAddress.get(address) ?? new Set();
    const isGroupFull = group.size >= limits.perAddress && !isTrusted(socket.remoteAddress, 0);
    if ((isGroupFull && !evictFrom(group)) || (this.#all.size >= limits.total && !evictFrom(this.#all))) {
      refuseConnection(socket, isTls);
      return;
    }
    const connection = new TrackedConnection(socket, [group, this.#all]);
    const peer = peerOf(socket);
    this.#byAddress.set(address, group);
    this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      connection.remove();
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      if (group.size === 0 && this.#byAddress.get(address) === group) this.#byAddress.delete(address);
    });
  }

  #track(request: IncomingMessage, response: ServerResponse): void {
    const socket: RequestSocket = request.socket;
    const connection = this.#find(socket);
    if (!connection) return;
    socket[connectionOf] = connection;
    if (connection.pending.length === 0) connection.firstSinceMs = this.#deps.clock.monotonic();
    const isTooMany = connection.pending.push(response) > mostPending;
    if (isTooMany || this.#isUnread(connection)) connection.close();
  }

  /** Node's timer counts a request as activity, so a client could send one now and then and never read. */
  #isUnread({ pending, firstSinceMs }: TrackedConnection): boolean {
    const isLate = this.#deps.clock.monotonic() - firstSinceMs > 2 * unreadTimeoutMs;
    return isLate && pending[0]?.writableEnded === true;
  }

  /** Closes a connection that timed out, unless it is waiting for the server, whose work has its own deadline. */
  #endSilent(socket: Socket): void {
    const connection = this.#find(socket);
    if (!connection) socket.destroy();
    else if (socket.writableLength > 0 || waitsForClient(connection)) connection.close();
  }

  #find(socket: RequestSocket): TrackedConnection | undefined {
    return socket[connectionOf] ?? this.#byPeer.get(peerOf(socket));
  }

  #untrack(response: ServerResponse): void {
    const connection = (response.req.socket as RequestSocket)[connectionOf];
    const index = connection?.pending.indexOf(response) ?? -1;
    if (!connection || index < 0) return;
    connection.pending.splice(index, 1);
    if (index === 0) connection.firstSinceMs = this.#deps.clock.monotonic();
    if (connection.pending.length === 0) connection.becomeIdle();
  }
}

/** Closes one connection of the group; false if all of them are waiting for a response. */
function evictFrom(group: ConnectionGroup): boolean {
  const connection = findEvictable(group);
  if (!connection) return false;
  connection.close();
  return true;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
