/** Paged lists of database rows, each built from its definition, such as `accounts/account-list.ts`. */
import type { Clock } from '../clock.ts';
import { isUuid } from '../random.ts';
import type { Database, Executor } from './database.ts';
import type { List, ListTotal, Page, PageRequest } from './list.ts';
import { countRows, type ListSource, readIdPage } from './list-page.ts';

/** Definition of a list of database rows: the same one serves the admin page, its CSV files and the commands. */
export type ListDefinition<Query, Row extends { readonly id: string }, Item> = {
  /** Returns which rows match a query, and in which order. */
  readonly source: (executor: Executor, query: Query, nowMs: number) => ListSource;
  /** Reads the rows with these ids (at least one), in any order. */
  readonly findRows: (executor: Executor, ids: readonly string[], nowMs: number) => Promise<Row[]>;
  /** Converts a row to the form in which it is listed. */
  readonly toItem: (row: Row, nowMs: number) => Item;
};

type DatabaseListDeps = { readonly database: Pick<Database, 'read'>; readonly clock: Clock };

export class DatabaseList<Query, Row extends { readonly id: string }, Item> implements List<Query, Item> {
  readonly #deps: DatabaseListDeps;
  readonly #definition: ListDefinition<Query, Row, Item>;

  constructor(deps: DatabaseListDeps, definition: ListDefinition<Query, Row, Item>) {
    this.#deps = deps;
    this.#definition = definition;
  }

  async readPage(query: Query, page: PageRequest): Promise<Page<Item>> {
    const { read } = this.#deps.database;
    const { ids, next } = await readIdPage(read, this.#source(query), page);
    return { rows: await this.#readItems(ids), next };
  }

  /** Counts up to a limit: a longer list is reported to have at least that many rows. */
  count(query: Query): Promise<ListTotal> {
    return countRows(this.#deps.database.read, this.#source(query));
  }

  /** Returns the item with this id, regardless of any query. */
  async find(id: string): Promise<Item | undefined> {
    return isUuid(id) ? (await this.#readItems([id]))[0] : undefined;
  }

  #source(query: Query): ListSource {
    const { database, clock } = this.#deps;
    return this.#definition.source(database.read, query, clock.now());
  }

  /** Reads the items in the order of the ids. An item that was deleted meanwhile is left out. */
  async #readItems(ids: readonly string[]): Promise<Item[]> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const rows = ids.length === 0 ? [] : await this.#definition.findRows(database.read, ids, nowMs);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []).map((row) => this.#definition.toItem(row, nowMs));
  }
}
