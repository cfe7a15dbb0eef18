/** The list of active devices of all licenses, by device id, device name or owner. */
import { sql } from 'kysely';
import type { DeviceRow, devicesQuery } from '../../shared/api/admin/devices.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, lowerBeginsWith, lowerText, searchBy } from '../database/list-page.ts';
import type { LicensedActivationRow } from './activation.repository.ts';
import { seenWithin } from './activation.rules.ts';
import { toLicensedDevice } from './describe-activation.ts';

type DeviceQuery = ListFilter<typeof devicesQuery>;

type DeviceListRow = LicensedActivationRow & { readonly user_id: string | null; readonly email: string | null };

/** Most recently activated first; a search is ordered by the searched text. */
export const deviceList: ListDefinition<DeviceQuery, DeviceListRow, DeviceRow> = {
  source: sourceOf,
  findRows: (executor, ids) =>
    executor
      .selectFrom('activations')
      .innerJoin('licenses', 'licenses.id', 'activations.license_id')
      .leftJoin('users', 'users.id', 'licenses.user_id')
      .selectAll('activations')
      .select(['licenses.key_preview', 'licenses.max_activations', 'licenses.user_id', 'users.email'])
      .where('activations.id', 'in', ids)
      .execute(),
  toItem: (row, nowMs) => {
    const { license_id, user_id, email } = row;
    return { ...toLicensedDevice(row, nowMs), license_id, user_id, email };
  },
};

function sourceOf(executor: Executor, { search = '', activity }: DeviceQuery, nowMs: number): ListSource {
  const text = search.trim();
  const seen = activity && seenWithin(activity, nowMs);
  const found = {
    id: sql.ref('activations.id'),
    filter: {
      columns: sql`activations.last_seen_at_ms as seen_ms`,
      conditions: [seen && sql`scanned.seen_ms > ${seen.fromMs} and scanned.seen_ms <= ${seen.toMs}`],
    },
  };
  const where = [sql`activations.released_at_ms is null`];
  const from = sql`activations`;
  if (text === '') return { from, where, ...found };
  if (text.includes('@')) {
    const owned = sql`users inner join licenses on licenses.user_id = users.id
      inner join activations on activations.license_id = licenses.id`;
    const prefix = toEmailKey(text);
    return { ...searchBy(executor, { from: owned, where, text: 'users.email_key', prefix }), ...found };
  }
  if (/^HW-[0-9A-F-]*$/i.test(text)) {
    const prefix = text.toUpperCase();
    return { ...searchBy(executor, { from, where, text: 'activations.device_id', prefix }), ...found };
  }
  const name = sql.ref('activations.device_name');
  const order = lowerText(executor, name);
  return { from, where: [...where, lowerBeginsWith(executor, name, text)], order, ...found };
}
