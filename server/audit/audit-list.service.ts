/** The audit log as the admin page lists it. */
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import { findEntries } from './audit.repository.ts';
import { type AuditFilter, countListedEntries, listEntryIds } from './audit-list.repository.ts';
import { type AuditEntry, toEntry } from './audit-log.service.ts';

/** What the list is narrowed to; times in ISO 8601. */
export type AuditQuery = Pick<AuditFilter, 'search' | 'action' | 'actor' | 'target'> & {
  readonly since?: string;
  readonly until?: string;
};

export type AuditListServiceDeps = { readonly database: Pick<Database, 'read'> };

export class AuditListService {
  readonly #deps: AuditListServiceDeps;

  constructor(deps: AuditListServiceDeps) {
    this.#deps = deps;
  }

  async readPage(query: AuditQuery, page: PageRequest): Promise<{ rows: AuditEntry[]; next: string | null }> {
    const { read } = this.#deps.database;
    const { ids, next } = await listEntryIds(read, toFilter(query), page);
    const rows = ids.length === 0 ? [] : await findEntries(read, ids);
    return { rows: inOrderOf(ids, rows).map(toEntry), next };
  }

  count(query: AuditQuery): Promise<ListTotal> {
    return countListedEntries(this.#deps.database.read, toFilter(query));
  }
}

function toFilter({ since, until, ...filter }: AuditQuery): AuditFilter {
  return {
    ...filter,
    ...(since !== undefined && { sinceMs: Date.parse(since) }),
    ...(until !== undefined && { untilMs: Date.parse(until) }),
  };
}
