/** Loads snapshots of accounts, licenses and API keys, each with one prepared query. */
import type { ExpressionBuilder, RawBuilder, SelectQueryBuilder } from 'kysely';
import { jsonArrayFrom as postgresArray } from 'kysely/helpers/postgres';
import { jsonArrayFrom as sqliteArray } from 'kysely/helpers/sqlite';
import { dayMs } from '../clock.ts';
import { type Executor, isPostgres } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { oneOf } from '../database/queries.ts';
import { notReplaced } from '../database/subscription-in-force.ts';
import type { Tables } from '../database/tables.ts';
import {
  type AccountSnapshot,
  type ApiKeySnapshot,
  accessColumns,
  type Columns,
  type LicenseSnapshot,
  licenseColumns,
  subscriptionColumns,
} from './account-snapshot.ts';

/**
 * How far back releases of devices are loaded: the 30 days that rules consider, plus a day in case the clock is set
 * back.
 */
const releasesMs = 31 * dayMs;

const activationColumns = [
  'activations.id',
  'activations.license_id',
  'activations.device_id',
  'activations.last_seen_at_ms',
  'activations.released_at_ms',
  'activations.lease_expires_at_ms',
] as const;

type LicenseRow = Columns<'licenses', typeof licenseColumns>;
type ActivationRow = Columns<'activations', typeof activationColumns>;

/** SQLite returns JSON as text. */
type Json<Row> = string | readonly Row[];

const loadAccountQuery = prepareQuery((executor, account: { userId: string; sinceMs: number }) =>
  executor
    .selectFrom('users')
    .select('users.password_changed_at_ms')
    .select((query) => [
      jsonArray(
        executor,
        query
          .selectFrom('subscriptions')
          .select(subscriptionColumns)
          .whereRef('subscriptions.user_id', '=', 'users.id')
          .where('subscriptions.is_replaced', '=', notReplaced),
      ).as('subscriptions'),
      jsonArray(
        executor,
        query.selectFrom('licenses').select(licenseColumns).whereRef('licenses.user_id', '=', 'users.id'),
      ).as('licenses'),
      jsonArray(
        executor,
        query
          .selectFrom('licenses')
          .innerJoin('activations', 'activations.license_id', 'licenses.id')
          .select(activationColumns)
          .whereRef('licenses.user_id', '=', 'users.id')
          .where((condition) => isOfInterest(condition, account.sinceMs)),
      ).as('activations'),
    ])
    .where('users.id', '=', account.userId),
);

const loadLicenseQuery = prepareQuery((executor, license: { keyHash: string; sinceMs: number }) =>
  executor
    .selectFrom('licenses')
    .select(licenseColumns)
    .select((query) =>
      jsonArray(
        executor,
        query
          .selectFrom('activations')
          .select(activationColumns)
          .whereRef('activations.license_id', '=', 'licenses.id')
          .where((condition) => isOfInterest(condition, license.sinceMs)),
      ).as('activations'),
    )
    .where('licenses.key_hash', '=', license.keyHash),
);

/** Selects activations that are active, were released since then, or have a lease that ended since then. */
function isOfInterest({ or, eb }: ExpressionBuilder<Tables, 'activations'>, sinceMs: number) {
  return or([
    eb('activations.released_at_ms', 'is', null),
    eb('activations.released_at_ms', '>', sinceMs),
    eb('activations.lease_expires_at_ms', '>', sinceMs),
  ]);
}

/** Returns the rows as one value. The columns are text and numbers, which JSON preserves. */
function jsonArray<Table extends keyof Tables, Row>(
  executor: Executor,
  rows: SelectQueryBuilder<Tables, Table, Row>,
): RawBuilder<Json<Row>> {
  const array: RawBuilder<unknown> = isPostgres(executor) ? postgresArray(rows) : sqliteArray(rows);
  return array as RawBuilder<Json<Row>>;
}

function parseJson<Row>(json: Json<Row>): readonly Row[] {
  return typeof json === 'string' ? (JSON.parse(json) as Row[]) : json;
}

/** Returns `undefined` if there is no such account. */
export async function loadAccount(
  executor: Executor,
  { userId, nowMs }: { readonly userId: string; readonly nowMs: number },
): Promise<AccountSnapshot | undefined> {
  const row = await loadAccountQuery.first(executor, { userId, sinceMs: nowMs - releasesMs });
  if (!row) return undefined;
  const ofLicenses = Map.groupBy(parseJson(row.activations), ({ license_id }) => license_id);
  return {
    userId,
    passwordChangedAtMs: row.password_changed_at_ms,
    subscriptions: parseJson(row.subscriptions),
    licenses: newestFirst(
      parseJson(row.licenses).map((license) => toLicense(license, ofLicenses.get(license.id) ?? [])),
    ),
    sessions: new Set(),
  };
}

/** Returns the license with this hash, whether or not it has an owner. */
export async function loadLicense(
  executor: Executor,
  { keyHash, nowMs }: { readonly keyHash: string; readonly nowMs: number },
): Promise<LicenseSnapshot | undefined> {
  const row = await loadLicenseQuery.first(executor, { keyHash, sinceMs: nowMs - releasesMs });
  if (!row) return undefined;
  const { activations, ...license } = row;
  return toLicense(license, parseJson(activations));
}

type SnapshotsById = { readonly ids: readonly string[]; readonly nowMs: number };

/**
 * Returns those of the accounts that exist. This is not one consistent read: what changes meanwhile is read either
 * before or after its change.
 *
 * One query per table: PostgreSQL without fresh statistics needs longer than a read may take for the single query of
 * `loadAccount` over 100,000 accounts.
 */
export async function loadAccounts(executor: Executor, { ids, nowMs }: SnapshotsById): Promise<AccountSnapshot[]> {
  const users = await executor
    .selectFrom('users')
    .select(['users.id', 'users.password_changed_at_ms'])
    .where('users.id', ...oneOf(executor, ids))
    .execute();
  const subscriptions = await executor
    .selectFrom('subscriptions')
    .select(['subscriptions.user_id', ...subscriptionColumns])
    .where('subscriptions.user_id', ...oneOf(executor, ids))
    .where('subscriptions.is_replaced', '=', notReplaced)
    .execute();
  const ofUsers = Map.groupBy(subscriptions, ({ user_id }) => user_id);
  const licenses = await loadLicensesWhere(executor, { column: 'user_id', ids, nowMs });
  const licensesOf = Map.groupBy(licenses, ({ user_id }) => user_id);
  return users.map(({ id, password_changed_at_ms }) => ({
    userId: id,
    passwordChangedAtMs: password_changed_at_ms,
    subscriptions: (ofUsers.get(id) ?? []).map(({ user_id: _of, ...subscription }) => subscription),
    licenses: newestFirst(licensesOf.get(id) ?? []),
    sessions: new Set(),
  }));
}

/** Returns those of the licenses that exist. */
export function loadLicenses(executor: Executor, of: SnapshotsById): Promise<LicenseSnapshot[]> {
  return loadLicensesWhere(executor, { ...of, column: 'id' });
}

async function loadLicensesWhere(
  executor: Executor,
  { column, ids, nowMs }: SnapshotsById & { readonly column: 'id' | 'user_id' },
): Promise<LicenseSnapshot[]> {
  const licenses = await executor
    .selectFrom('licenses')
    .select(licenseColumns)
    .where(`licenses.${column}`, ...oneOf(executor, ids))
    .execute();
  const licenseIds = licenses.map(({ id }) => id);
  const activations = await executor
    .selectFrom('activations')
    .select(activationColumns)
    .where('activations.license_id', ...oneOf(executor, licenseIds))
    .where((condition) => isOfInterest(condition, nowMs - releasesMs))
    .execute();
  const ofLicenses = Map.groupBy(activations, ({ license_id }) => license_id);
  return licenses.map((license) => toLicense(license, ofLicenses.get(license.id) ?? []));
}

/** `after` is the last id of the previous page. */
type IdPage = { readonly after: string; readonly limit: number };

/** Lists the ids of all accounts, in order. */
export async function listAccountIds(executor: Executor, { after, limit }: IdPage): Promise<string[]> {
  const ids = executor.selectFrom('users').select('id').where('id', '>', after).orderBy('id').limit(limit);
  return (await ids.execute()).map(({ id }) => id);
}

/** Lists the ids of the accounts that have a subscription of the plan, in order. */
export async function listSubscriberIds(
  executor: Executor,
  { plan, after, limit }: IdPage & { readonly plan: string },
): Promise<string[]> {
  const rows = await executor
    .selectFrom('subscriptions')
    .select('user_id')
    .distinct()
    .where('plan', '=', plan)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Lists the licenses of the plan with their owners, ordered by license id. */
export function listLicenseOwners(
  executor: Executor,
  { plan, after, limit }: IdPage & { readonly plan: string },
): Promise<Pick<Tables['licenses'], 'id' | 'user_id'>[]> {
  return executor
    .selectFrom('licenses')
    .select(['id', 'user_id'])
    .where('plan', '=', plan)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

function newestFirst(licenses: LicenseSnapshot[]): LicenseSnapshot[] {
  return licenses.sort((a, b) => b.created_at_ms - a.created_at_ms || (a.id < b.id ? 1 : -1));
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

const findSessionQuery = prepareQuery(
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

/** Returns true if the user has this session and has not changed the password since. */
export async function hasSession(
  executor: Executor,
  session: { readonly sessionId: string; readonly userId: string; readonly passwordChangedAtMs: number },
): Promise<boolean> {
  return (await findSessionQuery.first(executor, session)) !== undefined;
}

const loadApiKeyQuery = prepareQuery((executor, key: { hash: string }) =>
  executor
    .selectFrom('api_keys')
    .select(['api_keys.user_id', 'api_keys.is_legacy', 'api_keys.legacy_expires_at_ms'])
    .select((query) =>
      jsonArray(
        executor,
        query
          .selectFrom('subscriptions')
          .select(accessColumns)
          .whereRef('subscriptions.user_id', '=', 'api_keys.user_id')
          .where('subscriptions.is_replaced', '=', notReplaced),
      ).as('subscriptions'),
    )
    .where('api_keys.revoked_at_ms', 'is', null)
    .where('api_keys.key_hash', '=', key.hash),
);

/** Returns the current API key with this hash, of any account. */
export async function loadApiKey(executor: Executor, hash: string): Promise<ApiKeySnapshot | undefined> {
  const row = await loadApiKeyQuery.first(executor, { hash });
  if (!row) return undefined;
  const { user_id: userId, is_legacy, legacy_expires_at_ms, subscriptions } = row;
  return { userId, is_legacy, legacy_expires_at_ms, subscriptions: parseJson(subscriptions) };
}
