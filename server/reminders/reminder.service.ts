/**
 * Gives notice of ends: reminds accounts of upcoming ends by mail and event, and sends `license.expired` when a license
 * has ended. Each notice is given in the write that records it, by whichever process claims it.
 */

import type { AccountService } from '../accounts/account.service.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import type { ReminderKind } from '../database/tables.ts';
import { licenseBecame } from '../licenses/license-events.ts';
import type { MailOf } from '../mail/mail.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './reminder.repository.ts';
import { countDaysLeft, needsLicenseReminder, needsSubscriptionReminder } from './reminder.rules.ts';

type ReminderServiceDeps = CommonDeps & {
  readonly outbox: EventOutbox;
  readonly mailQueue: MailQueueService;
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly plans: PlanService;
};

/** Gives the notice for a due row. */
type GiveNotice<K extends ReminderKind> = (transaction: Transaction, row: repository.EndingRow<K>) => Promise<void>;

type Notice<K extends ReminderKind> = {
  readonly kind: K;
  readonly leadMs: number;
  readonly give: GiveNotice<K>;
};

type ReminderContent = Omit<MailOf<'reminder'>, 'kind' | 'email'>;

/** Rows per write, which then takes a few milliseconds. */
const batchSize = 100;

export class ReminderService {
  readonly #deps: ReminderServiceDeps;

  constructor(deps: ReminderServiceDeps) {
    this.#deps = deps;
  }

  /** Gives all due notices. `pause` is called after each batch and returns whether to continue. */
  async run(pause: () => Promise<boolean>): Promise<void> {
    const { outbox } = this.#deps;
    const queueExpired: GiveNotice<'license'> = (transaction, row) =>
      outbox.add(transaction, licenseBecame('expired', row));
    if (!(await this.#give({ kind: 'license', leadMs: 0, give: queueExpired }, pause))) return;
    // Shortest lead time first: after downtime, it is the only reminder sent.
    for (const leadMs of this.#deps.config.remindMs.toSorted((one, other) => one - other)) {
      const ofLicense: GiveNotice<'license'> = (transaction, row) => this.#remindOfLicense(transaction, row, leadMs);
      const ofSubscription: GiveNotice<'subscription'> = (transaction, row) =>
        this.#remindOfSubscription(transaction, row, leadMs);
      if (!(await this.#remind({ kind: 'license', leadMs, give: ofLicense }, pause))) return;
      if (!(await this.#remind({ kind: 'subscription', leadMs, give: ofSubscription }, pause))) return;
    }
  }

  /** Gives reminders. While there is nobody to notify, does nothing, and what is due stays due. */
  async #remind<K extends ReminderKind>(notice: Notice<K>, pause: () => Promise<boolean>): Promise<boolean> {
    const { database, mailQueue, outbox } = this.#deps;
    const isWanted = mailQueue.isOn || (await outbox.isWanted(database.read, `${notice.kind}.expiring`));
    return isWanted ? this.#give(notice, pause) : true;
  }

  /** Gives the notices in batches; returns false if stopped. */
  async #give<K extends ReminderKind>(
    { kind, leadMs, give }: Notice<K>,
    pause: () => Promise<boolean>,
  ): Promise<boolean> {
    const { database, clock } = this.#deps;
    for (const noticedMs of await repository.listNoticedLeads(database.read, kind, leadMs)) {
      const due = (): repository.DueQuery<K> => ({ kind, leadMs, noticedMs, nowMs: clock.now(), limit: batchSize });
      while ((await repository.listDue(database.read, { ...due(), limit: 1 })).length > 0) {
        const count = await database.write(async (transaction) => {
          const rows = await repository.claimDue(transaction, due());
          for (const row of rows) await give(transaction, row);
          await repository.markNoticed(transaction, kind, { ids: rows.map(({ id }) => id), leadMs });
          return rows.length;
        });
        // The remaining rows belong to another process or are being changed.
        if (count === 0) break;
        if (!(await pause())) return false;
      }
    }
    return true;
  }

  async #remindOfLicense(
    transaction: Transaction,
    row: repository.EndingRow<'license'>,
    leadMs: number,
  ): Promise<void> {
    const { clock, outbox, subscriptions } = this.#deps;
    const { id, user_id: userId, plan, key_preview, expires_at_ms: endsAtMs } = row;
    const nowMs = clock.now();
    const isDependent = row.with_subscription === 1 && userId !== null;
    const ofOwner = isDependent ? await subscriptions.listInUse(transaction, userId) : [];
    if (endsAtMs === null || !needsLicenseReminder(row, ofOwner, nowMs)) return;
    const reminder = { kind: 'license', subject_id: id, ends_at_ms: endsAtMs, lead_ms: leadMs, at_ms: nowMs } as const;
    if (!(await repository.recordReminder(transaction, reminder))) return;
    const end = { ends_at: toIso(endsAtMs), days_left: countDaysLeft(endsAtMs, nowMs) };
    const data = { license_id: id, key_preview, plan, ...end };
    await outbox.add(transaction, { type: 'license.expiring', userId, data });
    const mail = { plan, ends_at: end.ends_at, ending: { kind: 'license', key_preview } } as const;
    if (userId !== null) await this.#mail(transaction, userId, mail);
  }

  async #remindOfSubscription(
    transaction: Transaction,
    row: repository.EndingRow<'subscription'>,
    leadMs: number,
  ): Promise<void> {
    const { clock, outbox, plans, subscriptions } = this.#deps;
    const { id, user_id: userId, plan, status, current_period_end_ms: endsAtMs } = row;
    const nowMs = clock.now();
    const all = await subscriptions.listInUse(transaction, userId);
    if (!needsSubscriptionReminder(row, all, { featuresOf: await plans.loadFeatures(), nowMs })) return;
    const of = { kind: 'subscription', subject_id: id } as const;
    if (!(await repository.recordReminder(transaction, { ...of, ends_at_ms: endsAtMs, lead_ms: leadMs, at_ms: nowMs })))
      return;
    const end = { ends_at: toIso(endsAtMs), days_left: countDaysLeft(endsAtMs, nowMs) };
    const data = { subscription_id: id, plan, status, ...end };
    await outbox.add(transaction, { type: 'subscription.expiring', userId, data });
    const ending = { kind: status === 'trialing' ? 'trial' : 'subscription' } as const;
    await this.#mail(transaction, userId, { plan, ends_at: end.ends_at, ending });
  }

  async #mail(transaction: Transaction, userId: string, reminder: ReminderContent): Promise<void> {
    const { accounts, mailQueue } = this.#deps;
    const account = mailQueue.isOn ? await accounts.findById(userId, transaction) : undefined;
    if (account) await mailQueue.add(transaction, { kind: 'reminder', email: account.email, ...reminder });
  }
}
