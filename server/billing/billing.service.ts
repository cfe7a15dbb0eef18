/**
 * Billing: subscriptions follow the events of billing providers. Events that cannot be applied yet become dead letters,
 * which staff can see.
 */
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { isUuid, OrderedUuids } from '../random.ts';
import * as repository from './billing.repository.ts';
import type { BillingEvent, BillingProvider, EventSource, PaymentLink } from './billing-event.ts';
import {
  BillingEventHandler,
  type BillingEventHandlerDeps,
  byProvider,
  unconfirmedReason,
  unknownEmailReason,
} from './billing-event-handler.ts';
import { DeadLetters, type Wait } from './dead-letters.ts';
import { limitDepth } from './payload.ts';
import { unknownPaymentReason } from './payment-handler.ts';

type BillingServiceDeps = BillingEventHandlerDeps &
  AuditedDeps & {
    /** The configured providers. */
    readonly providers: readonly BillingProvider[];
  };

export class BillingService {
  readonly #deps: BillingServiceDeps;
  readonly #eventHandler: BillingEventHandler;
  readonly #deadLetters: DeadLetters;
  /** Ordered, so that events are listed in the order in which they arrived. */
  readonly #ids: OrderedUuids;

  constructor(deps: BillingServiceDeps) {
    this.#deps = deps;
    this.#eventHandler = new BillingEventHandler(deps);
    this.#ids = new OrderedUuids(deps.random);
    const { database } = deps;
    const apply = (transaction: Transaction, id: string) => this.#applyDeadLetter(transaction, id);
    this.#deadLetters = new DeadLetters({ database, apply }, [
      { reason: unconfirmedReason, of: 'confirmed emails' },
      { reason: unknownEmailReason, of: 'known customers' },
      { reason: unknownPaymentReason, of: 'known payments' },
    ]);
  }

  get providers(): readonly BillingProvider[] {
    return this.#deps.providers;
  }

  /**
   * Applies an event with a valid signature, exactly once however often it is sent. Throws `ApiError` VALIDATION_ERROR
   * if the body is not an event.
   */
  async receive(provider: BillingProvider, received: Omit<EventSource, 'receivedAtMs'>): Promise<void> {
    const { database, clock } = this.#deps;
    const receivedAtMs = clock.now();
    limitDepth(received.payload);
    const event = provider.read({ ...received, receivedAtMs });
    await database.write(async (transaction) => {
      await lockByName(transaction, 'billing');
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
        payload: received.body,
      };
      if (!(await repository.insertEvent(transaction, row))) return;
      const isMoreKnown = await this.#apply(transaction, row, event);
      await this.#deadLetters.apply(transaction, [
        isMoreKnown ? waitForCustomer(row, unknownPaymentReason) : undefined,
        event.content.kind === 'customer' ? waitForCustomer(row, unknownEmailReason) : undefined,
        'links' in event.content ? await this.#findRefundsOf(transaction, row, event.content.links ?? []) : undefined,
      ]);
    });
  }

  /**
   * Retries a dead letter, for example after its plan has been added. It may remain a dead letter; any other event is
   * left unchanged. With `confirmsEmail`, the event's email counts as confirmed for its account from then on. Other
   * events waiting for that are then applied too, and the subscription counts as the account's own. Throws `ApiError`
   * NOT_FOUND, or CONFLICT if its provider is not configured.
   */
  async retry(
    id: string,
    by: AuditContext,
    { confirmsEmail = false }: { readonly confirmsEmail?: boolean } = {},
  ): Promise<BillingEventRecord> {
    const { database, auditLog } = this.#deps;
    await database.write(async (transaction) => {
      await lockByName(transaction, 'billing');
      const row = isUuid(id) ? await repository.lockDeadLetter(transaction, id) : undefined;
      if (!row) return;
      if (confirmsEmail) await this.#confirmEmail(transaction, row, by);
      if (!this.#findProvider(row)) throw new ApiError('CONFLICT', `The secret of ${row.provider} is not set.`);
      await this.#deadLetters.apply(transaction, [
        await this.#applyDeadLetter(transaction, id, confirmsEmail),
        confirmsEmail && row.email !== null ? waitForEmail(row.email) : undefined,
      ]);
      const target = { kind: 'billing_event', id, label: row.event_id } as const;
      await auditLog.record(transaction, { ...by, action: 'billing.retry', target, details: { type: row.type } });
    });
    return this.#require(id);
  }

  /**
   * Dismisses a dead letter that should not be applied: its body is deleted, and it is never retried. Any other event
   * is left unchanged. Throws `ApiError` NOT_FOUND.
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

  /**
   * Applies the dead letters that were waiting for an email to be confirmed, within the write that records the
   * confirmation. If there are very many, the rest follows soon after.
   */
  async applyDeadLettersOf(transaction: Transaction, email: string): Promise<void> {
    await lockByName(transaction, 'billing');
    await this.#deadLetters.apply(transaction, [waitForEmail(email)]);
  }

  /**
   * Applies the dead letters left over by other writes, pausing after each write. Ends early if `pause` resolves to
   * false.
   */
  applyDeadLetters(pause: () => Promise<boolean>): Promise<void> {
    return this.#deadLetters.applyRest(pause);
  }

  async #confirmEmail(transaction: Transaction, row: repository.BillingEventRow, by: AuditContext): Promise<void> {
    const { accounts, auditLog } = this.#deps;
    const account = row.email === null ? undefined : await accounts.findByEmail(row.email, transaction);
    if (!account || !(await accounts.confirmEmail(transaction, account.id))) return;
    await auditLog.record(transaction, { ...by, action: 'account.email_confirm', target: accountTarget(account.id) });
  }

  /** Returns the waiting refunds whose payments these links make known. */
  async #findRefundsOf(
    transaction: Transaction,
    { provider }: repository.BillingEventRow,
    links: readonly PaymentLink[],
  ): Promise<Wait | undefined> {
    const paymentIds = await this.#eventHandler.payments.listLeadingTo(transaction, provider, links);
    return paymentIds.length === 0 ? undefined : { reason: unknownPaymentReason, of: { provider, paymentIds } };
  }

  /**
   * Retries a dead letter. It remains one if it still cannot be applied or its provider is not configured. Returns the
   * refunds that were waiting for its subscription.
   */
  async #applyDeadLetter(transaction: Transaction, id: string, confirmsEmail = false): Promise<Wait | undefined> {
    const row = await repository.lockDeadLetter(transaction, id);
    const provider = row && this.#findProvider(row);
    if (!provider || row.payload === null) return undefined;
    const event = readStored(provider, {
      body: row.payload,
      payload: JSON.parse(row.payload),
      eventId: row.event_id,
      receivedAtMs: row.received_at_ms,
    });
    if (!event) {
      const { state, email, payload } = row;
      await repository.setOutcome(transaction, id, { state, reason: unreadableReason, email, payload });
      return undefined;
    }
    const isMoreKnown = await this.#apply(transaction, row, event, confirmsEmail);
    return isMoreKnown ? waitForCustomer(row, unknownPaymentReason) : undefined;
  }

  #findProvider({ provider }: repository.BillingEventRow): BillingProvider | undefined {
    return this.#deps.providers.find(({ name }) => name === provider);
  }

  /** Returns whether more is known about a subscription, which the refund of its payment may be waiting for. */
  async #apply(
    transaction: Transaction,
    row: repository.BillingEventRow,
    event: BillingEvent,
    confirmsEmail = false,
  ): Promise<boolean> {
    const { provider } = row;
    const work = { provider, event, nowMs: this.#deps.clock.now(), by: byProvider(provider), confirmsEmail };
    const outcome = await this.#eventHandler.apply(transaction, work);
    const payload = outcome.state === 'dead_letter' ? row.payload : null;
    await repository.setOutcome(transaction, row.id, { ...outcome, payload });
    return event.content.kind === 'subscription' && outcome.state !== 'dead_letter';
  }
}

/** An event with this reason waits for nothing, so it blocks neither a confirmation nor other events. */
const unreadableReason = 'This version of the server cannot read the event.';

function waitForEmail(email: string): Wait {
  const emailKey = parseEmail(email)?.key ?? email;
  return { reason: unconfirmedReason, of: { emailKey } };
}

function waitForCustomer({ provider, customer_id }: repository.BillingEventRow, reason: string): Wait | undefined {
  return customer_id === null ? undefined : { reason, of: { provider, customerId: customer_id } };
}

/** Returns `undefined` for an event that an earlier version has stored and this version cannot read. */
function readStored(provider: BillingProvider, source: EventSource): BillingEvent | undefined {
  try {
    return provider.read(source);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
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
