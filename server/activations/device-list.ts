/** The list of active devices of all licenses, by device id, device name or owner. */
import { expressionBuilder } from 'kysely';
import type { DeviceRow, devicesQuery } from '../../shared/api/admin/devices.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, listRows, lowerBeginsWith, lowerText, searchRows } from '../database/list-page.ts';
import type { Tables } from '../database/tables.ts';
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

const eb = expressionBuilder<Tables, 'activations'>();

function sourceOf(executor: Executor, { search: text = '', activity }: DeviceQuery, nowMs: number): ListSource {
  const seen = activity && seenWithin(activity, nowMs);
  const [seenAt, id] = ['activations.last_seen_at_ms', 'activations.id'] as const;
  const filter = [seen && eb.and([eb(seenAt, '>', seen.fromMs), eb(seenAt, '<=', seen.toMs)])];
  const rows = executor.selectFrom('activations').where('activations.released_at_ms', 'is', null);
  if (text === '') return listRows({ rows, id, filter });
  if (text.includes('@')) {
    const owned = rows
      .innerJoin('licenses', 'licenses.id', 'activations.license_id')
      .innerJoin('users', 'users.id', 'licenses.user_id');
    return searchRows(executor, { rows: owned, text: 'users.email_key', prefix: toEmailKey(text), id, filter });
  }
  if (/^HW-[0-9A-F-]*$/i.test(text)) {
    return searchRows(executor, { rows, text: 'activations.device_id', prefix: text.toUpperCase(), id, filter });
  }
  const name = eb.ref('activations.device_name');
  const named = rows.where(lowerBeginsWith(executor, name, text));
  return listRows({ rows: named, id, filter, order: lowerText(executor, name) });
}
