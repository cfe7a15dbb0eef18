/**
 * Pages of long lists by keyset pagination: the cost of a page depends neither on the length of the list nor on its
 * position. Conditions that no index covers are checked on a bounded number of rows at a time, so a page may have few
 * rows, or none, without being the last.
 */
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from './database.ts';
import { isPostgres } from './dialect.ts';
import type { ListTotal, PageRequest } from './list.ts';

/** Number of rows examined at once, and how long further rows are examined to fill a page. */
const partRows = 500;
const searchMs = 30;
/** Counting stops after this many rows. */
export const maxCounted = 1000;

/** Which rows a list has, and in which order, as SQL expressions. */
export type ListSource = {
  /** A table and its joins. */
  readonly from: RawBuilder<unknown>;
  /** Conditions that indexes cover, such as sql`licenses.status = ${status}`. */
  readonly where: readonly Condition[];
  /** Id of a row. Without `order`, the rows with the greatest ids, which are the newest, come first. */
  readonly id: RawBuilder<unknown>;
  /** Text by which the rows are sorted; rows with the same text are sorted by id. */
  readonly order?: RawBuilder<unknown>;
  /** What no index covers: the conditions, if any, and the columns that they use, for example `scanned.status`. */
  readonly filter?: { readonly columns: RawBuilder<unknown>; readonly conditions: readonly Condition[] };
};

/** `plan && sql`…``: empty if there is no plan to filter by. A condition with `or` is in parentheses. */
type Condition = RawBuilder<unknown> | '' | undefined;

/** The row ids of a page, in order, and where the next page starts. */
type IdPage = { readonly ids: readonly string[]; readonly next: string | null };

type FoundRow = { readonly id: string; readonly position: string | null };

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

type Part = { readonly after: FoundRow | undefined; readonly limit: number };

/** Returns matching rows, at most `limit`; `end` is the last row examined, or `undefined` at the end of the list. */
async function readPart(executor: Executor, source: ListSource, { after, limit }: Part) {
  const filter = whereAll(source.filter?.conditions);
  const isFiltered = filter !== undefined;
  const rows = selectRows(source, after);
  const examined = isFiltered ? partRows : limit;
  const { rows: found } = await sql<FoundRow>`
    select id, position from (${rows} limit ${sql.lit(examined)}) as scanned
    ${filter ?? sql``} limit ${sql.lit(limit)}`.execute(executor);
  if (!isFiltered || found.length === limit) return { found, end: undefined };
  const last = await sql<FoundRow>`
    select id, position from (${rows} limit 1 offset ${sql.lit(examined - 1)}) as scanned`.execute(executor);
  return { found, end: last.rows[0] };
}

/**
 * Counts the rows of the list; for a long one, only a lower bound is known. Counts in the order of the list, because
 * PostgreSQL would otherwise read the index entries of all matching rows before the first row.
 */
export async function countRows(executor: Executor, source: ListSource): Promise<ListTotal> {
  const condition = joinConditions(source.filter?.conditions);
  const matching = condition ? sql`sum(case when ${condition} then 1 else 0 end)` : sql`count(*)`;
  const counted = await sql<{ scanned: number; matching: number | null }>`
    select count(*) as scanned, ${matching} as matching
    from (${selectRows(source)} limit ${sql.lit(maxCounted + 1)}) as scanned`.execute(executor);
  const [row] = counted.rows;
  const isExact = Number(row?.scanned) <= maxCounted;
  const count = Number(row?.matching ?? 0);
  return { count: isExact ? count : Math.min(count, maxCounted), is_exact: isExact };
}

/**
 * Makes the database compare the text byte by byte: the same on every installation, and needed by indexes for prefixes.
 */
function binary(executor: Executor, expression: RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(executor) ? sql`${expression} collate "C"` : expression;
}

type Search = Pick<ListSource, 'from' | 'where'> & { readonly text: string; readonly prefix: string };

/** Selects the rows whose text begins with a prefix, sorted by the text. */
export function searchBy(
  executor: Executor,
  { from, where, text, prefix }: Search,
): Pick<ListSource, 'from' | 'where' | 'order'> {
  const order = binary(executor, sql.ref(text));
  return { from, where: [...where, sql`${order} >= ${prefix}`, sql`${order} < ${prefix + greatest}`], order };
}

/**
 * Returns the condition that a text begins with a prefix, ignoring case; SQLite ignores it for the letters A to Z only.
 */
export function lowerBeginsWith(executor: Executor, text: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> {
  const [stored, lower] = [lowerText(executor, text), sql`lower(cast(${prefix} as text))`];
  return sql`${stored} >= ${lower} and ${stored} < ${lower} || ${greatest}`;
}

export function lowerText(executor: Executor, text: RawBuilder<unknown>): RawBuilder<unknown> {
  return binary(executor, sql`lower(${text})`);
}

/** Greater than any other character, byte by byte. */
const greatest = '\u{10ffff}';

function selectColumns(source: ListSource): RawBuilder<unknown> {
  const extra = source.filter?.conditions.some(Boolean) ? sql`, ${source.filter.columns}` : sql``;
  return sql`select ${source.id} as id, ${source.order ?? sql`null`} as position${extra}`;
}

function selectRows(source: ListSource, after?: FoundRow): RawBuilder<unknown> {
  const { from, where, id, order } = source;
  const conditions = after ? [...where, ...selectAfter(source, after)] : where;
  const sorted = order ? sql`${order}, ${id}` : sql`${id} desc`;
  return sql`${selectColumns(source)} from ${from} ${whereAll(conditions) ?? sql``} order by ${sorted}`;
}

/** Selects the rows after the given one. */
function selectAfter({ id, order }: ListSource, after: FoundRow): readonly Condition[] {
  if (!order) return [sql`${id} < ${after.id}`];
  // The first condition lets the index on the text alone be used.
  return [sql`${order} >= ${after.position}`, sql`(${order} > ${after.position} or ${id} > ${after.id})`];
}

/** Returns `undefined` if there is no condition. */
function whereAll(conditions?: readonly Condition[]): RawBuilder<unknown> | undefined {
  const condition = joinConditions(conditions);
  return condition && sql`where ${condition}`;
}

function joinConditions(conditions: readonly Condition[] = []): RawBuilder<unknown> | undefined {
  const given = conditions.filter((condition) => condition);
  return given.length > 0 ? sql.join(given, sql` and `) : undefined;
}

/** Formats the id, followed by the sort text if there is one. Ids contain no spaces. */
function formatCursor(row: FoundRow | undefined): string | null {
  if (!row) return null;
  return row.position === null ? row.id : `${row.id} ${row.position}`;
}

function parseCursor(after: string | undefined): FoundRow | undefined {
  if (after === undefined) return undefined;
  const space = after.indexOf(' ');
  return space < 0 ? { id: after, position: '' } : { id: after.slice(0, space), position: after.slice(space + 1) };
}
