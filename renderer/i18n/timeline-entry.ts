/** Describes a timeline entry in plain language; the exact names behind the text are its facts. */
import type { TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import type { Tone } from '../components/Banner.tsx';
import type { ShownEntry } from './entries.ts';
import { describeCode } from './failure-message.ts';
import { blockedMessage, isBlockedReason } from './feature-message.ts';
import { clockTime, duration, fullTime } from './format.ts';
import type { Translate } from './messages.ts';
import { refusalOf, timelineFacts } from './timeline-facts.ts';

type Answer = Extract<TimelineEntry, { kind: 'answer' }>;
type Command = Extract<TimelineEntry, { kind: 'command' }>;
type Decision = Extract<TimelineEntry, { kind: 'decision' }>;
type ClockEntry = Extract<TimelineEntry, { kind: 'clock' }>;
type Words = Pick<ShownEntry, 'tone' | 'text' | 'detail'>;

export function describeTimelineEntry(entry: TimelineEntry, t: Translate, locale: string): ShownEntry {
  return {
    id: [entry.at, entry.monotonic_ms, entry.kind, subjectOf(entry)].join(' '),
    at: entry.at,
    ...wordsOf(entry, t, locale),
    isRoutine: entry.kind === 'answer' && entry.outcome === 'success' && refusalOf(entry) === null,
    facts: timelineFacts(entry, t, locale),
  };
}

function wordsOf(entry: TimelineEntry, t: Translate, locale: string): Words {
  switch (entry.kind) {
    case 'start':
      return { tone: 'unknown', text: t('diagnostics.event.start', { version: entry.version }), detail: null };
    case 'stop':
    case 'sleep':
    case 'wake':
      return { tone: 'unknown', text: t(`diagnostics.event.${entry.kind}`), detail: null };
    case 'clock':
      return clockWords(entry, t, locale);
    case 'answer':
      return answerWords(entry, t, locale);
    case 'command':
      return commandWords(entry, t);
    case 'decision':
      return decisionWords(entry, t);
  }
}

/** A jump beyond the time that the machine slept means that somebody has set the clock. */
function clockWords({ jumped_ms, slept_ms = 0 }: ClockEntry, t: Translate, locale: string): Words {
  const setByMs = jumped_ms - slept_ms;
  if (Math.abs(setByMs) < 60_000) {
    return { tone: 'unknown', text: t('diagnostics.event.slept', { time: duration(slept_ms, locale) }), detail: null };
  }
  const text = t(setByMs > 0 ? 'diagnostics.event.clockForward' : 'diagnostics.event.clockBack', {
    time: duration(Math.abs(setByMs), locale),
  });
  return { tone: 'attention', text, detail: null };
}

const answerTones = { success: 'good', error: 'blocked', unsupported: 'unknown', inconclusive: 'attention' } as const;

function answerWords(entry: Answer, t: Translate, locale: string): Words {
  const { endpoint, outcome, times: count, at, last_at } = entry;
  const refusal = refusalOf(entry);
  const result = refusal === null ? t('diagnostics.answered') : describeCode(refusal, t);
  const isSameDay = new Date(at).toDateString() === new Date(last_at).toDateString();
  const last = isSameDay ? clockTime(last_at, locale) : fullTime(last_at, locale);
  return {
    tone: outcome === 'success' && refusal !== null ? 'blocked' : answerTones[outcome],
    text: t.find(`diagnostics.asked.${endpoint}`) ?? t('diagnostics.asked.other'),
    detail: count === 1 ? result : `${withoutStop(result)} · ${t('diagnostics.times', { count, last })}`,
  };
}

/** A canceled command is not a problem. */
function commandWords({ command, outcome }: Command, t: Translate): Words {
  if (outcome === 'done') {
    const text = t.find(`diagnostics.did.${command}`) ?? t('diagnostics.did.other');
    return { tone: 'good', text, detail: null };
  }
  return {
    tone: outcome === 'CANCELED' ? 'unknown' : 'attention',
    text: t.find(`diagnostics.couldNot.${command}`) ?? t('diagnostics.couldNot.other'),
    detail: describeCode(outcome, t),
  };
}

const decisionTones: Readonly<Record<string, Tone>> = { works: 'good', unknown: 'unknown', blocked: 'blocked' };

function decisionWords({ license, reason, features_on }: Decision, t: Translate): Words {
  const features = t('diagnostics.featuresOn', { count: features_on.length });
  return {
    tone: decisionTones[license] ?? 'attention',
    text: t.find(`diagnostics.state.${license}`) ?? t('diagnostics.state.unknown'),
    detail:
      reason !== null && isBlockedReason(reason) ? `${withoutStop(blockedMessage(reason, t))} · ${features}` : features,
  };
}

/** Removes the full stop of a sentence, so that more text can follow. */
function withoutStop(sentence: string): string {
  return sentence.replace(/[.。]$/, '');
}

/** Distinguishes entries of the same kind and time. */
function subjectOf(entry: TimelineEntry): string {
  if (entry.kind === 'answer') return entry.endpoint;
  return entry.kind === 'command' ? entry.command : '';
}
