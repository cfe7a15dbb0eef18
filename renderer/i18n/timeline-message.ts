/** Describes a timeline entry in words. */
import type { TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import type { Tone } from '../components/Banner.tsx';
import { describeCode } from './failure-message.ts';
import type { Translate } from './messages.ts';

export function timelineMessage(entry: TimelineEntry, t: Translate): string {
  switch (entry.kind) {
    case 'start':
      return t('diagnostics.entry.start', { version: entry.version });
    case 'stop':
    case 'sleep':
    case 'wake':
      return t(`diagnostics.entry.${entry.kind}`);
    case 'clock':
      return t('diagnostics.entry.clock', { minutes: Math.round(entry.jumped_ms / 60_000) });
    case 'answer': {
      const { endpoint, code, times: count } = entry;
      return code === null
        ? t('diagnostics.entry.answered', { endpoint, count })
        : t('diagnostics.entry.refused', { endpoint, what: describeCode(code, t), count });
    }
    case 'command': {
      const { command, outcome } = entry;
      return outcome === 'done'
        ? t('diagnostics.entry.done', { command })
        : t('diagnostics.entry.failed', { command, what: describeCode(outcome, t) });
    }
    case 'decision':
      return t('diagnostics.entry.decision', {
        license: t.find(`diagnostics.state.${entry.license}`) ?? entry.license,
        count: entry.features_on.length,
      });
  }
}

/** Returns the color of its mark; the text conveys the same. */
export function timelineTone(entry: TimelineEntry): Tone {
  switch (entry.kind) {
    case 'answer':
      if (entry.outcome === 'inconclusive') return 'attention';
      return entry.outcome === 'error' ? 'blocked' : 'good';
    case 'clock':
      return 'attention';
    case 'command':
      return entry.outcome === 'done' ? 'good' : 'attention';
    case 'decision':
      return entry.license === 'works' ? 'good' : 'attention';
    case 'start':
    case 'stop':
    case 'sleep':
    case 'wake':
      return 'unknown';
  }
}
