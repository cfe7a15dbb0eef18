/**
 * Manages licenses for admins: issues and lists them, mails their keys, releases devices. `LicenseChangeService`
 * changes licenses.
 */
import type { z } from 'zod';
import type { LicenseRecord, sendLicenseRequest, sentLicense } from '../../shared/api/admin/licenses.ts';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Language } from '../../shared/ipc/language.ts';
import { requireEmail } from '../accounts/email.ts';
import type { ActivationService } from '../activations/activation.service.ts';
import { type AuditContext, licenseTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull, validateDate } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { rejectMissingAccount } from '../database/database-errors.ts';
import { type Page, type PageRequest, toPage } from '../database/list.ts';
import { ApiError } from '../errors.ts';
import type { IdempotentRequest, IdempotentResponseService } from '../idempotency/idempotent-response.service.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { PlanService } from '../plans/plan.service.ts';
import { newUuid } from '../random.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './license.repository.ts';
import { licenseIssued } from './license-events.ts';
import { type LicenseKeyHasher, newLicenseKey } from './license-key-hash.ts';
import { describeLicense } from './license-list.ts';

type LicenseIssue = {
  /** Owner. Without one, the license goes to the first user who activates it. */
  readonly userId?: string;
  /** Default: the plan of the owner's subscription, otherwise `standard`. */
  readonly plan?: string;
  /** Default: the plan's max_devices. */
  readonly maxActivations?: number;
  /** True if maxActivations may exceed the plan's max_devices. Default: true. */
  readonly mayExceedPlan?: boolean;
  /** Expiry in milliseconds since 1970, may be in the past. Default: never. */
  readonly expiresAtMs?: number;
  /** End of included updates in milliseconds since 1970. Default: every version of the app is included. */
  readonly updatesUntilMs?: number;
  /** True if the license is usable only while its owner's subscription gives access; requires a `userId`. */
  readonly withSubscription?: boolean;
  /** Mails the key to the owner. */
  readonly sendTo?: KeyRecipient | undefined;
  /** Repeating this request within 10 minutes issues no second license. */
  readonly idempotent?: IdempotentRequest | undefined;
};

/** Somebody with a known language, or the buyer, whose language is unknown and who may not have a password yet. */
type KeyRecipient = { readonly language: Language } | { readonly buyerId: string };

/** A new license. `license_key` is shown only now, because only its hash is stored. */
export type IssuedLicense = { readonly license_key: string; readonly license: LicenseRecord };

type LicenseAdminServiceDeps = AuditedDeps & {
  readonly licenseKeyHasher: LicenseKeyHasher;
  readonly outbox: EventOutbox;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly activations: ActivationService;
  readonly mailQueue: MailQueueService;
  readonly idempotentResponses: IdempotentResponseService;
};

type KeyMail = KeyRecipient & { readonly email: string; readonly licenseKey: string };

type NewLicense = { readonly issue: LicenseIssue; readonly licenseKey: string; readonly by: AuditContext };

/** Plan of a license whose owner has no subscription. */
export const defaultPlan = 'standard';

export class LicenseAdminService {
  readonly #deps: LicenseAdminServiceDeps;

  constructor(deps: LicenseAdminServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Issues a license. Throws `ApiError` VALIDATION_ERROR; FORBIDDEN for more devices than the issuer may grant;
   * NOT_FOUND for an unknown plan or an account that was deleted in the meantime; CONFLICT if the key was replaced
   * before this request was repeated.
   */
  async issue(issue: LicenseIssue, by: AuditContext): Promise<IssuedLicense> {
    const { database, random, mailQueue, idempotentResponses } = this.#deps;
    const { idempotent } = issue;
    validate(issue);
    if (issue.sendTo) mailQueue.requireAvailable();
    const issuing = database.write((transaction) => {
      const insert = async () => {
        const licenseKey = newLicenseKey(random);
        return { id: await this.#insert(transaction, { issue, licenseKey, by }), licenseKey };
      };
      return idempotentResponses.once(transaction, idempotent, insert);
    });
    const { id, licenseKey } = await issuing.catch(rejectMissingAccount);
    return this.describeIssued(id, licenseKey);
  }

  /**
   * Returns the license with its new key, which may have been created by an earlier request with the same
   * Idempotency-Key. Throws `ApiError` NOT_FOUND, CONFLICT if the key was replaced since.
   */
  async describeIssued(id: string, licenseKey: string): Promise<IssuedLicense> {
    const license = await this.get(id);
    if (license.key_preview === previewLicenseKey(licenseKey)) return { license_key: licenseKey, license };
    throw new ApiError('CONFLICT', 'The key of this license was replaced in the meantime.');
  }

  /** Issues a license within a write and returns its id. Without a mail server nobody gets the key. */
  async issueWithin(transaction: Transaction, issue: LicenseIssue, by: AuditContext): Promise<string> {
    validate(issue);
    return this.#insert(transaction, { issue, licenseKey: newLicenseKey(this.#deps.random), by });
  }

  /** Returns the licenses of a user, oldest first. */
  list(userId: string): Promise<LicenseRecord[]> {
    return this.#list({ userId });
  }

  /** Returns a page of all licenses, or of those of a user, oldest first. */
  async listPage(page: PageRequest, userId?: string): Promise<Page<LicenseRecord>> {
    return toPage(await this.#list({ userId, page }), page);
  }

  /** Returns the totals of the account with this id. */
  totalsOf(userId: string): Promise<repository.LicenseTotals> {
    return repository.countLicensesOf(this.#deps.database.read, userId);
  }

  /**
   * Releases the device from the license and frees its place at once, see `ActivationService.releaseDevice`. Throws
   * `ApiError` NOT_FOUND.
   */
  async release(licenseId: string, deviceId: string, by: AuditContext): Promise<LicenseRecord> {
    await this.get(licenseId);
    await this.#deps.activations.releaseDevice(licenseId, deviceId, by);
    return this.get(licenseId);
  }

  /** Returns the license with this id. Throws `ApiError` NOT_FOUND. */
  async get(licenseId: string): Promise<LicenseRecord> {
    const [license] = await this.#list({ licenseId });
    if (!license) throw unknownLicense();
    return license;
  }

  async #list(only: { userId?: string; licenseId?: string; page?: PageRequest }): Promise<LicenseRecord[]> {
    const { database, clock, activations } = this.#deps;
    const rows = await repository.listOwnedLicenses(database.read, only);
    const devicesOf = await activations.listByLicense(rows.map(({ id }) => id));
    return rows.map((row) => {
      const { active, kept } = devicesOf(row.id);
      const license = describeLicense(row, active.length + kept.length, clock.now());
      return { ...license, devices: active, ...(kept.length > 0 && { released_devices: kept }) };
    });
  }

  /**
   * Mails the key of a license to its owner or another address. The caller must supply the key. Throws `ApiError`
   * NOT_FOUND, LICENSE_NOT_FOUND for the key of another license, VALIDATION_ERROR.
   */
  async sendKey(
    licenseId: string,
    request: z.output<typeof sendLicenseRequest>,
    by: AuditContext,
  ): Promise<z.output<typeof sentLicense>> {
    const { database, licenseKeyHasher, auditLog, mailQueue } = this.#deps;
    mailQueue.requireAvailable();
    const { license_key: licenseKey, language } = request;
    const given = request.email === undefined ? undefined : requireEmail(request.email).address;
    return database.write(async (transaction) => {
      const row = await repository.lockAndFindLicense(transaction, licenseId);
      if (!row) throw unknownLicense();
      if (row.key_hash !== licenseKeyHasher.hashEntered(licenseKey)) {
        throw new ApiError('LICENSE_NOT_FOUND', 'This is not the key of the license.');
      }
      const email =
        given ?? (await requireOwnerEmail(transaction, row, 'email is required for a license without an owner.'));
      await this.#mail(transaction, row, { email, language, licenseKey });
      const target = licenseTarget({ id: licenseId, key_preview: row.key_preview });
      await auditLog.record(transaction, { ...by, action: 'license.send', target, details: { sent_to: email } });
      return { sent_to: email };
    });
  }

  /**
   * Mails the key to the owner of the license, within the write that creates it. Throws `ApiError` VALIDATION_ERROR for
   * a license without an owner.
   */
  async mailKey(
    transaction: Transaction,
    row: repository.LicenseRow,
    mail: { readonly licenseKey: string; readonly language: Language },
  ): Promise<void> {
    await this.#mail(transaction, row, { ...mail, email: await requireOwnerEmail(transaction, row) });
  }

  async #mail(transaction: Transaction, row: repository.LicenseRow, mail: KeyMail): Promise<void> {
    const { mailQueue, subscriptions } = this.#deps;
    const access = row.user_id === null ? undefined : await subscriptions.findAccess(row.user_id, transaction);
    const { email, licenseKey: license_key } = mail;
    const recipient =
      'buyerId' in mail
        ? ({ kind: 'purchase', email, user_id: mail.buyerId } as const)
        : ({ kind: 'license', email, language: mail.language } as const);
    await mailQueue.add(transaction, {
      ...recipient,
      license_key,
      plan: row.plan,
      max_activations: row.max_activations,
      expires_at: toIsoOrNull(row.expires_at_ms),
      ...(row.with_subscription === 1 && {
        subscription_until: access?.givesAccess ? access.subscription.current_period_end : null,
      }),
    });
  }

  async #insert(transaction: Transaction, { issue, licenseKey, by }: NewLicense): Promise<string> {
    const { clock, random, licenseKeyHasher, auditLog, outbox, plans, subscriptions } = this.#deps;
    const { userId, expiresAtMs, updatesUntilMs, maxActivations, mayExceedPlan = true, sendTo } = issue;
    const { withSubscription = false } = issue;
    const nowMs = clock.now();
    const access = userId === undefined ? undefined : await subscriptions.findAccess(userId, transaction);
    const plan = await plans.require(issue.plan ?? access?.subscription.plan ?? defaultPlan, transaction);
    if (!mayExceedPlan && maxActivations !== undefined && maxActivations > plan.max_devices) {
      const limit = `${plan.max_devices} ${plan.max_devices === 1 ? 'device' : 'devices'}`;
      throw new ApiError('FORBIDDEN', `The plan has ${limit}: only an owner may issue a license for more.`);
    }
    const id = newUuid(nowMs, random);
    const row = {
      id,
      key_hash: licenseKeyHasher.hash(licenseKey),
      key_preview: previewLicenseKey(licenseKey),
      user_id: userId ?? null,
      plan: plan.name,
      status: 'active',
      max_activations: maxActivations ?? plan.max_devices,
      expires_at_ms: expiresAtMs === undefined ? null : validateDate(expiresAtMs),
      updates_until_ms: updatesUntilMs === undefined ? null : validateDate(updatesUntilMs),
      with_subscription: withSubscription ? 1 : 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      noticed_lead_ms: null,
    } as const;
    await repository.insertLicense(transaction, row);
    await outbox.add(transaction, licenseIssued(row));
    const mail = sendTo && { ...sendTo, email: await requireOwnerEmail(transaction, row) };
    await auditLog.record(transaction, {
      ...by,
      action: 'license.issue',
      target: licenseTarget({ id, key_preview: row.key_preview }),
      details: {
        plan: row.plan,
        max_activations: row.max_activations,
        expires_at: toIsoOrNull(expiresAtMs),
        ...(updatesUntilMs !== undefined && { updates_until: toIso(updatesUntilMs) }),
        with_subscription: withSubscription,
        account_id: row.user_id,
        ...(mail && { sent_to: mail.email }),
      },
    });
    if (mail) await this.#mail(transaction, row, { ...mail, licenseKey });
    return id;
  }
}

function validate({ userId, withSubscription }: LicenseIssue): void {
  if (withSubscription && userId === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'A license that depends on a subscription must have an owner.');
  }
}

/**
 * Returns the present address of the license's owner, for a mail in the same write. Throws `ApiError` VALIDATION_ERROR
 * for a license without an owner.
 */
async function requireOwnerEmail(
  transaction: Transaction,
  { id }: repository.LicenseRow,
  message = 'The license has no owner to mail the key to.',
): Promise<string> {
  const [owned] = await repository.listOwnedLicenses(transaction, { licenseId: id });
  if (owned?.email) return owned.email;
  throw new ApiError('VALIDATION_ERROR', message);
}

/** Returns the error for an id that no license has. */
export function unknownLicense(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no license with this id.');
}
