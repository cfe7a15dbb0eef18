/** The entries of the audit log as a list, by time, action, actor or record. */
import { sql } from 'kysely';
import type { auditQuery } from '../../shared/api/admin/audit.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, lowerBeginsWith } from '../database/list-page.ts';
import { lowestUuid } from '../random.ts';
import { findEntries } from './audit.repository.ts';
import type { EntryRow } from './audit-chain.rules.ts';
import { type AuditEntry, toEntry } from './audit-log.service.ts';

export type AuditQuery = ListFilter<typeof auditQuery>;

/** Newest first. */
export const auditList: ListDefinition<AuditQuery, EntryRow, AuditEntry> = {
  source: sourceOf,
  findRows: findEntries,
  toItem: toEntry,
};

/** The same entries, as stored. */
export const auditRowList: ListDefinition<AuditQuery, EntryRow, EntryRow> = { ...auditList, toItem: (row) => row };

function sourceOf(executor: Executor, { search, action, actor, target, since, until }: AuditQuery): ListSource {
  const columns = sql`audit_events.action as action, audit_events.actor as actor,
    audit_events.target_id as target_id, audit_events.target_label as label`;
  const isSearched = (text: string) =>
    sql`((${lowerBeginsWith(executor, sql`scanned.actor`, text)}) or (${lowerBeginsWith(executor, sql`scanned.label`, text)}))`;
  // These are not indexed, because an index would slow down every recorded write.
  const conditions = [
    action && isAction(action),
    actor && sql`lower(scanned.actor) = lower(cast(${actor} as text))`,
    target && sql`scanned.target_id = ${target}`,
    search && isSearched(search),
  ];
  return {
    from: sql`audit_events`,
    where: [
      sql`audit_events.id >= ${lowestUuid(since === undefined ? 0 : Date.parse(since))}`,
      until && sql`audit_events.id < ${lowestUuid(Date.parse(until))}`,
    ],
    id: sql.ref('audit_events.id'),
    filter: { columns, conditions },
  };
}

function isAction(action: string) {
  if (action.includes('.')) return sql`scanned.action = ${action}`;
  return sql`substr(scanned.action, 1, ${action.length + 1}) = ${`${action}.`}`;
}
