/** Imports licenses of another system whose keys continue to work, whatever their form. */
import { licenseStatuses } from '../../shared/api/subscription.ts';
import { maxDeviceCount } from '../../shared/formats/plan-fields.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Account } from '../accounts/account.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import { type Fields, planRow, type RowImporter, type RowPlan, readExpiry } from '../import/row-importer.ts';
import type { PlanService, Plans } from '../plans/plan.service.ts';
import { OrderedUuids } from '../random.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import { findExistingHashes, insertLicenses, type LicenseRow } from './license.repository.ts';
import { defaultPlan } from './license-admin.service.ts';
import { licenseIssued } from './license-events.ts';
import { canonicalLicenseKey, type LicenseKeyHasher, previewImportedKey } from './license-key-hash.ts';

type LicenseImportServiceDeps = CommonDeps & {
  readonly licenseKeyHasher: LicenseKeyHasher;
  readonly outbox: EventOutbox;
  readonly accounts: AccountService;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
};

/** Records that the rows of a batch refer to. */
type Lookups = {
  readonly owners: ReadonlyMap<string, Account>;
  readonly plansOfUsers: ReadonlyMap<string, string>;
  readonly plans: Plans;
};

const existsAlready = 'A license with this key exists already.';
const unassigned =
  'Imported without an owner: nobody has confirmed the address of this account, so somebody else may have signed up with it. The first account that activates the license with its key becomes its owner.';

type ReadLicense = { readonly row: LicenseRow; readonly warning: string | undefined };

export class LicenseImportService implements RowImporter<LicenseRow> {
  readonly columns = ['license_key', 'email', 'plan', 'status', 'max_activations', 'expires_at'];
  readonly requiredColumns = ['license_key'];
  readonly duplicateRefusal = existsAlready;
  readonly #deps: LicenseImportServiceDeps;
  /** Ordered ids, so that lists show the licenses in the order of the file. */
  readonly #ids: OrderedUuids;

  constructor(deps: LicenseImportServiceDeps) {
    this.#deps = deps;
    this.#ids = new OrderedUuids(deps.random);
  }

  async plan(executor: Executor, rows: readonly Fields[]): Promise<RowPlan<LicenseRow>[]> {
    const lookups = await this.#lookUp(executor, rows);
    const plans = rows.map((fields) =>
      planRow(() => {
        const { row, warning } = this.#toRow(fields, lookups);
        return { key: row.key_hash, row, warning };
      }),
    );
    const existing = await findExistingHashes(
      executor,
      plans.flatMap((plan) => ('key' in plan ? plan.key : [])),
    );
    return plans.map((plan) => ('key' in plan && existing.has(plan.key) ? { refusal: existsAlready } : plan));
  }

  async insert(transaction: Transaction, rows: readonly LicenseRow[]): Promise<void> {
    await insertLicenses(transaction, rows);
    await this.#deps.outbox.addAll(transaction, rows.map(licenseIssued));
  }

  async #lookUp(executor: Executor, rows: readonly Fields[]): Promise<Lookups> {
    const { accounts, plans, subscriptions } = this.#deps;
    const emails = rows.flatMap(({ email }) => email || []);
    const owners = await accounts.findByEmails(executor, emails);
    const userIds = [...owners.values()].map(({ id }) => id);
    const plansOfUsers = await subscriptions.findPlans(executor, userIds);
    return { owners, plansOfUsers, plans: await plans.readAll(executor) };
  }

  #toRow(fields: Fields, { owners, plansOfUsers, plans }: Lookups): ReadLicense {
    const { clock, licenseKeyHasher, accounts } = this.#deps;
    const { email = '', max_activations = '', expires_at = '' } = fields;
    const licenseKey = canonicalLicenseKey(fields.license_key ?? '');
    if (licenseKey === undefined)
      throw refuse('license_key must have 1 to 4000 characters, and no control characters.');
    const owner = email === '' ? undefined : owners.get(email);
    if (email !== '' && owner === undefined) throw new ApiError('USER_NOT_FOUND');
    const userId = owner && accounts.mayReceiveByEmail(owner) ? owner.id : undefined;
    const planName = fields.plan || (userId && plansOfUsers.get(userId)) || defaultPlan;
    const plan = plans.get(planName);
    if (!plan) throw refuse(`There is no plan named "${planName}".`);
    const nowMs = clock.now();
    const row = {
      id: this.#ids.next(nowMs),
      key_hash: licenseKeyHasher.hash(licenseKey),
      key_preview: previewImportedKey(licenseKey),
      user_id: userId ?? null,
      plan: plan.name,
      status: readStatus(fields.status || 'active'),
      max_activations: max_activations === '' ? plan.max_devices : readLimit(max_activations),
      expires_at_ms: expires_at === '' ? null : readExpiry(expires_at),
      updates_until_ms: null,
      with_subscription: 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      noticed_lead_ms: null,
    } as const;
    return { row, warning: owner && userId === undefined ? unassigned : undefined };
  }
}

function refuse(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message);
}

function readStatus(text: string): LicenseStatus {
  const status = licenseStatuses.find((known) => known === text.toLowerCase());
  if (!status) throw refuse(`status must be one of: ${licenseStatuses.join(', ')}.`);
  return status;
}

function readLimit(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= maxDeviceCount) return Number(text);
  throw refuse(`max_activations must be a whole number from 0 to ${maxDeviceCount}.`);
}
