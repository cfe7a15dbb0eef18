/** What happened, newest first. */
import type { ActivityEntry } from '../../shared/ipc/app-state.ts';
import { activityTone } from '../i18n/activity-tone.ts';
import { clockTime, exactTime } from '../i18n/times.ts';
import { useSentences } from '../i18n/use-sentences.ts';

export function ActivityList({
  entries,
  label,
}: {
  readonly entries: readonly ActivityEntry[];
  readonly label?: string;
}) {
  const { t, locale } = useSentences();
  return (
    <ul className="activity" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id} className="activity-item">
          <time className="activity-time tabular" dateTime={entry.at} title={exactTime(entry.at, locale)}>
            {clockTime(entry.at, locale)}
          </time>{' '}
          <span className={`activity-dot tone-${activityTone(entry.kind)}`} aria-hidden />
          <span className="activity-words">
            {t(`activity.kind.${entry.kind}`)}
            {entry.detail !== null && <span className="activity-detail wrap-anywhere"> · {entry.detail}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
