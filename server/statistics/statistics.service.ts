/**
 * Numbers for the overview. Small tables are counted on request, large ones in the background and in parts,
 * so that no request has to wait.
 */
import type { Overview } from '../../shared/api/admin/overview.ts';
import { type Clock, dayMs, minuteMs } from '../clock.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { lockByName } from '../database/row-locks.ts';
import { lowestUuid, readUuidTime } from '../random.ts';
import * as repository from './statistics.repository.ts';
import {
  countedActions,
  countedTables,
  nameDay,
  readEntryCount,
  startOfDay,
  type TotalName,
} from './statistics.rules.ts';

type StatisticsServiceDeps = { readonly database: Database; readonly clock: Clock };

/** Number of rows counted at once, which takes a few milliseconds. */
const partRows = 1000;
const shownDays = 30;
const storedDays = 400;
export const maxAttention = 1000;
/**
 * Minimum age of counted entries, in ms: entries still being written have ids from a
 * moment ago and must not be skipped.
 */
const settledMs = 60_000;
const positionName = 'statistics_audit_position';
/** From one count in the background to the next, in ms. */
export const countIntervalMs = 5 * minuteMs;
const claimName = 'statistics_counted_at';

export class StatisticsService {
  readonly #deps: StatisticsServiceDeps;

  constructor(deps: StatisticsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns row counts: of small tables as of now, of large ones as of the last background count. `countedAtMs` is the
   * time of the oldest count; `undefined` while some were never made.
   */
  async readTotals() {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const stored = new Map((await repository.readTotals(database.read)).map((row) => [row.name, row]));
    const counts: Record<string, number> = {};
    let countedAtMs: number | undefined = nowMs;
    for (const table of countedTables(nowMs)) {
      const part = await repository.countPart(database.read, table, { afterId: '', limit: partRows });
      for (const [name, count] of Object.entries(part.counts)) {
        const known = part.scanned < partRows ? undefined : stored.get(name);
        counts[name] = known?.value ?? count;
        if (part.scanned < partRows) continue;
        countedAtMs = known && countedAtMs !== undefined ? Math.min(countedAtMs, known.counted_at_ms) : undefined;
      }
    }
    return { counts: counts as Record<TotalName, number>, countedAtMs };
  }

  /** Returns the approximate number of rows; `undefined` before the first count. */
  async estimate(name: TotalName): Promise<number | undefined> {
    return (await repository.findTotal(this.#deps.database.read, name))?.value;
  }

  /** Returns the last days, oldest first; the last one is today. */
  async readDays(devicesToday: number): Promise<Overview['days']> {
    const { database, clock } = this.#deps;
    const todayMs = startOfDay(clock.now());
    const names = Array.from({ length: shownDays }, (_, index) => nameDay(todayMs - (shownDays - 1 - index) * dayMs));
    const values = new Map<string, number>();
    for (const { day, name, value } of await repository.readDailyCounts(database.read, names[0] ?? '')) {
      values.set(`${day} ${name}`, value);
    }
    for (const { day, name, value } of await this.#countRecentEvents()) {
      values.set(`${day} ${name}`, (values.get(`${day} ${name}`) ?? 0) + value);
    }
    const today = nameDay(todayMs);
    return names.map((date) => ({
      date,
      devices_alive: date === today ? devicesToday : (values.get(`${date} devices_alive`) ?? null),
      activations: values.get(`${date} activations`) ?? 0,
      sign_ins: values.get(`${date} sign_ins`) ?? 0,
      refusals: values.get(`${date} refusals`) ?? 0,
    }));
  }

  /** Counts what ends within this many days, failed within as many, or is past due, each up to a thousand. */
  countAttention(days: number) {
    const nowMs = this.#deps.clock.now();
    const range = { nowMs, untilMs: nowMs + days * dayMs, sinceMs: nowMs - days * dayMs, limit: maxAttention };
    return repository.countAttention(this.#deps.database.read, range);
  }

  /**
   * Counts in the background; does nothing if another process has counted recently. `pause` is called after each part;
   * counting ends if it returns false.
   */
  async count(pause: () => Promise<boolean>): Promise<void> {
    if ((await this.#claim()) && (await this.countEvents(pause))) await this.countTables(pause);
  }

  #claim(): Promise<boolean> {
    const { database, clock } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'statistics');
      const nowMs = clock.now();
      const lastMs = Number((await readMeta(transaction, claimName)) ?? Number.NEGATIVE_INFINITY);
      if (Math.abs(nowMs - lastMs) < countIntervalMs / 2) return false;
      await saveMeta(transaction, claimName, String(nowMs));
      return true;
    });
  }

  /** Counts all tables. `pause` as in `count`. */
  async countTables(pause: () => Promise<boolean>): Promise<void> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    for (const table of countedTables(nowMs)) {
      const totals = new Map<string, number>();
      let afterId: string | null = '';
      while (afterId !== null) {
        const part = await repository.countPart(database.read, table, { afterId, limit: partRows });
        for (const [name, count] of Object.entries(part.counts)) totals.set(name, (totals.get(name) ?? 0) + count);
        afterId = part.scanned < partRows ? null : part.lastId;
        if (!(await pause())) return;
      }
      await database.write((transaction) => saveTotals(transaction, totals, nowMs));
    }
  }

  /** Adds the audit log entries since the last count to each day; returns false if it was ended. `pause` as in `count`. */
  async countEvents(pause: () => Promise<boolean>): Promise<boolean> {
    const { database } = this.#deps;
    let isDone = false;
    while (!isDone) {
      isDone = await database.write((transaction) => this.#countEventPart(transaction));
      if (!(await pause())) return false;
    }
    return true;
  }

  /** Returns true if all settled entries are counted. One process counts at a time. */
  async #countEventPart(transaction: Transaction): Promise<boolean> {
    await lockByName(transaction, 'statistics');
    const settledAtMs = this.#deps.clock.now() - settledMs;
    const position = await this.#readPosition(transaction);
    const { day, dayEndMs } = dayOf(position);
    const endMs = Math.min(dayEndMs, settledAtMs);
    const endId = lowestUuid(endMs);
    const range = { afterId: position, beforeId: endId, limit: partRows };
    const part = await repository.countEvents(transaction, actions, range);
    for (const { name, value } of sumByName(part.counts)) {
      await repository.addDailyCount(transaction, { day, name, value });
    }
    const isPartial = part.scanned === partRows;
    const next = isPartial ? (part.lastId ?? position) : endId;
    // If the clock was set back, the end is before what is already counted.
    if (next > position) await saveMeta(transaction, positionName, next);
    return !isPartial && endMs === settledAtMs;
  }

  /** Counts the entries that are not counted yet, at most `partRows` of them. */
  async #countRecentEvents(): Promise<{ day: string; name: string; value: number }[]> {
    const { read } = this.#deps.database;
    const found = [];
    let position = await this.#readPosition(read);
    const nowMs = this.#deps.clock.now();
    for (let left = partRows; left > 0; ) {
      const { day, dayEndMs } = dayOf(position);
      const range = { afterId: position, beforeId: lowestUuid(dayEndMs), limit: left };
      const part = await repository.countEvents(read, actions, range);
      found.push(...sumByName(part.counts).map((count) => ({ day, ...count })));
      left -= part.scanned;
      if (dayEndMs > nowMs) break;
      position = lowestUuid(dayEndMs);
    }
    return found;
  }

  /** Returns the audit log id up to which entries were counted. */
  async #readPosition(executor: Executor): Promise<string> {
    const known = await readMeta(executor, positionName);
    const earliestMs = startOfDay(this.#deps.clock.now()) - (shownDays - 1) * dayMs;
    return known !== undefined && readUuidTime(known) >= earliestMs ? known : lowestUuid(earliestMs);
  }
}

const actionNames = Object.keys(countedActions);
const actions = {
  plain: actionNames.filter((action) => countedActions[action] !== 'refusals'),
  refusals: actionNames.filter((action) => countedActions[action] === 'refusals'),
};

function dayOf(id: string): { day: string; dayEndMs: number } {
  const timeMs = readUuidTime(id);
  return { day: nameDay(timeMs), dayEndMs: startOfDay(timeMs) + dayMs };
}

function sumByName(counts: readonly repository.EventCount[]): { name: string; value: number }[] {
  const sums = new Map<string, number>();
  for (const { action, details, entries } of counts) {
    const name = countedActions[action];
    if (name) sums.set(name, (sums.get(name) ?? 0) + entries * readEntryCount(details));
  }
  return [...sums].map(([name, value]) => ({ name, value }));
}

async function saveTotals(transaction: Transaction, totals: ReadonlyMap<string, number>, nowMs: number): Promise<void> {
  for (const [name, value] of totals) await repository.saveTotal(transaction, { name, value, counted_at_ms: nowMs });
  const today = totals.get('devices_today');
  if (today === undefined) return;
  await repository.raiseDailyCount(transaction, { day: nameDay(nowMs), name: 'devices_alive', value: today });
  await repository.deleteDailyCountsBefore(transaction, nameDay(nowMs - storedDays * dayMs));
}
