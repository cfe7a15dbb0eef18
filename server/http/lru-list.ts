/** The connections of an address, or all of them, in the order in which they became idle. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Connection = {
  readonly socket: Socket;
  /** Responses that the client has not received completely: none of an idle connection. */
  readonly pending: ServerResponse[];
  /** Takes it out of every ring. */
  remove(): void;
};

/** A connection within a ring. Linked by hand: every request moves its connection, and a set would be rehashed again and again. */
export class Place {
  readonly connection: Connection | undefined;
  previous: Place = this;
  next: Place = this;

  constructor(connection?: Connection) {
    this.connection = connection;
  }
}

export class LruList {
  /** Before the first and behind the last. */
  readonly #ends = new Place();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(connection: Connection): Place {
    const place = new Place(connection);
    this.#link(place);
    this.#size += 1;
    return place;
  }

  /** A place can be removed several times. */
  remove(place: Place): void {
    if (place.next === place) return;
    unlink(place);
    this.#size -= 1;
  }

  /** The connection became idle just now. */
  moveToEnd(place: Place): void {
    if (place.next === place || place.next === this.#ends) return;
    unlink(place);
    this.#link(place);
  }

  /** The one that is idle the longest, else one for which the server has nothing to do. */
  findDispensable(): Connection | undefined {
    let waiting: Connection | undefined;
    for (let place = this.#ends.next; place.connection; place = place.next) {
      const { connection } = place;
      if (connection.pending.length === 0) return connection;
      if (!waiting && waitsForClient(connection)) waiting = connection;
    }
    return waiting;
  }

  #link(place: Place): void {
    const last = this.#ends.previous;
    place.previous = last;
    place.next = this.#ends;
    last.next = place;
    this.#ends.previous = place;
  }
}

function unlink(place: Place): void {
  place.previous.next = place.next;
  place.next.previous = place.previous;
  place.previous = place;
  place.next = place;
}

function waitsForClient({ pending }: Connection): boolean {
  return pending.every(({ req, writableEnded }) => !req.complete || writableEnded);
}
