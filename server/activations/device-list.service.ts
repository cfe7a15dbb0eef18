/** The devices on which licenses are activated, as the admin page lists them. */
import type { DeviceRow } from '../../shared/api/admin/devices.ts';
import type { DeviceActivity } from '../../shared/api/license.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import { readDeviceActivity, seenWithin } from './activation.rules.ts';
import {
  countDevices,
  type DeviceFilter,
  type DeviceListRow,
  type DeviceSearch,
  findListedDevices,
  listDeviceIds,
} from './device-list.repository.ts';

/** What the list is narrowed to. */
export type DeviceQuery = {
  /** The beginning of a device id, of a device name, or with @ of the owner's email address. */
  readonly search?: string;
  readonly activity?: DeviceActivity;
};

export type DeviceListServiceDeps = { readonly database: Pick<Database, 'read'>; readonly clock: Clock };

export class DeviceListService {
  readonly #deps: DeviceListServiceDeps;

  constructor(deps: DeviceListServiceDeps) {
    this.#deps = deps;
  }

  async readPage(query: DeviceQuery, page: PageRequest): Promise<{ rows: DeviceRow[]; next: string | null }> {
    const { database, clock } = this.#deps;
    const { ids, next } = await listDeviceIds(database.read, this.#filter(query), page);
    const rows = await findListedDevices(database.read, ids);
    return { rows: inOrderOf(ids, rows).map((row) => toRow(row, clock.now())), next };
  }

  count(query: DeviceQuery): Promise<ListTotal> {
    return countDevices(this.#deps.database.read, this.#filter(query));
  }

  #filter({ search, activity }: DeviceQuery): DeviceFilter {
    const text = search?.trim() ?? '';
    return {
      ...(text && { search: parseSearch(text) }),
      ...(activity && { seen: seenWithin(activity, this.#deps.clock.now()) }),
    };
  }
}

function parseSearch(text: string): DeviceSearch {
  if (text.includes('@')) return { email: text.normalize('NFC').toLowerCase() };
  return /^HW-[0-9A-F-]*$/i.test(text) ? { deviceId: text.toUpperCase() } : { name: text };
}

function toRow(row: DeviceListRow, nowMs: number): DeviceRow {
  return {
    activation_id: row.id,
    key_preview: row.key_preview,
    device_id: row.device_id,
    device_name: row.device_name,
    platform: row.platform,
    activated_at: toIso(row.activated_at_ms),
    last_seen_at: toIso(row.last_seen_at_ms),
    activity: readDeviceActivity(row.last_seen_at_ms, nowMs),
    license_id: row.license_id,
    user_id: row.user_id,
    email: row.email,
  };
}
