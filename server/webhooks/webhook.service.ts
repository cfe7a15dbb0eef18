/** Webhook endpoints and their deliveries, for admins. */
import type { AddedWebhook, Delivery, WebhookEndpoint, WebhookEventType } from '../../shared/api/admin/webhooks.ts';
import type { AuditContext, AuditEvent } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { IdempotentRequest, IdempotentResponseService } from '../idempotency/idempotent-response.service.ts';
import { isUuid, newUuid } from '../random.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { formatWebhookSecret } from '../webhook-signature.ts';
import {
  countWaiting,
  type DeliveryRow,
  deleteSomeDeliveries,
  findDelivery,
  hasManyDeliveries,
  restartDelivery,
} from './delivery.repository.ts';
import { giveUpAfterMs } from './delivery.rules.ts';
import { leadsToPrivateAddress } from './public-address.ts';
import * as repository from './webhook.repository.ts';
import { createEndpointBox, formatEvents, newSecret, parseEndpointUrl, parseEvents } from './webhook-endpoint.ts';

type WebhookServiceDeps = AuditedDeps & {
  readonly idempotentResponses: IdempotentResponseService;
};

/** Maximum number of endpoints; each event is queued for every endpoint that wants it. */
const maxEndpoints = 50;

export class WebhookService {
  readonly #deps: WebhookServiceDeps;
  readonly #box: SecretBox;

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
    this.#box = createEndpointBox(deps.secrets);
  }

  /**
   * Adds an endpoint for events of these types, or for all. Repeating the same `idempotent` request within 10 minutes
   * adds no second one. Throws `ApiError` VALIDATION_ERROR, CONFLICT, also if the endpoint was removed since.
   */
  async add(
    url: string,
    types: readonly WebhookEventType[],
    by: AuditContext,
    idempotent?: IdempotentRequest,
  ): Promise<AddedWebhook> {
    const { config, database, clock, random, idempotentResponses } = this.#deps;
    const nowMs = clock.now();
    const id = newUuid(nowMs, random);
    const { key, sealed } = newSecret(this.#box, id, random);
    const row: repository.WebhookRow = {
      id,
      url: parseEndpointUrl(url),
      events: formatEvents(types),
      encrypted_secret: sealed,
      created_at_ms: nowMs,
      disabled_at_ms: null,
      disabled_reason: null,
    };
    const added = await database.write(async (transaction) => {
      const insert = async () => {
        await this.#insert(transaction, row, by);
        return { ...toEndpoint(row, 0), secret: formatWebhookSecret(key) };
      };
      const response = await idempotentResponses.once(transaction, idempotent, insert);
      if (await repository.findWebhook(transaction, response.id)) return response;
      throw new ApiError('CONFLICT', 'The endpoint that this request added was removed in the meantime.');
    });
    const isBlocked = !config.allowsPrivateWebhooks && (await leadsToPrivateAddress(new URL(added.url)));
    return { ...added, is_blocked: isBlocked };
  }

  async #insert(transaction: Transaction, row: repository.WebhookRow, by: AuditContext): Promise<void> {
    await lockByName(transaction, 'webhook endpoints');
    if ((await repository.countWebhooks(transaction)) >= maxEndpoints) {
      throw new ApiError('CONFLICT', `There are ${maxEndpoints} endpoints already: remove one first.`);
    }
    await repository.insertWebhook(transaction, row);
    await this.#record(transaction, row, { ...by, action: 'webhook.add' });
  }

  /** Returns all endpoints, oldest first. */
  async list(): Promise<WebhookEndpoint[]> {
    const { read } = this.#deps.database;
    const rows = await repository.listWebhooks(read);
    const waiting = rows.length === 0 ? new Map<string, number>() : await countWaiting(read);
    return rows.map((row) => toEndpoint(row, waiting.get(row.id) ?? 0));
  }

  /** Returns the id of an endpoint as it is stored. Throws `ApiError` NOT_FOUND if there is no such endpoint. */
  async requireId(id: string): Promise<string> {
    return (await this.#require(id)).id;
  }

  /**
   * Removes an endpoint with its deliveries, and returns the removed endpoint. Many deliveries are deleted in parts, so
   * that other writes need not wait for long. Throws `ApiError` NOT_FOUND.
   */
  async remove(id: string, by: AuditContext): Promise<WebhookEndpoint> {
    const { database } = this.#deps;
    if (!isUuid(id)) throw unknownEndpoint();
    while (await hasManyDeliveries(database.read, id)) {
      await database.write((transaction) => deleteSomeDeliveries(transaction, id));
    }
    return database.write(async (transaction) => {
      const row = await repository.deleteWebhook(transaction, id);
      if (!row) throw unknownEndpoint();
      await this.#record(transaction, row, { ...by, action: 'webhook.remove' });
      return toEndpoint(row, 0);
    });
  }

  /**
   * Delivers the same event again with the same id, whatever the outcome was. Throws `ApiError` NOT_FOUND, or CONFLICT
   * if the endpoint is disabled.
   */
  async replay(deliveryId: string, by: AuditContext): Promise<Delivery> {
    const { database, clock } = this.#deps;
    const { endpoint_id, event_id, type } = await this.#requireDelivery(deliveryId);
    const endpoint = await this.#require(endpoint_id);
    if (endpoint.disabled_at_ms !== null) {
      throw new ApiError('CONFLICT', 'This endpoint is disabled: add it again to send events to it.');
    }
    const nowMs = clock.now();
    await database.write(async (transaction) => {
      const isFound = await restartDelivery(transaction, deliveryId, { nowMs, giveUpAtMs: nowMs + giveUpAfterMs });
      // The endpoint was removed in the meantime, and its deliveries with it.
      if (!isFound) throw unknownDelivery();
      const details = { delivery_id: deliveryId, event_id, type };
      await this.#record(transaction, endpoint, { ...by, action: 'webhook.replay', details });
    });
    return toDelivery(await this.#requireDelivery(deliveryId));
  }

  /** Within a write, disables the endpoint, which then receives no more events. */
  async disable(
    transaction: Transaction,
    endpoint: repository.WebhookRow,
    { reason, by }: { reason: string; by: AuditContext },
  ): Promise<void> {
    const nowMs = this.#deps.clock.now();
    if (!(await repository.disableWebhook(transaction, endpoint.id, { reason, nowMs }))) return;
    await this.#record(transaction, endpoint, { ...by, action: 'webhook.disable' });
  }

  /** Records only the host, because the path of the URL may be a secret of the receiver. */
  async #record(transaction: Transaction, { id, url }: repository.WebhookRow, event: Omit<AuditEvent, 'target'>) {
    const target = { kind: 'webhook', id, label: new URL(url).host } as const;
    await this.#deps.auditLog.record(transaction, { ...event, target });
  }

  async #require(id: string): Promise<repository.WebhookRow> {
    const row = isUuid(id) ? await repository.findWebhook(this.#deps.database.read, id) : undefined;
    if (!row) throw unknownEndpoint();
    return row;
  }

  async #requireDelivery(id: string): Promise<DeliveryRow> {
    const row = isUuid(id) ? await findDelivery(this.#deps.database.read, id) : undefined;
    if (!row) throw unknownDelivery();
    return row;
  }
}

function unknownEndpoint(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no webhook endpoint with this id.');
}

function unknownDelivery(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no delivery with this id.');
}

function toEndpoint(row: repository.WebhookRow, waiting: number): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    events: parseEvents(row.events),
    created_at: toIso(row.created_at_ms),
    disabled_at: toIsoOrNull(row.disabled_at_ms),
    disabled_reason: row.disabled_reason,
    waiting,
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    type: row.type,
    account_id: row.account_id,
    email: row.email,
    created_at: toIso(row.at_ms),
    state: row.state,
    attempts: row.attempts,
    last_attempt_at: toIsoOrNull(row.last_attempt_at_ms),
    next_attempt_at: row.state === 'pending' ? toIso(row.next_attempt_at_ms) : null,
    response_status: row.response_status,
    error: row.error,
  };
}
