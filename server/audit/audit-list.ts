/** The entries of the audit log as a list, by time, action, actor or record. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { auditQuery } from '../../shared/api/admin/audit.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, listRows, lowerBeginsWith } from '../database/list-page.ts';
import type { Tables } from '../database/tables.ts';
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

const eb = expressionBuilder<Tables, 'audit_events'>();

function sourceOf(executor: Executor, { search, action, actor, target, since, until }: AuditQuery): ListSource {
  const beginsWith = (column: 'actor' | 'target_label', text: string) =>
    lowerBeginsWith(executor, eb.ref(column), text);
  const entries = executor
    .selectFrom('audit_events')
    .where('id', '>=', lowestUuid(since === undefined ? 0 : Date.parse(since)));
  return listRows({
    rows: until ? entries.where('id', '<', lowestUuid(Date.parse(until))) : entries,
    id: 'audit_events.id',
    // These are not indexed, because an index would slow down every recorded write.
    filter: [
      action && isAction(action),
      actor && sql<SqlBool>`lower(${eb.ref('actor')}) = lower(cast(${actor} as text))`,
      target && eb('target_id', '=', target),
      search && eb.or([beginsWith('actor', search), beginsWith('target_label', search)]),
    ],
  });
}

function isAction(action: string): Expression<SqlBool> {
  if (action.includes('.')) return eb('action', '=', action);
  return sql<SqlBool>`substr(${eb.ref('action')}, 1, ${action.length + 1}) = ${`${action}.`}`;
}
