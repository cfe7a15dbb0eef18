/**
 * Keeps connections below the number of files that the process can have open: overall, and for each client address.
 * Each of several workers has its own limits, because each can have that many files open.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Stream } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { rateLimitAddress } from '../network-address.ts';
import type { IsTrusted } from './client-address.ts';
import { refuseConnection } from './connections.ts';
import { decideDownloadLimits } from './downloads.ts';
import { inParts } from './response-parts.ts';
import { type ConnectionGroup, findEvictable, TrackedConnection, waitsForClient } from './tracked-connection.ts';

export type ConnectionLimits = { readonly total: number; readonly perAddress: number };

/** For the database, files, logs and connections that are being closed. */
const reservedDescriptors = 64;
const fewestConnections = 16;
const mostConnections = 20_000;

/**
 * Requests that a client may send without waiting for the responses (pipelining, RFC 9112, section 9.3.2). Node stops
 * reading from a client that does not read only after one chunk of input, which can hold a thousand requests.
 */
const mostPending = 100;

/**
 * How long a client may read nothing of a response that waits for it. Node's timer of the socket counts each part that goes
 * out as activity, so that a slow client has its response; without any, the connection is closed after once or twice this
 * time. A stream may wait for the server instead: there the time of an idle connection holds.
 */
const unreadTimeoutMs = 5_000;

/** Where the system does not say how many there are. */
const usualDescriptorLimit = 1024;

/** An address gets a quarter of the connections, so that it takes several to use all. */
export function decideConnectionLimits(descriptorLimit: number): ConnectionLimits {
  const available = descriptorLimit - reservedDescriptors - decideDownloadLimits(descriptorLimit).total;
  const total = Math.max(fewestConnections, Math.min(available, mostConnections));
  return { total, perAddress: Math.max(fewestConnections, Math.floor(total / 4)) };
}

/** How many files this process can have open. Node has raised the soft limit to the hard one by now. */
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

export type ConnectionLimiterDeps = {
  readonly limits: ConnectionLimits;
  /** A trusted proxy may have more connections than a client. */
  readonly isTrusted: IsTrusted;
  readonly isTls: boolean;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Set with the first request of a connection, which `ConnectionLimiter` finds by its peer then. */
const connectionOf = Symbol('connection');
type RequestSocket = Socket & { [connectionOf]?: TrackedConnection };

/**
 * A connection beyond a limit takes the place of the one that is idle the longest, or else of one that waits for its
 * client only: to complete its request, or to read its responses. It is refused where there is none, since every other
 * one waits for the server. A client that sends many requests without reading the responses is disconnected, and one that
 * stops reading a response.
 */
export class ConnectionLimiter {
  readonly #deps: ConnectionLimiterDeps;
  readonly #all: ConnectionGroup = new Set();
  readonly #byAddress = new Map<string, ConnectionGroup>();
  // By address and port, because a request of a TLS connection has another socket than the connection.
  readonly #byPeer = new Map<string, TrackedConnection>();

  constructor(deps: ConnectionLimiterDeps) {
    this.#deps = deps;
  }

  /** To be called before the app listens. */
  watch(app: FastifyInstance): void {
    app.server.on('connection', (socket: Socket) => this.#accept(socket));
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#track(request, response));
    // Cheaper than a listener on each response. Where a connection closes instead, all of it is forgotten.
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
    // Node goes on with the requests that it has read from a connection when that is destroyed.
    app.addHook('onRequest', (request, reply, done) => {
      if (request.raw.socket.destroyed) reply.hijack();
      else done();
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

  /** A request counts as activity for Node's timer, so a client could send one now and then and read nothing. */
  #isUnread({ pending, firstSinceMs }: TrackedConnection): boolean {
    const isLate = this.#deps.clock.monotonic() - firstSinceMs > 2 * unreadTimeoutMs;
    return isLate && pending[0]?.writableEnded === true;
  }

  /** Unless it waits for the server, whose work has a deadline of its own. */
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

/** Closes one of the connections; false if each of them waits for a response. */
function evictFrom(group: ConnectionGroup): boolean {
  const connection = findEvictable(group);
  if (!connection) return false;
  connection.close();
  return true;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
