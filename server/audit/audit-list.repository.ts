/** The entries of the audit log as a list: by time, action, actor or record. */
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import {
  binary,
  countRows,
  type IdPage,
  type ListSource,
  type ListTotal,
  lowerBeginsWith,
  type PageRequest,
  readIdPage,
} from '../database/list-page.ts';
import { lowestUuid } from '../random.ts';

export type AuditFilter = {
  /** The beginning of the actor, or of what people know the record as. */
  readonly search?: string;
  /** `license.revoke`, or a noun alone. */
  readonly action?: string;
  readonly actor?: string;
  /** The id of the record. */
  readonly target?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
};

/** Newest first. */
export function listEntryIds(executor: Executor, filter: AuditFilter, page: PageRequest): Promise<IdPage> {
  return readIdPage(executor, sourceOf(executor, filter), page);
}

export function countListedEntries(executor: Executor, filter: AuditFilter): Promise<ListTotal> {
  return countRows(executor, sourceOf(executor, filter));
}

function sourceOf(executor: Executor, filter: AuditFilter): ListSource {
  const { sinceMs = 0, untilMs } = filter;
  const until = untilMs === undefined ? sql`` : sql` and audit_events.id < ${lowestUuid(untilMs)}`;
  const conditions = conditionsOf(executor, filter);
  return {
    from: sql`audit_events where audit_events.id >= ${lowestUuid(sinceMs)}${until}`,
    id: sql.ref('audit_events.id'),
    ...(conditions.length > 0 && { filter: { columns, condition: sql.join(conditions, sql` and `) } }),
  };
}

const columns = sql`audit_events.action as action, audit_events.actor as actor,
  audit_events.target_id as target_id, audit_events.target_label as label`;

/** No index has any of these: an index would cost every write that is recorded. */
function conditionsOf(executor: Executor, { search, action, actor, target }: AuditFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (action?.includes('.')) conditions.push(sql`scanned.action = ${action}`);
  else if (action !== undefined)
    conditions.push(sql`substr(scanned.action, 1, ${action.length + 1}) = ${`${action}.`}`);
  if (actor !== undefined) conditions.push(sql`lower(scanned.actor) = lower(cast(${actor} as text))`);
  if (target !== undefined) conditions.push(sql`scanned.target_id = ${target}`);
  if (search !== undefined) {
    const isActor = lowerBeginsWith(binary(executor, sql`lower(scanned.actor)`), search);
    const isLabel = lowerBeginsWith(binary(executor, sql`lower(scanned.label)`), search);
    conditions.push(sql`((${isActor}) or (${isLabel}))`);
  }
  return conditions;
}
