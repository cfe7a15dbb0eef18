/**
 * What happened to the client, with its times: starts, answers of the server, sleeps, jumps of the clock, what the person
 * did and what was decided. For the window, for the support file, and detailed enough that a run can be replayed from it.
 */
import { z } from 'zod';
import type { EndpointName } from '../../shared/api/endpoints.ts';
import type { LicenseState } from '../../shared/ipc/app-state.ts';
import {
  type ConnectionHour,
  connectionHour,
  type entryTimes,
  type TimelineEntry,
  timelineEntry,
} from '../../shared/ipc/diagnostics.ts';
import type { ApiResult } from './api-response.ts';
import { toTimestamp } from './failure.ts';
import type { Clock, Log, Power, SecretStore } from './platform.ts';
import { readDocument } from './stored-document.ts';
import { clockToleranceMs } from './trusted-time.ts';

const documentName = 'timeline';
const maxEntries = 1000;
/** Of the entries as JSON: a decision, which is stored at once, names each feature that is on. */
const maxLength = 512 * 1024;
const maxHours = 7 * 24;
/** How often it is stored by itself; also when a decision changes, and when the client stops. */
const saveEveryMs = 60 * 60_000;

const timelineDocument = z.object({
  version: z.literal(1),
  entries: z.array(timelineEntry.nullable().catch(null)),
  connection: z.array(connectionHour),
});

export type TimelineDeps = {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly power: Power;
  readonly log: Log;
  /** Of the app. */
  readonly version: string;
};

/** Of each kind apart, since `Omit` of a union keeps only what all have. */
type Fields<Entry = TimelineEntry> = Entry extends TimelineEntry
  ? Omit<Entry, keyof z.infer<typeof entryTimes>>
  : never;

export class Timeline {
  readonly #deps: TimelineDeps;
  readonly #stopListening: readonly (() => void)[];
  #entries: TimelineEntry[] = [];
  #connection: ConnectionHour[] = [];
  #decision = '';
  #clocks: { readonly wallMs: number; readonly monotonicMs: number };
  #savedAtMs: number;
  /** What cannot be read, or a newer version wrote, is set aside before the first write. */
  #setAsideFirst = false;
  #isLoaded = false;

  constructor(deps: TimelineDeps) {
    const { clock, power } = deps;
    this.#deps = deps;
    this.#clocks = { wallMs: clock.now(), monotonicMs: clock.monotonic() };
    this.#savedAtMs = clock.monotonic();
    this.#stopListening = [
      power.onSuspend(() => this.#add({ kind: 'sleep' })),
      power.onResume(() => this.#add({ kind: 'wake' })),
    ];
  }

  /** Oldest first. */
  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** The hours of the last seven days in which the server was asked, oldest first. */
  get connection(): readonly ConnectionHour[] {
    return this.#connection;
  }

  async load(): Promise<void> {
    const { secrets, clock, version } = this.#deps;
    const read = await readDocument(secrets, documentName, timelineDocument);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    const stored = read.kind === 'value' ? read.value : { entries: [], connection: [] };
    this.#entries = [...stored.entries.flatMap((each) => each ?? []), ...this.#entries];
    this.#connection = [...stored.connection];
    this.#isLoaded = true;
    this.#add({ kind: 'start', version, boot: clock.sinceBoot() });
  }

  /** A call to the server has come to this. */
  addAnswer(endpoint: EndpointName | 'leaseKeys', result: ApiResult<unknown>): void {
    const at = this.#now();
    const code = result.kind === 'success' ? null : result.failure.code;
    if (code === 'CANCELED') return;
    this.#count(at, result.kind !== 'inconclusive');
    const last = this.#entries.findLast((each) => each.kind === 'answer' && each.endpoint === endpoint);
    if (last?.kind === 'answer' && last.outcome === result.kind && last.code === code && !this.#isAfterStart(last)) {
      this.#entries[this.#entries.indexOf(last)] = { ...last, times: last.times + 1, last_at: at };
    } else {
      const serverMs = result.kind === 'success' ? result.serverTimeMs : null;
      const server_time = serverMs === null ? null : toTimestamp(serverMs);
      this.#add({ kind: 'answer', endpoint, outcome: result.kind, code, server_time, times: 1, last_at: at });
    }
    void this.#saveIfDue();
  }

  /** The person has done something, and it came to that: `done` or a code. */
  addCommand(command: string, outcome: string): void {
    this.#add({ kind: 'command', command, outcome });
  }

  /** What is decided now; nothing is added while that stays the same. */
  noteDecision(license: LicenseState, features: readonly string[]): void {
    const reason = license.kind === 'blocked' ? license.reason : null;
    const until = license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
    const decision = JSON.stringify([license.kind, reason, features]);
    if (decision === this.#decision || !this.#isLoaded) return;
    this.#decision = decision;
    this.#add({ kind: 'decision', license: license.kind, reason, until, features_on: [...features] });
    void this.#save();
  }

  /** Stores what was added. Never rejects. */
  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    if (!this.#isLoaded) return;
    this.#add({ kind: 'stop' });
    await this.#save();
  }

  /** Whether the client was started after that entry, so that it says nothing about this run. */
  #isAfterStart(since: TimelineEntry): boolean {
    return this.#entries.slice(this.#entries.indexOf(since)).some(({ kind }) => kind === 'start');
  }

  #add(fields: Fields): void {
    const { clock } = this.#deps;
    const [wallMs, monotonicMs] = [clock.now(), clock.monotonic()];
    const jumped_ms = Math.round(wallMs - this.#clocks.wallMs - (monotonicMs - this.#clocks.monotonicMs));
    this.#clocks = { wallMs, monotonicMs };
    const times = { at: toTimestamp(wallMs), monotonic_ms: Math.round(monotonicMs) };
    if (Math.abs(jumped_ms) > clockToleranceMs) this.#entries.push({ ...times, kind: 'clock', jumped_ms });
    this.#entries.push({ ...times, ...fields } as TimelineEntry);
    this.#entries = this.#entries.slice(-maxEntries);
  }

  #count(at: string, answered: boolean): void {
    const hour = `${at.slice(0, 13)}:00:00.000Z`;
    const last = this.#connection.at(-1);
    const current = last?.hour === hour ? last : { hour, answered: 0, failed: 0 };
    const counted = answered
      ? { ...current, answered: current.answered + 1 }
      : { ...current, failed: current.failed + 1 };
    const before = last?.hour === hour ? this.#connection.slice(0, -1) : this.#connection;
    this.#connection = [...before, counted].slice(-maxHours);
  }

  async #saveIfDue(): Promise<void> {
    if (this.#deps.clock.monotonic() - this.#savedAtMs >= saveEveryMs) await this.#save();
  }

  async #save(): Promise<void> {
    const { secrets, log, clock } = this.#deps;
    if (!this.#isLoaded) return;
    this.#savedAtMs = clock.monotonic();
    this.#entries = newestOf(this.#entries);
    const document = { version: 1, min_reader: 1, entries: this.#entries, connection: this.#connection };
    try {
      if (this.#setAsideFirst) await secrets.setAside(documentName);
      this.#setAsideFirst = false;
      await secrets.write(documentName, JSON.stringify(document));
    } catch {
      log.warn('the timeline could not be stored');
    }
  }

  #now(): string {
    return toTimestamp(this.#deps.clock.now());
  }
}

/** As many of the newest as are stored. */
function newestOf(entries: readonly TimelineEntry[]): TimelineEntry[] {
  let length = 0;
  const lastBeyond = entries.findLastIndex((entry) => {
    length += JSON.stringify(entry).length;
    return length > maxLength;
  });
  return entries.slice(lastBeyond + 1);
}
