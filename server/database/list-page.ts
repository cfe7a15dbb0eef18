/**
 * Pages of long lists by keyset pagination: the cost of a page depends neither on the length of the list nor on its
 * position. Conditions that no index covers are checked on a bounded number of rows at a time, so a page may have few
 * rows, or none, without being the last.
 */
import { setImmediate } from 'node:timers/promises';
import {
  type AliasableExpression,
  type AliasedExpression,
  type Expression,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely';
import { type Executor, isPostgres } from './database.ts';
import type { ListTotal, PageRequest } from './list.ts';

/** Number of rows examined at once, and how long further rows are examined to fill a page. */
const partRows = 500;
const searchMs = 30;
/** Counting stops after this many rows. */
export const maxCounted = 1000;

/** The rows of a list, as a Kysely query. */
type ListRows<DB, TB extends keyof DB, Selected> = {
  /** Selects the rows by conditions that indexes cover, without columns, order or limit. */
  readonly rows: SelectQueryBuilder<DB, TB, Selected>;
  /** Id of a row. Without `order`, the rows with the greatest ids, which are the newest, come first. */
  readonly id: StringReference<DB, TB>;
  /** Text by which the rows are sorted; rows with the same text are sorted by id. */
  readonly order?: AliasableExpression<string>;
  /** Conditions that no index covers; those that do not apply are empty, as in `plan && eb('plan', '=', plan)`. */
  readonly filter: readonly (Expression<SqlBool> | '' | undefined)[];
};

/** Which rows a list has, and in which order. */
export type ListSource = {
  readonly isFiltered: boolean;
  /** Selects rows in the order of the list. */
  readonly select: (part: Part) => AliasedExpression<ScannedRow, 'scanned'>;
};

type Part = { readonly after?: Position | undefined; readonly limit: number; readonly offset?: number };

/** Where a row is in the list; `position` is the text by which it is sorted. */
type Position = { readonly id: string; readonly position: string | null };

/** `matches`: the filter is true for the row. */
type ScannedRow = Position & { readonly matches: SqlBool };

/** Makes a list of the rows of a query. */
export function listRows<DB, TB extends keyof DB, Selected>(list: ListRows<DB, TB, Selected>): ListSource {
  const eb = expressionBuilder<DB, TB>();
  const conditions = list.filter.filter((condition) => condition !== undefined && condition !== '');
  const [id, order] = [sql.ref<string>(list.id), list.order];
  const position: AliasableExpression<string | null> = order ?? sql<null>`null`;
  const scanned = list.rows
    .select([id.as('id'), position.as('position'), eb.and(conditions).as('matches')])
    .$castTo<ScannedRow>();
  const sorted = order ? scanned.orderBy(order).orderBy(id) : scanned.orderBy(id, 'desc');
  const isAfter = (after: Position) => {
    if (!order) return eb(id, '<', after.id);
    // The first condition lets the index on the text alone be used.
    const text = after.position ?? '';
    return eb.and([eb(order, '>=', text), eb.or([eb(order, '>', text), eb(id, '>', after.id)])]);
  };
  return {
    isFiltered: conditions.length > 0,
    select: ({ after, limit, offset = 0 }) => {
      const following = after ? sorted.where(isAfter(after)) : sorted;
      const part = following.limit(sql.lit(limit));
      return (offset > 0 ? part.offset(sql.lit(offset)) : part).as('scanned');
    },
  };
}

/** The row ids of a page, in order, and where the next page starts. */
type IdPage = { readonly ids: readonly string[]; readonly next: string | null };

/** Reads one page. */
export async function readIdPage(executor: Executor, source: ListSource, page: PageRequest): Promise<IdPage> {
  const startedAtMs = performance.now();
  const ids: string[] = [];
  let after = parseCursor(page.after);
  do {
    const { found, end } = await readPart(executor, source, { after, limit: page.limit + 1 - ids.length });
    const isFull = ids.length + found.length > page.limit;
    const shown = isFull ? found.slice(0, -1) : found;
    ids.push(...shown.map(({ id }) => id));
    if (isFull) return { ids, next: formatCursor(shown.at(-1) ?? after) };
    after = end;
    // Lets other requests run in between.
    await setImmediate();
  } while (after !== undefined && performance.now() - startedAtMs < searchMs);
  return { ids, next: formatCursor(after) };
}

/** Returns matching rows, at most `limit`; `end` is the last row examined, or `undefined` at the end of the list. */
async function readPart(executor: Executor, { isFiltered, select }: ListSource, { after, limit }: Part) {
  const examined = isFiltered ? partRows : limit;
  const found = await executor
    .selectFrom(select({ after, limit: examined }))
    .select(['id', 'position'])
    .where(({ ref }) => ref('matches'))
    .limit(sql.lit(limit))
    .execute();
  if (!isFiltered || found.length === limit) return { found, end: undefined };
  const last = select({ after, limit: 1, offset: examined - 1 });
  return { found, end: await executor.selectFrom(last).select(['id', 'position']).executeTakeFirst() };
}

/**
 * Counts the rows of the list; for a long one, only a lower bound is known. Counts in the order of the list, because
 * PostgreSQL would otherwise read the index entries of all matching rows before the first row.
 */
export async function countRows(executor: Executor, source: ListSource): Promise<ListTotal> {
  const counted = await executor
    .selectFrom(source.select({ limit: maxCounted + 1 }))
    .select(({ fn, ref }) => [
      fn.countAll<number>().as('scanned'),
      fn.countAll<number>().filterWhere(ref('matches')).as('matching'),
    ])
    .executeTakeFirst();
  const { scanned, matching } = counted ?? { scanned: 0, matching: 0 };
  return { count: Math.min(matching, maxCounted), is_exact: scanned <= maxCounted };
}

type Search<DB, TB extends keyof DB, Selected> = Omit<ListRows<DB, TB, Selected>, 'order'> & {
  readonly text: StringReference<DB, TB>;
  readonly prefix: string;
};

/** Makes a list of the rows whose text begins with a prefix, sorted by the text. */
export function searchRows<DB, TB extends keyof DB, Selected>(
  executor: Executor,
  { rows, text, prefix, ...rest }: Search<DB, TB, Selected>,
): ListSource {
  const eb = expressionBuilder<DB, TB>();
  const order = binary(executor, sql.ref<string>(text));
  const isFound = eb.and([eb(order, '>=', prefix), eb(order, '<', prefix + greatest)]);
  return listRows({ ...rest, rows: rows.where(isFound), order });
}

/**
 * Returns the condition that a text begins with a prefix, ignoring case; SQLite ignores it for the letters A to Z only.
 */
export function lowerBeginsWith(
  executor: Executor,
  text: Expression<string | null>,
  prefix: string,
): Expression<SqlBool> {
  const [stored, lower] = [lowerText(executor, text), sql`lower(cast(${prefix} as text))`];
  return sql<SqlBool>`(${stored} >= ${lower} and ${stored} < ${lower} || ${greatest})`;
}

export function lowerText(executor: Executor, text: Expression<string | null>): AliasableExpression<string> {
  return binary(executor, sql<string>`lower(${text})`);
}

/**
 * Makes the database compare the text byte by byte: the same on every installation, and needed by indexes for prefixes.
 */
function binary(executor: Executor, text: AliasableExpression<string>): AliasableExpression<string> {
  return isPostgres(executor) ? sql<string>`${text} collate "C"` : text;
}

/** Greater than any other character, byte by byte. */
const greatest = '\u{10ffff}';

/** Formats the id, followed by the sort text if there is one. Ids contain no spaces. */
function formatCursor(row: Position | undefined): string | null {
  if (!row) return null;
  return row.position === null ? row.id : `${row.id} ${row.position}`;
}

function parseCursor(after: string | undefined): Position | undefined {
  if (after === undefined) return undefined;
  const space = after.indexOf(' ');
  return space < 0 ? { id: after, position: '' } : { id: after.slice(0, space), position: after.slice(space + 1) };
}
