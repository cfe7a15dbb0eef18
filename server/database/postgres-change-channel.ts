/**
 * Detects which accounts were changed in a PostgreSQL database: triggers send notifications, and a connection of each
 * process listens for them.
 *
 * A lost connection misses notifications, and behind a pooler in transaction mode none arrive. So this process also
 * sends itself notifications ("echoes") on another connection. When an echo comes back, everything that was committed
 * before it has arrived too, because PostgreSQL delivers notifications in commit order
 * (postgresql.org/docs/current/sql-notify.html). The cache may then be used until one second after the echo was sent.
 */
import { sql } from 'kysely';
import { Client } from 'pg';
import { runWithDeadline } from '../deadline.ts';
import type { AccountChange, ChangeChannel } from './cache-invalidation.ts';
import type { Executor, Transaction } from './database.ts';
import { connectionOptions, skipGracefulEnd } from './postgres-pool.ts';

const channel = 'latchkey_account_changes';
const everything = '*';
const echoPrefix = 'echo ';

/** How long cached data may be used after the newest returned echo was sent. */
const trustMs = 1000;
const echoIntervalMs = 250;
/** A connection on which no echo has come back for this long is replaced. */
const lostAfterMs = 5000;
const reconnectIntervalMs = 500;
/** Time limits for connecting and for the LISTEN statement. */
const timeouts = { connectTimeoutMs: 5000, queryTimeoutMs: 5000 };

type PostgresChangeChannelDeps = {
  readonly url: string;
  /** Sends the echoes, on other connections than the one that listens. */
  readonly executor: Executor;
  readonly apply: (change: AccountChange) => void;
};

type Listener = {
  readonly client: Client;
  isListening: boolean;
  /** When the last echo was sent. */
  echoAtMs: number;
  /** When each echo was sent that has not come back. */
  unanswered: readonly number[];
};

/** Connects with the first call of `catchUp`. */
export class PostgresChangeChannel implements ChangeChannel {
  readonly #deps: PostgresChangeChannelDeps;
  /** How the echoes of this process begin; the time follows at which each was sent. */
  readonly #ownEcho = `${echoPrefix}${crypto.randomUUID()} `;
  #listener: Listener | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #trustedUntilMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(deps: PostgresChangeChannelDeps) {
    this.#deps = deps;
  }

  catchUp(): boolean {
    const nowMs = performance.now();
    if (this.#listener) this.#sendEcho(this.#listener, nowMs);
    else this.#connect(nowMs);
    return nowMs < this.#trustedUntilMs;
  }

  /** Ends the connection. */
  close(): void {
    this.#isClosed = true;
    if (this.#listener) this.#disconnect(this.#listener);
  }

  #connect(nowMs: number): void {
    if (this.#isClosed || nowMs - this.#triedAtMs < reconnectIntervalMs) return;
    this.#triedAtMs = nowMs;
    const client = new Client(connectionOptions(this.#deps.url, timeouts));
    const listener: Listener = { client, isListening: false, echoAtMs: Number.NEGATIVE_INFINITY, unanswered: [] };
    const disconnect = () => this.#disconnect(listener);
    client.on('error', disconnect).on('end', disconnect);
    client.on('notification', ({ payload = '' }) => this.#receive(listener, payload));
    this.#listener = listener;
    runWithDeadline(undefined, () => listen(client)).then(() => {
      // Changes committed before it listened were not received.
      this.#deps.apply('everything');
      listener.isListening = true;
      if (this.#listener === listener) this.#sendEcho(listener, performance.now());
    }, disconnect);
  }

  #receive(listener: Listener, payload: string): void {
    if (!payload.startsWith(echoPrefix)) {
      this.#deps.apply(payload === everything ? 'everything' : [payload]);
    } else if (this.#listener === listener && payload.startsWith(this.#ownEcho)) {
      // Not necessarily the last one: while the database is slow, several echoes are under way.
      const sentAtMs = Number(payload.slice(this.#ownEcho.length));
      listener.unanswered = listener.unanswered.filter((otherMs) => otherMs > sentAtMs);
      this.#trustedUntilMs = Math.max(this.#trustedUntilMs, sentAtMs + trustMs);
    }
  }

  /** Sends an echo, unless one was sent a moment ago. */
  #sendEcho(listener: Listener, nowMs: number): void {
    const { isListening, echoAtMs, unanswered } = listener;
    if (!isListening || nowMs - echoAtMs < echoIntervalMs) return;
    if (nowMs - (unanswered[0] ?? nowMs) > lostAfterMs) {
      this.#disconnect(listener);
      return;
    }
    listener.echoAtMs = nowMs;
    listener.unanswered = [...unanswered, nowMs];
    const sending = runWithDeadline(undefined, () =>
      sql`select pg_notify(${channel}, ${this.#ownEcho + nowMs})`.execute(this.#deps.executor),
    );
    // Until this succeeds, the cache is not used.
    sending.catch(() => undefined);
  }

  #disconnect(listener: Listener): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    this.#trustedUntilMs = Number.NEGATIVE_INFINITY;
    this.#deps.apply('everything');
    skipGracefulEnd(listener.client);
    listener.client.end().catch(() => undefined);
  }
}

/** Returns what the transaction has changed so far, for the process that commits it. */
export async function readChanges(transaction: Transaction): Promise<AccountChange> {
  const setting = sql<{ changed: string | null }>`select current_setting('latchkey.changed_accounts', true) as changed`;
  const { rows } = await setting.execute(transaction);
  const changed = rows[0]?.changed ?? '';
  return changed === everything ? 'everything' : changed.split(' ').filter((userId) => userId !== '');
}

async function listen(client: Client): Promise<void> {
  await client.connect();
  await client.query(`listen ${channel}`);
}
