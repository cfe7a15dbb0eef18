/** Reads lists of any length a page at a time, in the order of their ids. */

/** Ids start with the time of their creation, so pages come in that order, and the primary key is the index. */
export type Page = {
  readonly limit: number;
  /** The id of the row before the page; left out for the first page. */
  readonly after?: string;
};

/** Reads page after page until `limit` rows, or all, have been read. No page is empty. */
export async function* readPages<T extends { readonly id: string }>(
  readPage: (page: Page) => Promise<readonly T[]>,
  { limit = Infinity, after }: Partial<Page>,
): AsyncGenerator<readonly T[], void, void> {
  let rest = limit;
  let last = after;
  while (rest > 0) {
    const page = { limit: Math.min(rest, pageRows), after: last };
    const rows = await readPage(page);
    if (rows.length > 0) yield rows;
    if (rows.length < page.limit) return;
    rest -= rows.length;
    last = rows.at(-1)?.id;
  }
}

const pageRows = 200;
