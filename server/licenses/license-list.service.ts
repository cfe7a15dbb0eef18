/** The licenses as the admin page lists them. */
import type { ListedLicense } from '../../shared/api/admin/licenses.ts';
import { normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import type { LicenseStatus } from '../database/tables.ts';
import { describeLicense } from './describe-license.ts';
import {
  countLicenses,
  countLicensesOf,
  findListedLicenses,
  type LicenseFilter,
  type LicenseSearch,
  type LicenseTotals,
  listLicenseIds,
} from './license-list.repository.ts';

/** What the list is narrowed to. */
export type LicenseQuery = {
  /** The beginning of a key preview or of the owner's email address, or a whole key. */
  readonly search?: string;
  readonly status?: LicenseStatus;
  readonly plan?: string;
  /** The email address of the owner. */
  readonly account?: string;
};

export type LicenseListServiceDeps = {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
};

export class LicenseListService {
  readonly #deps: LicenseListServiceDeps;

  constructor(deps: LicenseListServiceDeps) {
    this.#deps = deps;
  }

  async readPage(query: LicenseQuery, page: PageRequest): Promise<{ rows: ListedLicense[]; next: string | null }> {
    const { database, clock } = this.#deps;
    const { ids, next } = await listLicenseIds(database.read, this.#filter(query), page);
    const nowMs = clock.now();
    const rows = await findListedLicenses(database.read, ids, nowMs);
    return { rows: inOrderOf(ids, rows).map((row) => describeLicense(row, row.activations, nowMs)), next };
  }

  count(query: LicenseQuery): Promise<ListTotal> {
    return countLicenses(this.#deps.database.read, this.#filter(query));
  }

  /** Of an account by its id. */
  totalsOf(userId: string): Promise<LicenseTotals> {
    return countLicensesOf(this.#deps.database.read, userId);
  }

  #filter({ search, account, ...query }: LicenseQuery): LicenseFilter {
    const text = search?.trim() ?? '';
    return {
      ...query,
      nowMs: this.#deps.clock.now(),
      ...(text && { search: parseSearch(text) }),
      ...(account !== undefined && { account: emailKey(account) }),
    };
  }
}

function parseSearch(text: string): LicenseSearch {
  const key = normalizeLicenseKey(text);
  if (key !== null) return { preview: previewLicenseKey(key) };
  const upperCase = text.toUpperCase();
  if (isBeginningOfPreview(upperCase)) return { preview: upperCase };
  return { email: emailKey(text) };
}

/** As `parseEmail` makes it, also of what is no whole address. */
function emailKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** `SVC-`, and then some of `AB12...WXYZ`. */
function isBeginningOfPreview(text: string): boolean {
  return /^SVC-[0-9A-Z]{0,4}(?:(?<=-.{4})\.{1,3}(?:(?<=\.{3})[0-9A-Z]{0,4})?)?$/.test(text);
}
