/** Services add events here: to the queue of each webhook endpoint, within the transaction of the change. */
import { type SqlBool, sql } from 'kysely';
import type { WebhookEventType } from '../../shared/api/admin/webhooks.ts';
import type { WebhookEventOf } from '../../shared/api/webhook-events.ts';
import type { Clock } from '../clock.ts';
import { type Executor, isPostgres, type Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { exists } from '../database/queries.ts';
import { newUuid, type Random } from '../random.ts';
import { giveUpAfterMs } from './delivery.rules.ts';

/** Data of an event: ids, previews and plain values, never a secret. */
type EventData<T extends WebhookEventType> = Readonly<Omit<WebhookEventOf<T>['data'], 'account_id' | 'email'>>;

export type WebhookEvent = {
  [T in WebhookEventType]: {
    readonly type: T;
    /** Account that the event is about, if any. Its id and email become part of the data. */
    readonly userId: string | null;
    readonly data: EventData<T>;
  };
}[WebhookEventType];

type EventOutboxDeps = { readonly clock: Clock; readonly random: Random };

export class EventOutbox {
  readonly #deps: EventOutboxDeps;

  constructor(deps: EventOutboxDeps) {
    this.#deps = deps;
  }

  /**
   * Queues the event for each endpoint that wants it, in one statement, which adds the time and the account's email.
   * `delivery.service.ts` composes the body when it sends the event.
   */
  async add(transaction: Transaction, { type, userId, data }: WebhookEvent): Promise<void> {
    const atMs = this.#deps.clock.now();
    const eventId = newUuid(atMs, this.#deps.random);
    const giveUpAtMs = atMs + giveUpAfterMs;
    const event = { eventId, type, userId, data: JSON.stringify(data), atMs, giveUpAtMs };
    await insertDeliveriesQuery.run(transaction, event);
  }

  /** Queues many events of the same type; costs only one query while no endpoint wants that type. */
  async addAll(transaction: Transaction, events: readonly WebhookEvent[]): Promise<void> {
    const [first] = events;
    if (!first || !(await this.isWanted(transaction, first.type))) return;
    for (const event of events) await this.add(transaction, event);
  }

  /** Returns true if an endpoint wants events of this type. For events that are not part of a change. */
  isWanted(executor: Executor, type: WebhookEventType): Promise<boolean> {
    return exists(executor.selectFrom('webhook_endpoints as endpoint').where(wants(type)));
  }
}

/** Returns the condition that an endpoint is in use and wants events of this type. */
function wants(type: string) {
  return sql<SqlBool>`endpoint.disabled_at_ms is null
    and (endpoint.events = '*' or endpoint.events like '% ' || cast(${type} as text) || ' %')`;
}

type QueuedEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly userId: string | null;
  readonly data: string;
  readonly atMs: number;
  readonly giveUpAtMs: number;
};

/**
 * Each delivery gets a UUID that starts like that of its event, so that it sorts by time. The casts are for PostgreSQL,
 * which cannot infer the type of a parameter in a select list.
 */
const insertDeliveriesQuery = prepareQuery((executor, event: QueuedEvent) => {
  const onPostgres = isPostgres(executor);
  const tail = onPostgres ? sql`substr(md5(endpoint.id || random()::text), 1, 12)` : sql`lower(hex(randomblob(6)))`;
  // Waits for an endpoint that is being deleted, and leaves it out.
  const lock = onPostgres ? sql`for key share of endpoint` : sql``;
  return sql`
    insert into event_deliveries (id, endpoint_id, event_id, type, at_ms, data, account_id, email,
      state, attempts, next_attempt_at_ms, give_up_at_ms)
    select substr(cast(${event.eventId} as text), 1, 24) || ${tail}, endpoint.id, cast(${event.eventId} as text),
      cast(${event.type} as text), cast(${event.atMs} as bigint), cast(${event.data} as text),
      cast(${event.userId} as text), (select email from users where id = ${event.userId}),
      'pending', 0, cast(${event.atMs} as bigint), cast(${event.giveUpAtMs} as bigint)
    from webhook_endpoints as endpoint where ${wants(event.type)} ${lock}`;
});
