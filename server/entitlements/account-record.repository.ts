/** Loads the records of accounts and API keys that are cached, each with one prepared query. */
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { jsonArrayFrom as postgresArray } from 'kysely/helpers/postgres';
import { jsonArrayFrom as sqliteArray } from 'kysely/helpers/sqlite';
import type { Executor } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { isPostgres } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import type { AccountRecord, ApiKeyRecord, LicenseRecord, SubscriptionRecord } from './account-record.ts';

/** The licenses of an account are not loaded if there are more of them, or more active and recently released devices. */
const maxLicenses = 100;
const maxActivations = 500;
/** Nobody pays for so many. */
const maxSubscriptions = 100;
/** Part of the SQL: SQLite parses a query again in each execution if a parameter is the limit of its subquery. */
const limits = {
  subscriptions: sql.lit(maxSubscriptions),
  licenses: sql.lit(maxLicenses + 1),
  activations: sql.lit(maxActivations + 1),
};

const subscriptionColumns = [
  'subscriptions.id',
  'subscriptions.plan',
  'subscriptions.status',
  'subscriptions.current_period_start_ms',
  'subscriptions.current_period_end_ms',
  'subscriptions.cancel_at_period_end',
] as const;

const licenseColumns = [
  'licenses.id',
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

type LicenseRow = Omit<LicenseRecord, 'active' | 'released'>;
type ActivationRow = Pick<
  Tables['activations'],
  'id' | 'license_id' | 'device_id' | 'last_seen_at_ms' | 'released_at_ms' | 'lease_expires_at_ms'
>;

/** SQLite returns JSON as text. */
type Json<Row> = string | readonly Row[];

const findAccount = prepareQuery((executor, account: { userId: string; releasesSinceMs: number }) =>
  executor
    .selectFrom('users')
    .select('users.password_changed_at_ms')
    .select((query) => [
      jsonArray<SubscriptionRecord>(
        executor,
        query
          .selectFrom('subscriptions')
          .select(subscriptionColumns)
          .whereRef('subscriptions.user_id', '=', 'users.id')
          .where('subscriptions.is_replaced', '=', 0)
          .limit(limits.subscriptions),
      ).as('subscriptions'),
      jsonArray<LicenseRow>(
        executor,
        query
          .selectFrom('licenses')
          .select(licenseColumns)
          .whereRef('licenses.user_id', '=', 'users.id')
          .limit(limits.licenses),
      ).as('licenses'),
      jsonArray<ActivationRow>(
        executor,
        query
          .selectFrom('licenses')
          .innerJoin('activations', 'activations.license_id', 'licenses.id')
          .select(activationColumns)
          .whereRef('licenses.user_id', '=', 'users.id')
          .where(({ or, eb }) =>
            or([
              eb('activations.released_at_ms', 'is', null),
              eb('activations.released_at_ms', '>', account.releasesSinceMs),
              eb('activations.lease_expires_at_ms', '>', account.releasesSinceMs),
            ]),
          )
          .limit(limits.activations),
      ).as('activations'),
    ])
    .where('users.id', '=', account.userId),
);

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
  account: { readonly userId: string; readonly releasesSinceMs: number },
): Promise<AccountRecord | undefined> {
  const row = await findAccount.first(executor, account);
  if (!row) return undefined;
  const { password_changed_at_ms, subscriptions, licenses, activations } = row;
  return {
    ...account,
    passwordChangedAtMs: password_changed_at_ms,
    subscriptions: parseJson(subscriptions),
    licenses: groupLicenses(parseJson(licenses), parseJson(activations)),
    sessions: new Set(),
  };
}

function groupLicenses(
  licenses: readonly LicenseRow[],
  activations: readonly ActivationRow[],
): readonly LicenseRecord[] | undefined {
  if (licenses.length > maxLicenses || activations.length > maxActivations) return undefined;
  return licenses
    .map((license) => {
      const ofLicense = activations.filter(({ license_id }) => license_id === license.id);
      return {
        ...license,
        active: ofLicense
          .filter(({ released_at_ms }) => released_at_ms === null)
          .map(({ id, device_id, last_seen_at_ms }) => ({ id, deviceId: device_id, lastSeenAtMs: last_seen_at_ms })),
        released: ofLicense.flatMap(({ device_id, released_at_ms, lease_expires_at_ms }) =>
          released_at_ms === null
            ? []
            : [{ deviceId: device_id, releasedAtMs: released_at_ms, leaseEndMs: lease_expires_at_ms }],
        ),
      };
    })
    .sort((a, b) => b.created_at_ms - a.created_at_ms || (a.id < b.id ? 1 : -1));
}

const findSession = prepareQuery(
  (executor, session: { sessionId: string; userId: string; passwordChangedAtMs: number }) =>
    executor
      .selectFrom('refresh_families')
      .innerJoin('users', 'users.id', 'refresh_families.user_id')
      .select('users.id')
      .where('refresh_families.id', '=', session.sessionId)
      .where('users.id', '=', session.userId)
      .where('users.password_changed_at_ms', '=', session.passwordChangedAtMs)
      .where('refresh_families.revoked_at_ms', 'is', null),
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
      jsonArray<ApiKeyRecord['subscriptions'][number]>(
        executor,
        query
          .selectFrom('subscriptions')
          .select([
            'subscriptions.id',
            'subscriptions.plan',
            'subscriptions.status',
            'subscriptions.current_period_end_ms',
          ])
          .whereRef('subscriptions.user_id', '=', 'api_keys.user_id')
          .where('subscriptions.is_replaced', '=', 0)
          .limit(limits.subscriptions),
      ).as('subscriptions'),
    )
    .where('api_keys.revoked_at_ms', 'is', null)
    .where('api_keys.key_hash', '=', key.hash),
);

/** The current API key with this hash, of any account. */
export async function loadApiKey(executor: Executor, hash: string): Promise<ApiKeyRecord | undefined> {
  const row = await findApiKey.first(executor, { hash });
  if (!row) return undefined;
  const { user_id: userId, is_legacy, legacy_expires_at_ms, subscriptions } = row;
  return { userId, is_legacy, legacy_expires_at_ms, subscriptions: parseJson(subscriptions) };
}
