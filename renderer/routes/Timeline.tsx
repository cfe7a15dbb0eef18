/** The timeline of this installation: searchable, newest first and by day; entries expand to their facts. */
import { History } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { EmptyState } from '../components/Placeholders.tsx';
import { entriesByDay, type ShownEntry } from '../i18n/entries.ts';
import { dayName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { describeTimelineEntry } from '../i18n/timeline-entry.ts';
import { useNow } from '../use-timers.ts';
import { EntryList } from './EntryList.tsx';
import { SearchedEntries } from './SearchedEntries.tsx';

export function Timeline({ timeline }: { readonly timeline: readonly TimelineEntry[] }) {
  const messages = useMessages();
  const { t } = messages;
  // Also described again after a change of the time zone, which changes `messages` only.
  const entries = useMemo(
    () => timeline.toReversed().map((entry) => describeTimelineEntry(entry, messages.t, messages.locale)),
    [timeline, messages],
  );
  if (entries.length === 0) {
    return <EmptyState icon={History} title={t('diagnostics.empty')} hint={t('diagnostics.emptyHint')} />;
  }
  return (
    <SearchedEntries entries={entries} label={t('diagnostics.find')}>
      {(found) => <TimelineDays found={found} />}
    </SearchedEntries>
  );
}

const shownAtFirst = 50;

/** The entries by day: the newest ones first, the others on request. */
function TimelineDays({ found }: { readonly found: readonly ShownEntry[] }) {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  // Moves the focus to the first added entry, since the button is gone.
  useEffect(() => {
    if (all) list.current?.querySelectorAll('summary')[shownAtFirst]?.focus();
  }, [all]);
  const shown = all ? found : found.slice(0, shownAtFirst);
  if (found.length === 0) return null;
  return (
    <>
      <ul ref={list} className="timeline" aria-label={t('diagnostics.timeline')}>
        {entriesByDay(shown).map(([day, entries]) => {
          const title = dayName(day, now, locale);
          return (
            <li key={day}>
              <h3 className="timeline-day">{title}</h3>
              <EntryList entries={entries} label={title} />
            </li>
          );
        })}
      </ul>
      {shown.length < found.length && (
        <ActionButton onPress={() => setAll(true)}>{t('diagnostics.showAll', { count: found.length })}</ActionButton>
      )}
    </>
  );
}
