/** The activity screen: what happened on this device, by day and searchable, and the export of the history. */
import { Activity as ActivityIcon, FileDown } from 'lucide-react';
import { useId } from 'react';
import type { ActivityEntry } from '../../shared/ipc/app-state.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Page, Panel } from '../components/Page.tsx';
import { EmptyState } from '../components/Placeholders.tsx';
import { showToast } from '../components/toast-store.ts';
import { activityEntry } from '../i18n/activity.ts';
import { entriesByDay } from '../i18n/entries.ts';
import { gateMessage } from '../i18n/feature-message.ts';
import { dayName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction, useFailureToast } from '../use-action.ts';
import { useNow } from '../use-timers.ts';
import { EntryList } from './EntryList.tsx';
import { SearchedEntries } from './SearchedEntries.tsx';

export function Activity() {
  const { t } = useMessages();
  const activity = useApp((app) => app.activity);
  return (
    <Page title={t('navigation.activity')} intro={t('activity.intro')} aside={<ExportHistory />}>
      {activity.length === 0 ? (
        <div className="panel">
          <EmptyState icon={ActivityIcon} title={t('activity.empty')} hint={t('activity.emptyHint')} />
        </div>
      ) : (
        <FoundActivity activity={activity} />
      )}
    </Page>
  );
}

/** The entries that match the search, by day. */
function FoundActivity({ activity }: { readonly activity: readonly ActivityEntry[] }) {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  return (
    <SearchedEntries
      entries={activity.map((entry) => activityEntry(entry, t))}
      label={t('activity.find')}
      frame="panel"
    >
      {(found) =>
        entriesByDay(found).map(([day, entries]) => {
          const title = dayName(day, now, locale);
          return (
            <Panel key={day} title={title}>
              <EntryList entries={entries} label={title} />
            </Panel>
          );
        })
      }
    </SearchedEntries>
  );
}

/** Writes devices and heartbeats to a CSV file; disabled, with the reason, where the plan lacks the feature. */
export function ExportHistory() {
  const { t } = useMessages();
  const action = useAction();
  const showFailure = useFailureToast();
  const hintId = useId();
  const state = useApp((app) => app.features.find(({ feature }) => feature === 'csv_export'));
  const leaseProblem = useApp((app) => app.lease.problem);
  const off = state === undefined || !state.on;
  const write = () =>
    action.run(async () => {
      const result = await bridge.exportHistory();
      if (result.ok) showToast(t('activity.exported', { path: result.value.path }));
      else showFailure(result.failure);
      return result;
    });
  return (
    <div className="gated">
      <ActionButton
        icon={FileDown}
        pending={action.pending}
        disabled={off}
        describedBy={hintId}
        onPress={() => void write()}
      >
        {t('activity.export')}
      </ActionButton>
      <p id={hintId} className="hint">
        {state !== undefined && !state.on ? gateMessage(state.reason, leaseProblem, t) : t('activity.exportHint')}
      </p>
    </div>
  );
}
