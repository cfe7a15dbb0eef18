/** The devices on which licenses are activated, as the admin page lists them. */
import type { DeviceRow } from '../../shared/api/admin/devices.ts';
import type { DeviceActivity } from '../../shared/api/license.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import { seenWithin } from './activation.rules.ts';
import { toActivation } from './describe-activation.ts';
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
  const { license_id, user_id, email } = row;
  return { ...toActivation(row, nowMs), license_id, user_id, email };
}
