/** The diagnostics screen: recent connection history, timeline, connection doctor, and support file. */
import { FileText } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Diagnostics as LoadedDiagnostics, TimelineEntry } from '../../shared/ipc/diagnostics.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Page, Panel } from '../components/Page.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { exactTime, shortTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { timelineMessage, timelineTone } from '../i18n/timeline-message.ts';
import { DoctorButton } from '../layout/DoctorButton.tsx';
import { showSupportFile, useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { useNow } from '../use-timers.ts';
import { ConnectionPlot } from './ConnectionPlot.tsx';

export function Diagnostics() {
  const { t } = useMessages();
  const { run, failure } = useAction();
  const [loaded, setLoaded] = useState<LoadedDiagnostics | null>(null);
  // Each sync adds new entries.
  const syncing = useApp((app) => app.syncing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again after each sync
  useEffect(() => {
    if (!syncing) void run(() => bridge.loadDiagnostics()).then((result) => result && setLoaded(result.value));
  }, [syncing]);
  return (
    <Page title={t('navigation.diagnostics')} intro={t('diagnostics.intro')} aside={<DoctorButton />}>
      {failure !== null && <FailureAlert failure={failure} />}
      <Panel title={t('diagnostics.connection')}>
        {loaded === null ? <Skeleton lines={2} /> : <ConnectionPlot connection={loaded.connection} />}
      </Panel>
      <Panel title={t('diagnostics.support')}>
        <p className="panel-intro">{t('diagnostics.supportText')}</p>
        <ActionButton icon={FileText} onPress={() => showSupportFile(true)}>
          {t('diagnostics.saveSupport')}
        </ActionButton>
      </Panel>
      <Panel title={t('diagnostics.timeline')}>
        {loaded === null ? <Skeleton lines={8} /> : <Timeline entries={loaded.timeline} />}
      </Panel>
    </Page>
  );
}

const shownAtFirst = 50;

/** Shows the entries newest first. */
function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  const [all, setAll] = useState(false);
  const newest = entries.toReversed();
  const shown = all ? newest : newest.slice(0, shownAtFirst);
  return (
    <>
      <ul className="activity" aria-label={t('diagnostics.timeline')}>
        {shown.map((entry) => (
          <li key={`${entry.at} ${entry.kind} ${timelineMessage(entry, t)}`} className="activity-item timeline-item">
            <time className="activity-time tabular" dateTime={entry.at} title={exactTime(entry.at, locale)}>
              {shortTime(entry.at, now, locale)}
            </time>{' '}
            <span className={`activity-dot tone-${timelineTone(entry)}`} aria-hidden />
            <span className="activity-text wrap-anywhere">{timelineMessage(entry, t)}</span>
          </li>
        ))}
      </ul>
      {shown.length < newest.length && (
        <ActionButton onPress={() => setAll(true)}>{t('diagnostics.showAll', { count: newest.length })}</ActionButton>
      )}
    </>
  );
}
