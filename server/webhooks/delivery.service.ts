/**
 * Delivers queued events to their endpoints. Each is attempted by one process at a time, until it succeeds or fails for
 * good.
 */
import { byServer } from '../audit/audit-event.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { signWebhook } from '../webhook-signature.ts';
import * as repository from './delivery.repository.ts';
import { type AttemptResult, decideNextAttempt, readResult } from './delivery.rules.ts';
import type { SendEvent } from './http-sender.ts';
import { listEnabledWebhooks, type WebhookRow } from './webhook.repository.ts';
import type { WebhookService } from './webhook.service.ts';
import { createEndpointBox } from './webhook-endpoint.ts';

type DeliveryServiceDeps = Pick<CommonDeps, 'database' | 'secrets' | 'clock' | 'random' | 'scheduler'> & {
  readonly webhooks: WebhookService;
  readonly send: SendEvent;
  /** Maximum number of deliveries waiting for an endpoint. */
  readonly maxWaiting?: number;
};

/** Number of concurrent attempts per endpoint. */
const attemptsAtOnce = 10;
/**
 * Time that a process reserves a delivery for, longer than an attempt takes. If the process is killed, the delivery is
 * attempted again after that.
 */
const claimMs = 20_000;
/** How long attempts may continue while the server stops. */
const stopMs = 2000;
const defaultMaxWaiting = 100_000;
/** Maximum number of rows that one write changes. */
const batchSize = 500;
/** Maximum number of rows that `listExcess` returns: many, because each call reads everything that is waiting. */
const foundAtOnce = 20 * batchSize;
const gone = 'The endpoint answered 410 (Gone).';
const tooMany = 'Too many events were waiting for the endpoint.';

export class DeliveryService {
  readonly #deps: DeliveryServiceDeps;
  readonly #box: SecretBox;
  /** Running deliveries, by endpoint id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  #isStopped = false;

  constructor(deps: DeliveryServiceDeps) {
    this.#deps = deps;
    this.#box = createEndpointBox(deps.secrets);
  }

  /**
   * Starts due deliveries, separately for each endpoint, so that a slow one delays no other. Resolves once they have
   * started; `onError` receives later errors.
   */
  async begin(onError: (error: unknown) => void): Promise<void> {
    const { database, clock } = this.#deps;
    const due = await repository.listDueWebhooks(database.read, clock.now());
    for (const endpoint of due) {
      if (this.#running.has(endpoint.id) || this.#isStopped) continue;
      const running = this.#deliverTo(endpoint)
        .catch(onError)
        .finally(() => this.#running.delete(endpoint.id));
      this.#running.set(endpoint.id, running);
    }
  }

  /** Resolves when all running attempts are over. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Starts no more attempts and aborts those that take too long; they are repeated after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const cancel = this.#deps.scheduler.timeout(stopMs, () => this.#abort.abort());
    await this.idle();
    cancel();
  }

  /**
   * Fails deliveries of endpoints with more than the maximum waiting, as `listExcess` selects them, and those that were
   * queued or replayed while their endpoint was being disabled. Returns how many.
   */
  async dropExcess(): Promise<number> {
    const { database, maxWaiting = defaultMaxWaiting } = this.#deps;
    const waitingByEndpoint = await repository.countWaiting(database.read);
    // Read after the counts, so that an endpoint added in between is not mistaken for a disabled one.
    const enabled = new Set((await listEnabledWebhooks(database.read)).map(({ id }) => id));
    let dropped = 0;
    for (const [endpointId, waiting] of waitingByEndpoint) {
      const [keep, error] = enabled.has(endpointId) ? [maxWaiting, tooMany] : [0, gone];
      if (waiting > keep) dropped += await this.#dropBeyond(keep, endpointId, error);
    }
    return dropped;
  }

  async #dropBeyond(keep: number, endpointId: string, error: string): Promise<number> {
    const { database, clock } = this.#deps;
    let dropped = 0;
    let found: readonly string[];
    do {
      found = await repository.listExcess(database.read, { endpointId, keep, limit: foundAtOnce });
      for (let start = 0; start < found.length && !this.#isStopped; start += batchSize) {
        const ids = found.slice(start, start + batchSize);
        const end = { error, nowMs: clock.now() };
        dropped += await database.write((transaction) => repository.failWaiting(transaction, { ids }, end));
      }
    } while (found.length === foundAtOnce && !this.#isStopped);
    return dropped;
  }

  async #deliverTo(endpoint: WebhookRow): Promise<void> {
    const { database, clock } = this.#deps;
    const key = this.#box.decrypt(endpoint.encrypted_secret, endpoint.id);
    while (!this.#isStopped) {
      const nowMs = clock.now();
      const claim = { endpointId: endpoint.id, nowMs, untilMs: nowMs + claimMs, limit: attemptsAtOnce };
      const claimed = await database.write((transaction) => repository.claimDue(transaction, claim));
      if (claimed.length === 0) return;
      const outcomes = await Promise.all(claimed.map((delivery) => this.#attempt(endpoint, key, delivery)));
      if (outcomes.includes('gone')) return;
    }
  }

  async #attempt(endpoint: WebhookRow, key: Buffer, delivery: repository.DeliveryRow): Promise<'gone' | 'attempted'> {
    const { database, clock, webhooks, send } = this.#deps;
    const body = formatBody(delivery);
    const timestamp = Math.floor(clock.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': delivery.event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(key, { id: delivery.event_id, timestamp, body }),
    };
    const result = await send({ url: endpoint.url, headers, body, signal: this.#abort.signal });
    const outcome = this.#decideOutcome(delivery, result);
    const isGone = readResult(result) === 'gone';
    await database.write(async (transaction) => {
      // The endpoint is locked before its deliveries: other attempts may have got the same answer.
      if (isGone) await webhooks.disable(transaction, endpoint, { reason: gone, by: byServer });
      await repository.saveOutcome(transaction, delivery, outcome);
      if (!isGone) return;
      const end = { error: gone, nowMs: clock.now() };
      await repository.failWaiting(transaction, { endpointId: endpoint.id }, end);
    });
    return isGone ? 'gone' : 'attempted';
  }

  #decideOutcome(
    { attempts, give_up_at_ms, next_attempt_at_ms }: repository.DeliveryRow,
    result: AttemptResult,
  ): repository.Outcome {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const response_status = result.kind === 'response' ? result.status : null;
    const error = result.kind === 'error' ? result.message : null;
    const answer = { response_status, error, next_attempt_at_ms };
    const read = readResult(result);
    if (read === 'delivered') return { ...answer, state: 'delivered', ended_at_ms: nowMs };
    if (read === 'gone') return { ...answer, state: 'failed', error: gone, ended_at_ms: nowMs };
    const failed = { attempts, nowMs, giveUpAtMs: give_up_at_ms, random: random(1).readUInt8() / 255 };
    const nextMs = decideNextAttempt(failed);
    if (nextMs === undefined) return { ...answer, state: 'failed', ended_at_ms: nowMs };
    return { ...answer, state: 'pending', next_attempt_at_ms: nextMs, ended_at_ms: null };
  }
}

/** Returns the body, which is the same for every attempt. */
function formatBody({ type, at_ms, data, account_id, email }: repository.DeliveryRow): string {
  return JSON.stringify({ type, timestamp: toIso(at_ms), data: { account_id, email, ...JSON.parse(data) } });
}
