/** Replaces the key of a license because the old one was lost or leaked. Devices stay active. */
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Language } from '../../shared/ipc/language.ts';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { countPlacesInUse } from '../activations/activation.rules.ts';
import { type AuditContext, byUser, licenseTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Reauthentication } from '../auth/reauthentication.ts';
import type { Client } from '../auth/signed-in-user.ts';
import type { Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import type { IdempotentRequest, IdempotentResponseService } from '../idempotency/idempotent-response.service.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import { changeLicense, type LicenseRow, lockAndFindLicense } from './license.repository.ts';
import { chooseMainLicense, readLicenseStatus, toLicense } from './license.rules.ts';
import { type IssuedLicense, type LicenseAdminService, unknownLicense } from './license-admin.service.ts';
import { type LicenseKeyHasher, newLicenseKey } from './license-key-hash.ts';

type LicenseKeyReplacementDeps = AuditedDeps & {
  readonly licenseKeyHasher: LicenseKeyHasher;
  readonly accounts: AccountService;
  readonly accountSnapshots: SnapshotCache;
  readonly passwords: PasswordService;
  readonly reauthentication: Reauthentication;
  readonly licenseAdmin: LicenseAdminService;
  readonly outbox: EventOutbox;
  readonly mailQueue: MailQueueService;
  readonly idempotentResponses: IdempotentResponseService;
};

/** Request of a user to replace the key of one of their own licenses. */
type OwnReplacement = {
  readonly userId: string;
  readonly password: string;
  /** Default: the license that `/subscription/status` returns. */
  readonly licenseId: string | undefined;
  readonly client: Client;
  /** Repeating this request within 10 minutes does not replace the key again. */
  readonly idempotent: IdempotentRequest | undefined;
};

/** Request of an admin to replace the key of any license. */
type AdminReplacement = {
  /** True to mail the new key to the owner; otherwise the owner is only notified. */
  readonly send: boolean;
  readonly language: Language;
  /** Repeating this request within 10 minutes does not replace the key again. */
  readonly idempotent?: IdempotentRequest | undefined;
};

type Replacement = { readonly license: LicenseRow; readonly licenseKey: string; readonly by: AuditContext };

export class LicenseKeyReplacementService {
  readonly #deps: LicenseKeyReplacementDeps;

  constructor(deps: LicenseKeyReplacementDeps) {
    this.#deps = deps;
  }

  /**
   * Replaces the key of a license of the user. From the commit on, the old key gets LICENSE_NOT_FOUND; the new one is
   * returned only now, and when the request is repeated. The owner is notified by a mail that contains neither key.
   * Throws `ApiError` INVALID_CREDENTIALS, RATE_LIMITED, LICENSE_NOT_FOUND if there is no such license, if it is another
   * user's, or if its key was replaced again before this request was repeated; LICENSE_INACTIVE for a revoked one.
   */
  async replaceOwn({ userId, password, licenseId, client, idempotent }: OwnReplacement) {
    const { database, random, clock, accountSnapshots, passwords, reauthentication, idempotentResponses } = this.#deps;
    const { address, language } = client;
    const login = await reauthentication.verify({ userId, password, address });
    return database.write(async (transaction) => {
      await passwords.confirmLogin(transaction, login);
      const readOwn = async () => (await accountSnapshots.readAccount(transaction, userId))?.licenses ?? [];
      const { id, licenseKey } = await idempotentResponses.once(transaction, idempotent, async () => {
        const own = await readOwn();
        const chosen =
          licenseId === undefined ? chooseMainLicense(own, clock.now()) : own.find(({ id }) => id === licenseId);
        const license = chosen && (await lockAndFindLicense(transaction, chosen.id));
        if (license?.user_id !== userId) {
          throw new ApiError('LICENSE_NOT_FOUND', 'This account has no such license.');
        }
        if (license.status === 'revoked') throw new ApiError('LICENSE_INACTIVE', 'This license was revoked.');
        const created = newLicenseKey(random);
        await this.#replace(transaction, { license, licenseKey: created, by: byUser(userId, address) }, language);
        return { id: license.id, licenseKey: created };
      });
      const license = (await readOwn()).find((each) => each.id === id);
      if (license?.key_preview !== previewLicenseKey(licenseKey)) {
        throw new ApiError('LICENSE_NOT_FOUND', 'The key of this license was replaced again in the meantime.');
      }
      const nowMs = clock.now();
      return {
        license_key: licenseKey,
        license: toLicense(license, readLicenseStatus(license, nowMs), countPlacesInUse(license, nowMs)),
      };
    });
  }

  /**
   * Replaces the key for an admin. Throws `ApiError` NOT_FOUND, VALIDATION_ERROR if the key cannot be mailed, and
   * CONFLICT for a revoked license, or if the key was replaced again before this request was repeated.
   */
  async replace(
    id: string,
    { send, language, idempotent }: AdminReplacement,
    by: AuditContext,
  ): Promise<IssuedLicense> {
    const { database, random, mailQueue, licenseAdmin, idempotentResponses } = this.#deps;
    if (send) mailQueue.requireAvailable();
    const licenseKey = await database.write((transaction) =>
      idempotentResponses.once(transaction, idempotent, async () => {
        const created = newLicenseKey(random);
        const license = await lockAndFindLicense(transaction, id);
        if (!license) throw unknownLicense();
        if (license.status === 'revoked') throw new ApiError('CONFLICT', 'This license was revoked.');
        const replacement = { license, licenseKey: created, by };
        const replaced = await this.#replace(transaction, replacement, send ? undefined : language);
        if (send) await licenseAdmin.mailKey(transaction, replaced, { licenseKey: created, language });
        return created;
      }),
    );
    return licenseAdmin.describeIssued(id, licenseKey);
  }

  /** Replaces the key. The owner gets a mail only if a language is passed. */
  async #replace(
    transaction: Transaction,
    { license, licenseKey, by }: Replacement,
    language: Language | undefined,
  ): Promise<LicenseRow> {
    const { clock, licenseKeyHasher, auditLog, outbox, accounts, mailQueue } = this.#deps;
    const { id, user_id: userId, plan, key_preview: before } = license;
    const change = {
      key_hash: licenseKeyHasher.hash(licenseKey),
      key_preview: previewLicenseKey(licenseKey),
      updated_at_ms: clock.now(),
    };
    await changeLicense(transaction, id, change);
    await auditLog.record(transaction, {
      ...by,
      action: 'license.replace_key',
      target: licenseTarget({ id, key_preview: change.key_preview }),
      details: { before },
    });
    const data = { license_id: id, key_preview: change.key_preview, plan, key_preview_before: before };
    await outbox.add(transaction, { type: 'license.key_replaced', userId, data });
    const owner = userId === null || language === undefined ? undefined : await accounts.findById(userId, transaction);
    if (owner && language !== undefined) {
      await mailQueue.add(transaction, { kind: 'license_key_replaced', email: owner.email, language, plan });
    }
    return { ...license, ...change };
  }
}
