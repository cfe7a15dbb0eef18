/** Lists of any length, read one page at a time. */
import { ApiError } from '../errors.ts';

export type PageRequest = {
  readonly limit: number;
  /** `next` of the previous page, or the id of its last row if the rows are sorted by id. */
  readonly after?: string | undefined;
};

/** Some rows, possibly none, and where the next page starts; null at the end of the list. */
export type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | null };

export type ListTotal = { readonly count: number; readonly is_exact: boolean };

/** A list that can be filtered by a query. */
export type List<Query, Row> = {
  readPage(query: Query, page: PageRequest): Promise<Page<Row>>;
  count(query: Query): Promise<ListTotal>;
};

/** Reads page after page until `limit` rows, or all, have been read. Never yields an empty page. */
export async function* readPages<Row>(
  readPage: (page: PageRequest) => Promise<Page<Row>>,
  { limit = Infinity, after }: Partial<PageRequest>,
): AsyncGenerator<readonly Row[], void, void> {
  let rest = limit;
  let next = after ?? null;
  do {
    const page = await readPage({ limit: Math.min(rest, pageRows), ...(next !== null && { after: next }) });
    if (page.rows.length > 0) yield page.rows;
    rest -= page.rows.length;
    next = page.next;
  } while (next !== null && rest > 0);
}

const pageRows = 200;

/** Returns the page made of rows that were read in the order of their ids. */
export function toPage<Row extends { readonly id: string }>(rows: readonly Row[], { limit }: PageRequest): Page<Row> {
  return { rows, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/**
 * Returns a page of a short list. Throws `ApiError` NOT_FOUND, naming `noun`, if the row before the page is not in the
 * list.
 */
export function pageOf<Row extends { readonly id: string }>(
  all: readonly Row[],
  { limit, after }: PageRequest,
  noun: string,
): Page<Row> {
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (start === 0 && after !== undefined) throw new ApiError('NOT_FOUND', `There is no ${noun} with this id.`);
  return toPage(all.slice(start, start + limit), { limit });
}
