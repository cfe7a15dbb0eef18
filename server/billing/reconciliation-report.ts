/**
 * The rows of a reconciliation and its findings, in a temporary SQLite file, since a list may be of any length and
 * every row may be a finding. Must be closed once it has been printed.
 */
import { toIso, toIsoOrNull } from '../clock.ts';
import { openTemporaryDatabase, TemporaryRows } from '../database/temporary-rows.ts';
import { readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import { type FindingKind, findingKinds } from './reconciliation.rules.ts';
import type { Decision } from './reconciliation-decisions.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

/** A row of the file that does not agree with the server. Fields that are `undefined` are left out. */
export type Finding = ReturnType<typeof toFinding>;

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

  /**
   * Yields the rows grouped by key, in the order of each group's first row, a page of groups at a time. To be called once
   * all rows have been added.
   */
  *groups(pageSize: number): Generator<ReportedSubscription[][], void, void> {
    this.#database.exec(
      `create index reported_by_key on reported (key, "row");
      create table groups (first integer primary key, key text not null);
      insert into groups select min("row"), key from reported group by key`,
    );
    const select = this.#database.prepare('select first, key from groups where first > ? order by first limit ?');
    for (let after = 0; ; ) {
      const groups = select.all(after, pageSize);
      const last = groups.at(-1);
      if (last === undefined) return;
      yield groups.map(({ key }) => this.#rowsOf(String(key)));
      after = Number(last.first);
    }
  }

  #rowsOf(key: string): ReportedSubscription[] {
    const rows = this.#database.prepare('select data from reported where key = ? order by "row"').all(key);
    return rows.map(({ data }) => JSON.parse(String(data)) as ReportedSubscription);
  }

  /** Returns true if a row has that key. Must be called after all rows have been added. */
  readonly hasKey = (key: string): boolean =>
    this.#database.prepare('select 1 from reported where key = ? limit 1').get(key) !== undefined;

  addDecisions(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (decision.kind === 'agree') this.agree++;
      else this.findings.add(decision.kind, toFinding(decision));
    }
  }

  countFindings(): Readonly<Record<FindingKind, number>> {
    const entries = findingKinds.map((kind) => [kind, this.findings.count(kind)]);
    return Object.fromEntries(entries) as Record<FindingKind, number>;
  }

  /** Closes the report and deletes its temporary files. */
  close(): void {
    this.findings.close();
    this.#database.close();
  }
}

function toFinding({ reported, kind, known, lastEventMs, nowMs, healed, reason }: Decision) {
  const { row, provider, subscription, customer, email, plan, status, periodEndMs, asOfMs } = reported;
  const inUse = known?.row.is_replaced === 0 ? known.row : undefined;
  return {
    row,
    provider,
    subscription: subscription || undefined,
    customer: customer || null,
    email: email || null,
    plan: plan || null,
    status,
    current_period_end: toIsoOrNull(periodEndMs),
    as_of: toIsoOrNull(asOfMs),
    /** The subscription that the row is about, as the server knows it; null for none, and for a stale row that names none. */
    server: inUse
      ? {
          plan: inUse.plan,
          status: readSubscriptionStatus(inUse, nowMs),
          current_period_end: toIso(inUse.current_period_end_ms),
        }
      : null,
    last_event_at: kind === 'stale' && lastEventMs !== null ? toIso(lastEventMs) : undefined,
    healed,
    reason,
  };
}
