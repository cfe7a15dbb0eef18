/**
 * The rows of a reconciliation and its findings, in a temporary SQLite file, since a list may be of any length and
 * every row may be a finding. Must be closed once it has been printed.
 */
import { openTemporaryDatabase, TemporaryRows } from '../database/temporary-rows.ts';
import { type FindingKind, findingKinds } from './reconciliation.rules.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

/** All rows about one subscription or customer: the number of the first row, and their key. */
export type Group = { readonly first: number; readonly key: string };

/** A row of the file that does not agree with the server. */
export type Finding = {
  readonly row: number;
  readonly provider: string;
  /** Left out if the file does not have it. */
  readonly subscription?: string;
  readonly customer: string | null;
  readonly email: string | null;
  readonly plan: string | null;
  readonly status: string;
  readonly current_period_end: string | null;
  readonly as_of: string | null;
  /** The subscription that the row is about, as the server knows it; null for none. */
  readonly server: { readonly plan: string; readonly status: string; readonly current_period_end: string } | null;
  /** For a stale row: when the last event that was applied occurred. */
  readonly last_event_at?: string;
  /** With `--apply`: whether the subscription was changed and agrees now. */
  readonly healed?: boolean;
  /** Why nothing was changed. */
  readonly reason?: string;
};

export class ReconciliationReport {
  rows = 0;
  agree = 0;
  readonly findings = new TemporaryRows<FindingKind, Finding>();
  readonly #database = openTemporaryDatabase(
    'create table reported ("row" integer primary key, key text not null, data text not null)',
  );
  readonly #insertRow = this.#database.prepare('insert into reported ("row", key, data) values (?, ?, ?)');

  /** Adds a row; `key` is the same for all rows that may be about the same subscription. */
  addRow(reported: ReportedSubscription, key: string): void {
    this.#insertRow.run(reported.row, key, JSON.stringify(reported));
    this.rows++;
  }

  /** Yields groups in the order of the file, a page at a time. To be called once all rows have been added. */
  *groups(pageSize: number): Generator<Group[], void, void> {
    this.#database.exec(
      `create index reported_by_key on reported (key, "row");
      create table groups (first integer primary key, key text not null);
      insert into groups select min("row"), key from reported group by key`,
    );
    const select = this.#database.prepare('select first, key from groups where first > ? order by first limit ?');
    for (let after = 0; ; ) {
      const groups = select.all(after, pageSize) as Group[];
      const last = groups.at(-1);
      if (last === undefined) return;
      yield groups;
      after = last.first;
    }
  }

  rowsOf({ key }: Group): ReportedSubscription[] {
    const rows = this.#database.prepare('select data from reported where key = ? order by "row"').all(key);
    return rows.map(({ data }) => JSON.parse(String(data)) as ReportedSubscription);
  }

  /** Returns true if a row has that key. Must be called after all rows have been added. */
  readonly hasKey = (key: string): boolean =>
    this.#database.prepare('select 1 from reported where key = ? limit 1').get(key) !== undefined;

  countFindings(): Readonly<Record<FindingKind, number>> {
    const entries = findingKinds.map((kind) => [kind, this.findings.count(kind)]);
    return Object.fromEntries(entries) as Record<FindingKind, number>;
  }

  /** Closes the report and deletes its temporary files. */
  close(): void {
    this.findings.close();
    if (this.#database.isOpen) this.#database.close();
  }
}
