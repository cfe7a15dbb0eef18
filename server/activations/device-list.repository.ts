/** The active devices of all licenses as a list: by device id, device name or owner. */
import { sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import {
  beginsWith,
  binary,
  countRows,
  type IdPage,
  type ListSource,
  type ListTotal,
  lowerBeginsWith,
  type PageRequest,
  readIdPage,
} from '../database/list-page.ts';
import type { LicensedActivationRow } from './activation.repository.ts';

/** What is searched: the beginning of a device id, of a device name, or of the owner's email address. */
export type DeviceSearch = { readonly deviceId: string } | { readonly name: string } | { readonly email: string };

export type DeviceFilter = {
  readonly search?: DeviceSearch;
  /** Last seen within these times. */
  readonly seen?: { readonly fromMs: number; readonly toMs: number };
};

/** Last activated first; a search in the order of what is searched. */
export function listDeviceIds(executor: Executor, filter: DeviceFilter, page: PageRequest): Promise<IdPage> {
  return readIdPage(executor, sourceOf(executor, filter), page);
}

export function countDevices(executor: Executor, filter: DeviceFilter): Promise<ListTotal> {
  return countRows(executor, sourceOf(executor, filter));
}

export type DeviceListRow = LicensedActivationRow & {
  readonly user_id: string | null;
  readonly email: string | null;
};

/** The devices with these activation ids, in any order. */
export async function findListedDevices(executor: Executor, ids: readonly string[]): Promise<DeviceListRow[]> {
  if (ids.length === 0) return [];
  return executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .leftJoin('users', 'users.id', 'licenses.user_id')
    .selectAll('activations')
    .select(['licenses.key_preview', 'licenses.max_activations', 'licenses.user_id', 'users.email'])
    .where('activations.id', 'in', ids)
    .execute();
}

function sourceOf(executor: Executor, { search, seen }: DeviceFilter): ListSource {
  const filter = {
    columns: sql`activations.last_seen_at_ms as seen_ms`,
    condition: sql`scanned.seen_ms > ${seen?.fromMs} and scanned.seen_ms <= ${seen?.toMs}`,
  };
  const found = { id: sql.ref('activations.id'), ...(seen && { filter }) };
  const isActive = sql`activations.released_at_ms is null`;
  if (!search) return { from: sql`activations where ${isActive}`, ...found };
  if ('email' in search) {
    const order = binary(executor, sql.ref('users.email_key'));
    const owned = sql`users inner join licenses on licenses.user_id = users.id
      inner join activations on activations.license_id = licenses.id`;
    return { from: sql`${owned} where ${isActive} and ${beginsWith(order, search.email)}`, order, ...found };
  }
  if ('deviceId' in search) {
    const order = binary(executor, sql.ref('activations.device_id'));
    return { from: sql`activations where ${isActive} and ${beginsWith(order, search.deviceId)}`, order, ...found };
  }
  const order = binary(executor, sql`lower(activations.device_name)`);
  return { from: sql`activations where ${isActive} and ${lowerBeginsWith(order, search.name)}`, order, ...found };
}
