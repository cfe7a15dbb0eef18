/** The support file: everything that support needs, and nothing secret. Pure. */
import { redactText } from '../../shared/formats/redact.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { FeatureDecision } from '../../shared/ipc/decision.ts';
import type { ConnectionHour, TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import type { LeaseClaims } from '../../shared/lease.ts';

const maxBytes = 1024 * 1024;
const maxLogLines = 500;
const maxTextLength = 10_000;

type SupportFileInput = {
  readonly madeAt: string;
  readonly state: AppState;
  /** Claims of the lease in use, without its signature. */
  readonly lease: LeaseClaims | null;
  readonly decisions: readonly FeatureDecision[];
  readonly timeline: readonly TimelineEntry[];
  readonly connection: readonly ConnectionHour[];
  /** `null` if canceled. */
  readonly doctor: DoctorReport | null;
  /** The last lines of the log, oldest first. */
  readonly log: readonly string[];
  /** The versions that the app runs on, by name. */
  readonly system: Readonly<Record<string, string>>;
  /** Host name of this machine, even if the user has renamed it. */
  readonly hostName: string;
  /** Names of stored documents that could not be read. */
  readonly unreadable: readonly string[];
  /** Every secret that the client holds. */
  readonly secrets: readonly string[];
  /** Number of days before `madeAt` whose entries are included. */
  readonly days: number;
  /** Whether to keep the email, full name and machine name. */
  readonly includeNames: boolean;
};

/**
 * Returns the JSON text of the file, at most 1 MiB: if it would be longer, the oldest lines of the log and timeline are
 * dropped, then the last features.
 */
export function formatSupportFile(input: SupportFileInput): string {
  const since = Date.parse(input.madeAt) - input.days * 86_400_000;
  let timeline = sinceThen(input.timeline, since);
  let log = input.log.slice(-maxLogLines);
  let { decisions } = input;
  const redact = makeRedact(input);
  for (;;) {
    const text = `${JSON.stringify(redactIn(describe({ ...input, timeline, log, decisions }), redact), null, 2)}\n`;
    const isEmpty = log.length === 0 && timeline.length === 0;
    if (new TextEncoder().encode(text).length <= maxBytes || (isEmpty && decisions.length === 0)) return text;
    if (isEmpty) decisions = decisions.slice(0, Math.floor((decisions.length * 3) / 4));
    log = log.slice(Math.ceil(log.length / 4));
    timeline = timeline.slice(Math.ceil(timeline.length / 4));
  }
}

/**
 * Returns everything from the first entry of that time on, whatever a wrong clock said later. An answer repeated since
 * then is included, without what was known when it first came.
 */
function sinceThen(timeline: readonly TimelineEntry[], since: number): TimelineEntry[] {
  const first = timeline.findIndex(({ at }) => Date.parse(at) >= since);
  const isBefore = (index: number) => first === -1 || index < first;
  return timeline.flatMap((entry, index): readonly TimelineEntry[] => {
    if (!isBefore(index)) return [entry];
    if (entry.kind !== 'answer' || Date.parse(entry.last_at) < since) return [];
    const { known: _, ...rest } = entry;
    return [rest];
  });
}

/** Fields and order are fixed. */
function describe(input: SupportFileInput) {
  const { madeAt, state, lease, decisions, timeline, connection, doctor, system, unreadable, log } = input;
  const { app, server, session, thisDevice, license, settings } = state;
  return {
    format: 1,
    made_at: madeAt,
    app: { version: app.version, runtime: app.runtime },
    system: { platform: app.platform, ...system, clock: state.clock },
    server: {
      address: server.address,
      reachability: server.reachability.kind,
      last_answer_at: server.lastAnswerAt,
      leases: server.leases,
    },
    account: session.kind === 'signed-in' ? { id: session.user.id } : null,
    device: { device_id: thisDevice?.deviceId ?? null, source: thisDevice?.idSource ?? null },
    license: { state: license, key_preview: thisDevice?.license?.keyPreview ?? null, activated: thisDevice?.activated },
    lease: { ...state.lease, claims: lease },
    features: decisions,
    timeline,
    connection,
    doctor,
    settings,
    store: { secret_storage: state.secretStorage, unreadable },
    log,
  };
}

/** Removes secrets and names from every text within the value; field names stay. */
function redactIn(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value).slice(0, maxTextLength);
  if (Array.isArray(value)) return value.map((each) => redactIn(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactIn(each, redact)]));
}

type Replacement = (text: string) => string;

/**
 * A server may send tokens and names of any length; a longer pattern takes too much time, and V8 refuses the longest.
 */
const maxPatternLength = 1000;

/** Replaces by value what the client holds, and by shape what merely looks like it. */
function makeRedact({ state, hostName, secrets, includeNames }: SupportFileInput): (text: string) => string {
  const held = secrets
    .filter((secret) => secret.length >= 6)
    .map((secret) => replacing(secret, '[redacted]', (form) => form));
  const names = includeNames ? [] : namesOf(state, hostName);
  const replace = (text: string, replacement: Replacement) => replacement(text);
  return (text) => names.reduce(replace, redactText(held.reduce(replace, text)));
}

/** Longest first, because one may be part of another. */
function namesOf({ session, thisDevice }: AppState, hostName: string): Replacement[] {
  const { email = '', full_name = '' } = session.kind === 'signed-in' ? session.user : {};
  const ended = session.kind === 'signed-out' ? (session.email ?? '') : '';
  const names = [
    [email, '<email>'],
    [ended, '<email>'],
    [full_name, '<name>'],
    [thisDevice?.name ?? '', '<host>'],
    [hostName, '<host>'],
  ] as const;
  return names
    .filter(([name]) => name !== '')
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, by]) => replacing(name, by, wordPattern));
}

/** The letters of a JSON or URL escape are not part of the word after it. */
const wordStart = '(?:(?<![\\p{L}\\p{N}_])|(?<=\\\\(?:[bfnrt]|u[0-9a-f]{4})|%[0-9a-f]{2}))';

/** Matches whole words: a name such as `vm` is part of many. */
function wordPattern(pattern: string): string {
  return `${wordStart}${pattern}(?![\\p{L}\\p{N}_])`;
}

/** Replaces the value as it is, escaped in JSON or a URL, and as a key without its hyphens. */
function replacing(value: string, by: string, toPattern: (pattern: string) => string): Replacement {
  const ofKey = /^[\w-]+$/.test(value) ? [value.replaceAll('-', ''), value.replaceAll('-', ' ')] : [];
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), ...ofKey];
  const sorted = forms.toSorted((a, b) => b.length - a.length);
  if (value.length > maxPatternLength)
    return (text) => sorted.reduce((rest, form) => rest.replaceAll(form, () => by), text);
  const escaped = sorted.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(toPattern(`(?:${escaped.join('|')})`), 'giu');
  return (text) => text.replace(pattern, by);
}
