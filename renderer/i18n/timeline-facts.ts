/** The exact names, codes and times of a timeline entry, for support. */
import type { TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import { exactTime } from './format.ts';
import type { Translate } from './messages.ts';

type Facts = readonly (readonly [name: string, value: string])[];

export function timelineFacts(entry: TimelineEntry, t: Translate, locale: string): Facts {
  const { name, code } = codesOf(entry);
  return [
    [t('diagnostics.fact.event'), name],
    ...(code === null ? [] : [[t('common.code'), code] as const]),
    [t('common.time'), exactTime(entry.at, locale)],
    ...moreOf(entry, t, locale),
  ];
}

/** Returns the code of a refusal, which may also be a successful response saying that the license is not valid. */
export function refusalOf({ code, said }: Extract<TimelineEntry, { kind: 'answer' }>): string | null {
  const validation = said?.validation;
  return validation !== undefined && !validation.valid ? validation.code : code;
}

function codesOf(entry: TimelineEntry): { readonly name: string; readonly code: string | null } {
  switch (entry.kind) {
    case 'answer':
      return { name: `answer · ${entry.endpoint} · ${entry.outcome}`, code: refusalOf(entry) };
    case 'command':
      return { name: `command · ${entry.command}`, code: entry.outcome };
    case 'decision':
      return { name: `decision · ${entry.license}`, code: entry.reason };
    default:
      return { name: entry.kind, code: null };
  }
}

function moreOf(entry: TimelineEntry, t: Translate, locale: string): Facts {
  switch (entry.kind) {
    case 'answer':
      return [
        ...(entry.times === 1
          ? []
          : [
              [t('diagnostics.fact.times'), String(entry.times)] as const,
              [t('diagnostics.fact.lastTime'), exactTime(entry.last_at, locale)] as const,
            ]),
        ...(entry.request_id === undefined ? [] : [[t('common.requestId'), entry.request_id] as const]),
        ...(entry.server_time === null
          ? []
          : [[t('diagnostics.fact.serverTime'), exactTime(entry.server_time, locale)] as const]),
      ];
    case 'command':
      return entry.took_ms === undefined ? [] : [[t('diagnostics.fact.took'), `${entry.took_ms} ms`]];
    case 'clock':
      return [
        [t('diagnostics.fact.jumped'), `${entry.jumped_ms} ms`],
        ...(entry.slept_ms === undefined ? [] : [[t('diagnostics.fact.slept'), `${entry.slept_ms} ms`] as const]),
      ];
    case 'decision':
      return [
        ...(entry.until === null ? [] : [[t('diagnostics.fact.until'), exactTime(entry.until, locale)] as const]),
        [t('diagnostics.fact.features'), entry.features_on.join(', ') || '–'],
      ];
    default:
      return [];
  }
}
