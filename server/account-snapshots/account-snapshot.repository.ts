/** Loads snapshots of accounts, licenses and API keys, each with one prepared query. */
import type { Expression, ExpressionBuilder, RawBuilder, SelectQueryBuilder } from 'kysely';
import { jsonArrayFrom as postgresArray } from 'kysely/helpers/postgres';
import { jsonArrayFrom as sqliteArray } from 'kysely/helpers/sqlite';
import type { Executor } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { isPostgres } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import type { AccountSnapshot, ApiKeySnapshot, LicenseSnapshot, SubscriptionSnapshot } from './account-snapshot.ts';

/** How far back releases of devices are loaded: the 30 days that rules look at, and a day in case the clock is set back. */
const releasesMs = 31 * 24 * 60 * 60 * 1000;

const subscriptionColumns = [
  'subscriptions.id',
  'subscriptions.by_typed_email',
  'subscriptions.plan',
  'subscriptions.status',
  'subscriptions.current_period_start_ms',
  'subscriptions.current_period_end_ms',
  'subscriptions.cancel_at_period_end',
] as const;

const licenseColumns = [
  'licenses.id',
  'licenses.user_id',
  'licenses.key_hash',
  'licenses.key_preview',
  'licenses.plan',
  'licenses.status',
  'licenses.max_activations',
  'licenses.expires_at_ms',
  'licenses.with_subscription',
  'licenses.created_at_ms',
] as const;

const activationColumns = [
  'activations.id',
  'activations.license_id',
  'activations.device_id',
  'activations.last_seen_at_ms',
  'activations.released_at_ms',
  'activations.lease_expires_at_ms',
] as const;

type LicenseRow = Pick<Tables['licenses'], Exclude<keyof LicenseSnapshot, 'active' | 'released'>>;
type ActivationRow = Pick<
  Tables['activations'],
  'id' | 'license_id' | 'device_id' | 'last_seen_at_ms' | 'released_at_ms' | 'lease_expires_at_ms'
>;

/** SQLite returns JSON as text. */
type Json<Row> = string | readonly Row[];

const findAccount = prepareQuery((executor, account: { userId: string; sinceMs: number }) =>
  selectAccounts(executor, account.sinceMs).where('users.id', '=', account.userId),
);

function selectAccounts(executor: Executor, sinceMs: number) {
  return executor
    .selectFrom('users')
    .select(['users.id', 'users.password_changed_at_ms'])
    .select((query) => [
      jsonArray<SubscriptionSnapshot>(
        executor,
        query
          .selectFrom('subscriptions')
          .select(subscriptionColumns)
          .whereRef('subscriptions.user_id', '=', 'users.id')
          .where('subscriptions.is_replaced', '=', 0),
      ).as('subscriptions'),
      jsonArray<LicenseRow>(
        executor,
        query.selectFrom('licenses').select(licenseColumns).whereRef('licenses.user_id', '=', 'users.id'),
      ).as('licenses'),
      jsonArray<ActivationRow>(
        executor,
        query
          .selectFrom('licenses')
          .innerJoin('activations', 'activations.license_id', 'licenses.id')
          .select(activationColumns)
          .whereRef('licenses.user_id', '=', 'users.id')
          .where((condition) => isOfInterest(condition, sinceMs)),
      ).as('activations'),
    ]);
}

type AccountRow = {
  readonly id: string;
  readonly password_changed_at_ms: number;
  readonly subscriptions: Json<SubscriptionSnapshot>;
  readonly licenses: Json<LicenseRow>;
  readonly activations: Json<ActivationRow>;
};

const findLicense = prepareQuery((executor, license: { keyHash: string; sinceMs: number }) =>
  selectLicenses(executor, license.sinceMs).where('licenses.key_hash', '=', license.keyHash),
);

function selectLicenses(executor: Executor, sinceMs: number) {
  return executor
    .selectFrom('licenses')
    .select(licenseColumns)
    .select((query) =>
      jsonArray<ActivationRow>(
        executor,
        query
          .selectFrom('activations')
          .select(activationColumns)
          .whereRef('activations.license_id', '=', 'licenses.id')
          .where((condition) => isOfInterest(condition, sinceMs)),
      ).as('activations'),
    );
}

/** Active, or released since then, or with a lease that ended since then. */
function isOfInterest({ or, eb }: ExpressionBuilder<Tables, 'activations'>, sinceMs: number) {
  return or([
    eb('activations.released_at_ms', 'is', null),
    eb('activations.released_at_ms', '>', sinceMs),
    eb('activations.lease_expires_at_ms', '>', sinceMs),
  ]);
}

function jsonArray<Row>(executor: Executor, rows: Expression<unknown>): RawBuilder<Json<Row>> {
  const query = rows as SelectQueryBuilder<Tables, keyof Tables, object>;
  return (isPostgres(executor) ? postgresArray(query) : sqliteArray(query)) as unknown as RawBuilder<Json<Row>>;
}

function parseJson<Row>(json: Json<Row>): readonly Row[] {
  return typeof json === 'string' ? (JSON.parse(json) as Row[]) : json;
}

/** `undefined` if there is no such account. */
export async function loadAccount(
  executor: Executor,
  { userId, nowMs }: { readonly userId: string; readonly nowMs: number },
): Promise<AccountSnapshot | undefined> {
  const row = await findAccount.first(executor, { userId, sinceMs: nowMs - releasesMs });
  return row && toAccount(row);
}

export type SnapshotPage = {
  /** Left out: of any plan. */
  readonly plans?: readonly string[] | undefined;
  /** The id of the last one of the page before. */
  readonly after: string;
  readonly limit: number;
  readonly nowMs: number;
};

/** The accounts that have a subscription or a license of one of the plans, in the order of their ids. */
export async function listAccounts(
  executor: Executor,
  { plans, after, limit, nowMs }: SnapshotPage,
): Promise<AccountSnapshot[]> {
  let query = selectAccounts(executor, nowMs - releasesMs);
  if (plans) {
    query = query.where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('subscriptions')
            .select('subscriptions.id')
            .whereRef('subscriptions.user_id', '=', 'users.id')
            .where('subscriptions.plan', 'in', plans),
        ),
        exists(
          selectFrom('licenses')
            .select('licenses.id')
            .whereRef('licenses.user_id', '=', 'users.id')
            .where('licenses.plan', 'in', plans),
        ),
      ]),
    );
  }
  const rows = await query.where('users.id', '>', after).orderBy('users.id').limit(limit).execute();
  return rows.map(toAccount);
}

/** The licenses of one of the plans that have no owner yet, in the order of their ids. */
export async function listUnclaimedLicenses(
  executor: Executor,
  { plans, after, limit, nowMs }: SnapshotPage,
): Promise<LicenseSnapshot[]> {
  let query = selectLicenses(executor, nowMs - releasesMs).where('licenses.user_id', 'is', null);
  if (plans) query = query.where('licenses.plan', 'in', plans);
  const rows = await query.where('licenses.id', '>', after).orderBy('licenses.id').limit(limit).execute();
  return rows.map(({ activations, ...license }) => toLicense(license, parseJson(activations)));
}

function toAccount(row: AccountRow): AccountSnapshot {
  const ofLicenses = Map.groupBy(parseJson(row.activations), ({ license_id }) => license_id);
  return {
    userId: row.id,
    passwordChangedAtMs: row.password_changed_at_ms,
    subscriptions: parseJson(row.subscriptions),
    licenses: parseJson(row.licenses)
      .map((license) => toLicense(license, ofLicenses.get(license.id) ?? []))
      .sort((a, b) => b.created_at_ms - a.created_at_ms || (a.id < b.id ? 1 : -1)),
    sessions: new Set(),
  };
}

/** The license with this hash, of any owner or without one. */
export async function loadLicense(
  executor: Executor,
  { keyHash, nowMs }: { readonly keyHash: string; readonly nowMs: number },
): Promise<LicenseSnapshot | undefined> {
  const row = await findLicense.first(executor, { keyHash, sinceMs: nowMs - releasesMs });
  if (!row) return undefined;
  const { activations, ...license } = row;
  return toLicense(license, parseJson(activations));
}

function toLicense(license: LicenseRow, activations: readonly ActivationRow[]): LicenseSnapshot {
  return {
    ...license,
    active: activations
      .filter(({ released_at_ms }) => released_at_ms === null)
      .map(({ id, device_id, last_seen_at_ms, lease_expires_at_ms }) => ({
        id,
        deviceId: device_id,
        lastSeenAtMs: last_seen_at_ms,
        leaseEndMs: lease_expires_at_ms,
      })),
    released: activations.flatMap(({ device_id, released_at_ms, lease_expires_at_ms }) =>
      released_at_ms === null
        ? []
        : [{ deviceId: device_id, releasedAtMs: released_at_ms, leaseEndMs: lease_expires_at_ms }],
    ),
  };
}

const findSession = prepareQuery(
  (executor, session: { sessionId: string; userId: string; passwordChangedAtMs: number }) =>
    executor
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('users.id')
      .where('sessions.id', '=', session.sessionId)
      .where('users.id', '=', session.userId)
      .where('users.password_changed_at_ms', '=', session.passwordChangedAtMs)
      .where('sessions.revoked_at_ms', 'is', null),
);

/** Whether the user has this session, and has had no other password since. */
export async function hasSession(
  executor: Executor,
  session: { readonly sessionId: string; readonly userId: string; readonly passwordChangedAtMs: number },
): Promise<boolean> {
  return (await findSession.first(executor, session)) !== undefined;
}

const findApiKey = prepareQuery((executor, key: { hash: string }) =>
  executor
    .selectFrom('api_keys')
    .select(['api_keys.user_id', 'api_keys.is_legacy', 'api_keys.legacy_expires_at_ms'])
    .select((query) =>
      jsonArray<ApiKeySnapshot['subscriptions'][number]>(
        executor,
        query
          .selectFrom('subscriptions')
          .select([
            'subscriptions.id',
            'subscriptions.by_typed_email',
            'subscriptions.plan',
            'subscriptions.status',
            'subscriptions.current_period_end_ms',
          ])
          .whereRef('subscriptions.user_id', '=', 'api_keys.user_id')
          .where('subscriptions.is_replaced', '=', 0),
      ).as('subscriptions'),
    )
    .where('api_keys.revoked_at_ms', 'is', null)
    .where('api_keys.key_hash', '=', key.hash),
);

/** The current API key with this hash, of any account. */
export async function loadApiKey(executor: Executor, hash: string): Promise<ApiKeySnapshot | undefined> {
  const row = await findApiKey.first(executor, { hash });
  if (!row) return undefined;
  const { user_id: userId, is_legacy, legacy_expires_at_ms, subscriptions } = row;
  return { userId, is_legacy, legacy_expires_at_ms, subscriptions: parseJson(subscriptions) };
}
