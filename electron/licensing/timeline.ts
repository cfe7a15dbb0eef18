/**
 * What happened to the client, and when: starts, server answers, sleep, clock jumps, user commands and decisions. For
 * the window and the support file, and detailed enough to replay a run.
 */
import { z } from 'zod';
import type { EndpointName } from '../../shared/api/endpoints.ts';
import type { LicenseState } from '../../shared/ipc/app-state.ts';
import {
  type ConnectionHour,
  connectionHour,
  type entryTimes,
  type KnownFacts,
  type TimelineEntry,
  timelineEntry,
} from '../../shared/ipc/diagnostics.ts';
import { describeAnswer } from './answer-content.ts';
import type { ApiResult } from './api-response.ts';
import { toTimestamp } from './failure.ts';
import { type Clocks, KnownSchedule, readClocks, sleptBetween } from './known-schedule.ts';
import type { Clock, Log, Power, SecretStore } from './platform.ts';
import { readDocument } from './stored-document.ts';
import { clockToleranceMs } from './trusted-time.ts';

const documentName = 'timeline';
const maxEntries = 1000;
/** Limit for the entries as JSON: a decision, which is stored at once, names each feature that is on. */
const maxLength = 512 * 1024;
const maxHours = 7 * 24;
/** How often it is stored automatically; also when a decision changes, and when the client stops. */
const saveEveryMs = 60 * 60_000;

const timelineDocument = z.object({
  version: z.literal(1),
  entries: z.array(timelineEntry.nullable().catch(null)),
  connection: z.array(connectionHour),
});

type TimelineDeps = {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly power: Power;
  readonly log: Log;
  /** Version of the app. */
  readonly version: string;
};

/** The outcome of a command, and what else a replay needs. */
export type CommandNote = Omit<Extract<Fields, { kind: 'command' }>, 'kind'>;

/** Omits per kind, since `Omit` of a union keeps only the common fields. */
type Fields<Entry = TimelineEntry> = Entry extends TimelineEntry
  ? Omit<Entry, keyof z.infer<typeof entryTimes>>
  : never;

export class Timeline {
  readonly #deps: TimelineDeps;
  readonly #stopListening: readonly (() => void)[];
  readonly #known: KnownSchedule;
  #entries: TimelineEntry[] = [];
  #connection: ConnectionHour[] = [];
  #decision = '';
  #clocks: Clocks;
  #savedAtMs: number;
  /** The stored document is unreadable or from a newer version: it is set aside before the first write. */
  #setAsideFirst = false;
  #isLoaded = false;
  /** `onResume` is also called when the network returns. */
  #isAsleep = false;

  constructor(deps: TimelineDeps) {
    const { clock, power } = deps;
    this.#deps = deps;
    this.#known = new KnownSchedule(clock);
    this.#clocks = readClocks(clock);
    this.#savedAtMs = clock.monotonic();
    this.#stopListening = [
      power.onSuspend(() => {
        this.#isAsleep = true;
        this.#add({ kind: 'sleep' });
      }),
      power.onResume(() => {
        if (this.#isAsleep) this.#add({ kind: 'wake' });
        this.#isAsleep = false;
      }),
    ];
  }

  /** Oldest first. */
  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** Hours of the last seven days in which the server was asked, oldest first. */
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

  /** Called once the stored data was read: the next entry includes the known facts, as do later ones at intervals. */
  recordKnown(describe: () => KnownFacts): void {
    this.#known.begin(describe);
  }

  /** Records the result of a call to the server. */
  addAnswer(endpoint: EndpointName | 'leaseKeys', result: ApiResult<unknown>): void {
    const at = this.#now();
    const code = result.kind === 'success' ? null : result.failure.code;
    if (code === 'CANCELED') return;
    this.#count(at, result.kind !== 'inconclusive');
    const last_monotonic_ms = Math.round(this.#deps.clock.monotonic());
    const said = result.kind === 'success' ? describeAnswer(endpoint, result.response) : undefined;
    const answer = { outcome: result.kind, code, ...(said === undefined ? {} : { said }) };
    const requestId = result.kind === 'success' ? undefined : result.failure.requestId;
    const request = requestId === undefined ? {} : { request_id: requestId };
    const last = this.#entries.findLast((each) => each.kind === 'answer' && each.endpoint === endpoint);
    if (last?.kind === 'answer' && isSame(last, answer) && !this.#known.isDue && !this.#isAfterStart(last)) {
      const repeated = { ...last, times: last.times + 1, last_at: at, last_monotonic_ms, ...request };
      this.#entries[this.#entries.indexOf(last)] = repeated;
    } else {
      const serverMs = result.kind === 'success' ? result.serverTimeMs : null;
      const server_time = serverMs === null ? null : toTimestamp(serverMs);
      const times = { times: 1, last_at: at, last_monotonic_ms };
      this.#add({ kind: 'answer', endpoint, ...answer, server_time, ...times, ...request });
    }
    void this.#saveIfDue();
  }

  /** Records a user's command and its outcome: `done` or a code. */
  addCommand(note: CommandNote): void {
    // The account's stored data was just read.
    const hasSignedIn = note.outcome === 'done' && (note.command === 'signIn' || note.command === 'signUp');
    if (hasSignedIn) this.#known.restart();
    this.#add({ kind: 'command', ...note });
  }

  /** Records the current decision; does nothing while it stays the same. */
  recordDecision(license: LicenseState, features: readonly string[]): void {
    const reason = license.kind === 'blocked' ? license.reason : null;
    const until = license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
    const decision = JSON.stringify([license.kind, reason, features]);
    if (decision === this.#decision || !this.#isLoaded) return;
    this.#decision = decision;
    this.#add({ kind: 'decision', license: license.kind, reason, until, features_on: [...features] });
    void this.#save();
  }

  /** Records the stop and stores all entries. Never rejects. */
  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    if (!this.#isLoaded) return;
    this.#add({ kind: 'stop' });
    await this.#save();
  }

  /** True if the client was started after that entry, so that it says nothing about this run. */
  #isAfterStart(since: TimelineEntry): boolean {
    return this.#entries.slice(this.#entries.indexOf(since)).some(({ kind }) => kind === 'start');
  }

  #add(fields: Fields): void {
    const before = this.#clocks;
    this.#clocks = readClocks(this.#deps.clock);
    const { wallMs, monotonicMs } = this.#clocks;
    const passedMs = monotonicMs - before.monotonicMs;
    const jumped_ms = Math.round(wallMs - before.wallMs - passedMs);
    const slept_ms = sleptBetween(before, this.#clocks);
    const times = { at: toTimestamp(wallMs), monotonic_ms: Math.round(monotonicMs) };
    const isJump = Math.abs(jumped_ms) > clockToleranceMs || slept_ms > clockToleranceMs;
    if (isJump) this.#entries.push({ ...times, kind: 'clock', jumped_ms, slept_ms });
    this.#entries.push({ ...times, ...this.#known.take(), ...fields } as TimelineEntry);
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

type Answered = Pick<Extract<TimelineEntry, { kind: 'answer' }>, 'outcome' | 'code' | 'said'>;

function isSame(last: Answered, { outcome, code, said }: Answered): boolean {
  return last.outcome === outcome && last.code === code && JSON.stringify(last.said) === JSON.stringify(said);
}

/** Returns the newest entries, as many as are stored. */
function newestOf(entries: readonly TimelineEntry[]): TimelineEntry[] {
  let length = 0;
  const lastBeyond = entries.findLastIndex((entry) => {
    length += JSON.stringify(entry).length;
    return length > maxLength;
  });
  return entries.slice(lastBeyond + 1);
}
