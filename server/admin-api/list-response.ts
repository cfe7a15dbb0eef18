/** The responses of lists: a page, or the whole list as a CSV file that is sent while it is read. */
import { setImmediate } from 'node:timers/promises';
import type { ListTotal, PageRequest } from '../database/list-page.ts';
import { runWithDeadline } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import { formatHeader, formatRows } from './csv.ts';

/** A list that is narrowed by a query. */
export type List<Query, Row> = {
  readPage(query: Query, page: PageRequest): Promise<Page<Row>>;
  count(query: Query): Promise<ListTotal>;
};

/** What every list endpoint is asked. */
type PageQuery = {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly format?: 'csv' | undefined;
};

/** The columns of the file, and its name without the extension. */
export type CsvLayout<Row> = { readonly name: string; readonly columns: readonly (keyof Row & string)[] };

export type ListPage<Row> = { readonly rows: Row[]; readonly next: string | null; readonly total: ListTotal };

const defaultRows = 50;
const csvPageRows = 200;
/** Files take turns with everything else that this process does. */
const maxFiles = 2;
const retryAfterSeconds = 30;

export class ListResponses {
  #files = 0;

  /** `estimate` is about how many rows there are without a query. Throws `ApiError` SERVICE_UNAVAILABLE for too many files. */
  async read<Query extends object, Row extends object>(
    list: List<Query, Row>,
    query: Query & PageQuery,
    { csv, estimate }: { csv: CsvLayout<Row>; estimate?: () => Promise<number | undefined> },
  ): Promise<ListPage<Row> | CsvFile> {
    const { after, limit = defaultRows, format, ...narrowed } = query;
    // What is left are the fields of the query itself.
    const filter = withoutUndefined(narrowed) as Query;
    if (format === 'csv') return this.#createFile((page) => list.readPage(filter, page), csv, after);
    const { rows, next } = await list.readPage(filter, { limit, ...(after !== undefined && { after }) });
    const total = await list.count(filter);
    if (total.is_exact || Object.keys(filter).length > 0) return { rows, next, total };
    return { rows, next, total: { count: Math.max(total.count, (await estimate?.()) ?? 0), is_exact: false } };
  }

  #createFile<Row extends object>(readPage: ReadPage<Row>, csv: CsvLayout<Row>, after: string | undefined): CsvFile {
    if (this.#files >= maxFiles) throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
    return new CsvFile(csv.name, this.#readParts(readPage, csv, after));
  }

  /** Ends when its reader does. The time of a request is not enough for a long list, so it does not count. */
  async *#readParts<Row extends object>(
    readPage: ReadPage<Row>,
    { columns }: CsvLayout<Row>,
    after: string | undefined,
  ) {
    this.#files += 1;
    try {
      yield formatHeader(columns);
      let next: string | null | undefined = after;
      do {
        const request: PageRequest = { limit: csvPageRows, ...(next && { after: next }) };
        const page: Page<Row> = await runWithDeadline(undefined, () => readPage(request));
        if (page.rows.length > 0) yield formatRows(page.rows, columns);
        next = page.next;
        // Other requests have their turn.
        await setImmediate();
      } while (next !== null);
    } finally {
      this.#files -= 1;
    }
  }
}

type Page<Row> = { readonly rows: Row[]; readonly next: string | null };
type ReadPage<Row> = (page: PageRequest) => Promise<Page<Row>>;

function withoutUndefined(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''));
}
