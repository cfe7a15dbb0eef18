/** A connection among those of its address and among all, each in the order in which they became idle. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The one that is idle the longest comes first. */
export type ConnectionGroup = Set<TrackedConnection>;

export class TrackedConnection {
  readonly socket: Socket;
  /** Responses that the client has not received completely: none of an idle connection. */
  readonly pending: ServerResponse[] = [];
  /** Since when the first of them is the first, on the monotonic clock. */
  firstSinceMs = 0;
  readonly #groups: readonly ConnectionGroup[];

  constructor(socket: Socket, groups: readonly ConnectionGroup[]) {
    this.socket = socket;
    this.#groups = groups;
    for (const group of groups) group.add(this);
  }

  /** It becomes the last one of its groups, unless it was removed. */
  becomeIdle(): void {
    for (const group of this.#groups) if (group.delete(this)) group.add(this);
  }

  /**
   * Ends it, and takes it out of its groups. With a reset where its client has not received everything: the system would
   * otherwise keep that for minutes.
   */
  close(): void {
    this.remove();
    if (this.pending.length > 0) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  /** Takes it out of its groups. */
  remove(): void {
    for (const group of this.#groups) group.delete(this);
  }
}

/** The one that is idle the longest, else one for which the server has nothing to do; `undefined` if there is none. */
export function findEvictable(group: ConnectionGroup): TrackedConnection | undefined {
  let waiting: TrackedConnection | undefined;
  for (const connection of group) {
    if (connection.pending.length === 0) return connection;
    if (!waiting && waitsForClient(connection)) waiting = connection;
  }
  return waiting;
}

/** Whether the server has nothing to do for it: it is idle, or its client has to send or to read. */
export function waitsForClient({ pending }: TrackedConnection): boolean {
  return pending.every(({ req, writableEnded }) => !req.complete || writableEnded);
}
