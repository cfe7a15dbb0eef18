/** Billing: subscriptions follow the events of billing providers. What cannot be applied yet becomes a dead letter, which staff see. */
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { isUuid, OrderedUuids, type Random } from '../random.ts';
import * as repository from './billing.repository.ts';
import type { BillingEvent, BillingProvider, EventSource, PaymentLink } from './billing-event.ts';
import {
  EventApplication,
  type EventApplicationDeps,
  unconfirmedReason,
  unknownEmailReason,
} from './event-application.ts';
import { unknownPaymentReason } from './payment-application.ts';

export type BillingServiceDeps = EventApplicationDeps & {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly auditLog: AuditLogService;
  /** Those that are configured. */
  readonly providers: readonly BillingProvider[];
};

/** How many dead letters are applied at once, within one write, when what they wait for becomes known. */
const maxFollowing = 1000;

export class BillingService {
  readonly #deps: BillingServiceDeps;
  readonly #application: EventApplication;
  /** So that events are listed in the order in which they arrived. */
  readonly #ids: OrderedUuids;

  constructor(deps: BillingServiceDeps) {
    this.#deps = deps;
    this.#application = new EventApplication(deps);
    this.#ids = new OrderedUuids(deps.random);
  }

  get providers(): readonly BillingProvider[] {
    return this.#deps.providers;
  }

  /**
   * Applies an event whose signature was right, once, however often it is sent. Throws `ApiError` VALIDATION_ERROR for a
   * body that is not an event.
   */
  async receive(provider: BillingProvider, body: string, eventId: string | undefined): Promise<void> {
    const { database, clock } = this.#deps;
    const receivedAtMs = clock.now();
    const event = readEvent(provider, { body, eventId, receivedAtMs });
    await database.write(async (transaction) => {
      await lockBilling(transaction);
      const row: repository.BillingEventRow = {
        id: this.#ids.next(receivedAtMs),
        provider: provider.name,
        event_id: event.id,
        type: event.type,
        state: 'dead_letter',
        reason: null,
        email: null,
        customer_id: customerOf(event),
        payment_id: event.content.kind === 'refund' ? (event.content.refund.paymentId ?? null) : null,
        event_at_ms: event.atMs,
        received_at_ms: receivedAtMs,
        payload: body,
      };
      if (!(await repository.insertEvent(transaction, row))) return;
      if (await this.#apply(transaction, row, event))
        await this.#applyFollowing(transaction, row, unknownPaymentReason);
      if (event.content.kind === 'customer') await this.#applyFollowing(transaction, row, unknownEmailReason);
      if ('links' in event.content) await this.#applyRefundsOf(transaction, row, event.content.links ?? []);
    });
  }

  /**
   * Tries a dead letter again, such as after its plan was added. It may stay one; any other event stays as it is.
   * With `confirmsEmail`, the email of the event counts as confirmed for its account from then on, and the subscription as
   * that of the account.
   * Throws `ApiError` NOT_FOUND, or CONFLICT if its provider is not configured.
   */
  async retry(
    id: string,
    by: AuditContext,
    { confirmsEmail = false }: { readonly confirmsEmail?: boolean } = {},
  ): Promise<BillingEventRecord> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockBilling(transaction);
      const row = isUuid(id) ? await repository.lockDeadLetter(transaction, id) : undefined;
      if (!row) return;
      if (confirmsEmail) await this.#confirmEmail(transaction, row, by);
      if (!this.#findProvider(row)) throw new ApiError('CONFLICT', `The secret of ${row.provider} is not set.`);
      await this.#applyDeadLetters(transaction, [id], confirmsEmail);
      const target = { kind: 'billing_event', id, label: row.event_id } as const;
      await auditLog.record(transaction, { ...by, action: 'billing.retry', target, details: { type: row.type } });
    });
    return this.#require(id);
  }

  /**
   * Ignores a dead letter that nobody wants applied: its body is deleted, and nothing retries it. Any other event stays
   * as it is. Throws `ApiError` NOT_FOUND.
   */
  async dismiss(id: string, by: AuditContext): Promise<BillingEventRecord> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      const row = isUuid(id) ? await repository.lockDeadLetter(transaction, id) : undefined;
      if (!row) return;
      const { reason, email, type } = row;
      await repository.setOutcome(transaction, id, { state: 'ignored', reason, email, payload: null });
      const target = { kind: 'billing_event', id, label: row.event_id } as const;
      await auditLog.record(transaction, { ...by, action: 'billing.dismiss', target, details: { type } });
    });
    return this.#require(id);
  }

  async #require(id: string): Promise<BillingEventRecord> {
    const row = isUuid(id) ? await repository.findEvent(this.#deps.database.read, id) : undefined;
    if (!row) throw new ApiError('NOT_FOUND', 'There is no billing event with this id.');
    return toRecord(row);
  }

  /** Applies the dead letters of an email that nobody had confirmed, within the write that records that somebody has. */
  async applyDeadLettersOf(transaction: Transaction, email: string): Promise<void> {
    await lockBilling(transaction);
    const emailKey = parseEmail(email)?.key ?? email;
    const of = { emailKey, reason: unconfirmedReason, limit: maxFollowing };
    await this.#applyDeadLetters(transaction, await repository.listDeadLettersOfEmail(transaction, of));
  }

  async #confirmEmail(transaction: Transaction, row: repository.BillingEventRow, by: AuditContext): Promise<void> {
    const { accounts, auditLog } = this.#deps;
    const account = row.email === null ? undefined : await accounts.findByEmail(row.email, transaction);
    if (!account || !(await accounts.confirmEmail(transaction, account.id))) return;
    await auditLog.record(transaction, { ...by, action: 'account.email_confirm', target: accountTarget(account.id) });
  }

  /** Applies the dead letters of a customer that wait for the email, or for the subscription. */
  async #applyFollowing(
    transaction: Transaction,
    { provider, customer_id }: repository.BillingEventRow,
    reason: string,
  ): Promise<void> {
    if (customer_id === null) return;
    const of = { provider, customerId: customer_id, reason, limit: maxFollowing };
    await this.#applyDeadLetters(transaction, await repository.listDeadLettersOfCustomer(transaction, of));
  }

  /** Applies the dead letters of payments of which it is known now what they were for. */
  async #applyRefundsOf(
    transaction: Transaction,
    { provider }: repository.BillingEventRow,
    links: readonly PaymentLink[],
  ): Promise<void> {
    const paymentIds = await this.#application.payments.listLeadingTo(transaction, provider, links);
    if (paymentIds.length === 0) return;
    const of = { provider, paymentIds, reason: unknownPaymentReason, limit: maxFollowing };
    await this.#applyDeadLetters(transaction, await repository.listDeadLettersOfPayments(transaction, of));
  }

  /** Those that still cannot be applied stay, as do those of a provider that is not configured. */
  async #applyDeadLetters(transaction: Transaction, ids: readonly string[], confirmsEmail = false): Promise<void> {
    const changed = new Map<string, repository.BillingEventRow>();
    for (const id of ids) {
      const row = await repository.lockDeadLetter(transaction, id);
      const provider = row && this.#findProvider(row);
      if (!provider || row.payload === null) continue;
      const source = { body: row.payload, eventId: row.event_id, receivedAtMs: row.received_at_ms };
      const isChanged = await this.#apply(transaction, row, readEvent(provider, source), confirmsEmail);
      if (isChanged) changed.set(JSON.stringify([row.provider, row.customer_id]), row);
    }
    for (const row of changed.values()) await this.#applyFollowing(transaction, row, unknownPaymentReason);
  }

  #findProvider({ provider }: repository.BillingEventRow): BillingProvider | undefined {
    return this.#deps.providers.find(({ name }) => name === provider);
  }

  /** Whether a subscription has changed: the refund of a customer's only one waits for that. */
  async #apply(
    transaction: Transaction,
    row: repository.BillingEventRow,
    event: BillingEvent,
    confirmsEmail = false,
  ): Promise<boolean> {
    const work = { provider: row.provider, event, nowMs: this.#deps.clock.now(), confirmsEmail };
    const outcome = await this.#application.apply(transaction, work);
    const payload = outcome.state === 'dead_letter' ? row.payload : null;
    await repository.setOutcome(transaction, row.id, { ...outcome, payload });
    return event.content.kind === 'subscription' && outcome.state === 'applied';
  }
}

/**
 * One event at a time: otherwise a subscription and its customer, or an event and the confirmation of its email, that come
 * at the same time would not see each other, and the event would stay a dead letter for ever.
 */
export function lockBilling(transaction: Transaction): Promise<void> {
  return lockByName(transaction, 'billing');
}

function readEvent(provider: BillingProvider, source: EventSource): BillingEvent {
  return provider.read(parseJson(source.body), source);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid JSON. Check its quotes, commas and brackets.');
  }
}

function customerOf({ content }: BillingEvent): string | null {
  switch (content.kind) {
    case 'customer':
      return content.customerId;
    case 'subscription':
      return content.change.customerId ?? null;
    case 'refund':
      return content.refund.customerId ?? null;
    default:
      return null;
  }
}

export function toRecord(row: repository.BillingEventRow): BillingEventRecord {
  return {
    id: row.id,
    provider: row.provider,
    event_id: row.event_id,
    type: row.type,
    state: row.state,
    reason: row.reason,
    email: row.email,
    event_at: toIso(row.event_at_ms),
    received_at: toIso(row.received_at_ms),
    payload: row.payload === null ? null : JSON.parse(row.payload),
  };
}
