/** List responses: a page, or the whole list as a CSV file that is sent while it is being read. */
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { listQuery } from '../../shared/api/admin/fields.ts';
import { type List, type ListTotal, type Page, type PageRequest, readPages } from '../database/list.ts';
import { runWithDeadline } from '../deadline.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import { formatHeader, formatRows } from './csv.ts';

type PageQuery = Pick<z.infer<typeof listQuery>, 'after' | 'limit' | 'format'>;

/** The columns of the file, and its name without the extension. */
export type CsvLayout<Row> = { readonly name: string; readonly columns: readonly (keyof Row & string)[] };

type ListPage<Name extends string, Row> = Record<Name, Row[]> & {
  readonly next: string | null;
  readonly total: ListTotal;
};

type Layout<Name, Row> = {
  /** Field of the response that contains the rows. */
  readonly name: Name;
  readonly csv: CsvLayout<Row>;
  /** Returns the approximate number of rows without filters. */
  readonly estimate?: () => Promise<number | undefined>;
};

const defaultRows = 50;

export class ListResponses {
  /** The last page that is being read for a file, or is to be read. */
  #lastPage: Promise<unknown> = Promise.resolve();

  /** Returns a page or a file, as the query asks. */
  async read<Query extends object, Row extends object, Name extends string>(
    list: List<Query, Row>,
    query: Query & PageQuery,
    { name, csv, estimate }: Layout<Name, Row>,
  ): Promise<ListPage<Name, Row> | CsvFile> {
    const { after, limit = defaultRows, format, ...narrowed } = query;
    // The remaining fields are those of the query itself.
    const filter = withoutUndefined(narrowed) as Query;
    if (format === 'csv') {
      return new CsvFile(
        csv.name,
        this.#readParts((page) => list.readPage(filter, page), csv, after),
      );
    }
    const { rows, next } = await list.readPage(filter, { limit, after });
    const total = await list.count(filter);
    const isEstimated = !total.is_exact && Object.keys(filter).length === 0;
    const count = isEstimated ? Math.max(total.count, (await estimate?.()) ?? 0) : total.count;
    return { [name]: rows, next, total: { ...total, count } } as ListPage<Name, Row>;
  }

  /** Yields the parts of the file, and reads each page only when the client is ready for it. */
  async *#readParts<Row extends object>(
    readPage: ReadPage<Row>,
    { columns }: CsvLayout<Row>,
    after: string | undefined,
  ) {
    yield formatHeader(columns);
    for await (const rows of readPages((page) => this.#readInTurn(() => readPage(page)), { after })) {
      yield formatRows(rows, columns);
      // Lets other requests run.
      await setImmediate();
    }
  }

  /**
   * Reads the pages of all files one after another, since they share this process with everything else. A file whose
   * client reads slowly delays no other: it takes no turn until its client is ready. Runs without the request's
   * deadline, which is too short for a long list.
   */
  #readInTurn<T>(readPage: () => Promise<T>): Promise<T> {
    const page = this.#lastPage.then(() => runWithDeadline(undefined, readPage));
    this.#lastPage = page.catch(() => undefined);
    return page;
  }
}

type ReadPage<Row> = (page: PageRequest) => Promise<Page<Row>>;

function withoutUndefined(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''));
}
