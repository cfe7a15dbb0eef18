/**
 * A connection, in the group of its address and the group of all connections, both ordered by when they became idle.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Connections in the order in which they became idle: the one idle longest comes first. */
export type ConnectionGroup = Set<TrackedConnection>;

export class TrackedConnection {
  readonly socket: Socket;
  /** Responses that the client has not completely received; empty for an idle connection. */
  readonly pending: ServerResponse[] = [];
  /** When the current first response became the first, on the monotonic clock. */
  firstSinceMs = 0;
  readonly #groups: readonly ConnectionGroup[];

  constructor(socket: Socket, groups: readonly ConnectionGroup[]) {
    this.socket = socket;
    this.#groups = groups;
    for (const group of groups) group.add(this);
  }

  /** Moves the connection to the end of its groups, unless it was removed. */
  becomeIdle(): void {
    for (const group of this.#groups) if (group.delete(this)) group.add(this);
  }

  /**
   * Closes the connection and removes it from its groups. If the client has not received everything, the connection is
   * reset, since the system would otherwise keep the unsent data for minutes.
   */
  close(): void {
    this.remove();
    if (this.pending.length > 0) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  /** Removes the connection from its groups. */
  remove(): void {
    for (const group of this.#groups) group.delete(this);
  }
}

/** Returns the connection idle longest, else one that only waits for its client; `undefined` if there is none. */
export function findEvictable(group: ConnectionGroup): TrackedConnection | undefined {
  let waiting: TrackedConnection | undefined;
  for (const connection of group) {
    if (connection.pending.length === 0) return connection;
    if (!waiting && waitsForClient(connection)) waiting = connection;
  }
  return waiting;
}

/** Returns true if the connection is idle, or only waits for its client to send or read. */
export function waitsForClient({ pending }: TrackedConnection): boolean {
  return pending.every(({ req, writableEnded }) => !req.complete || writableEnded);
}
