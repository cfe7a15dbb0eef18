/** What happens next and when, so that no check, renewal or end comes as a surprise. */
import { useMemo } from 'react';
import { Panel } from '../components/Page.tsx';
import { exactTime, relativeTime, shortTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { type Upcoming, upcoming } from '../i18n/upcoming.ts';
import { useStore } from '../store.ts';
import { useServerNow } from '../use-server-now.ts';

const updateMs = 5_000;
const hourMs = 3_600_000;

/** Renders nothing if nothing is known to happen. */
export function UpcomingPanel() {
  const { t } = useMessages();
  const now = useServerNow(updateMs);
  const app = useStore((store) => store.app);
  const events = useMemo(() => (app === null ? [] : upcoming(app, now, t)), [app, now, t]);
  if (events.length === 0) return null;
  return (
    <Panel title={t('upcoming.title')}>
      <ul className="upcoming" aria-label={t('upcoming.title')}>
        {events.map((event) => (
          <li key={`${event.kind} ${event.text}`} className="upcoming-item">
            <UpcomingTime at={event.at} now={now} />{' '}
            <span>
              {event.text}
              {event.detail !== null && <span className="activity-detail"> · {event.detail}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** "in 3 minutes" within the hour, otherwise the time or the day; exact on hover. */
function UpcomingTime({ at, now }: Pick<Upcoming, 'at'> & { readonly now: number }) {
  const { t, locale } = useMessages();
  if (at === null) return <span className="activity-time">{t('offlineUse.nextCheck')}</span>;
  const left = Math.max(0, Date.parse(at) - now);
  const soon = new Date(now + left).toISOString();
  return (
    <time className="activity-time tabular" dateTime={at} title={exactTime(at, locale)}>
      {left < hourMs ? relativeTime(soon, now, locale, t('diagnostics.now')) : shortTime(at, now, locale)}
    </time>
  );
}
