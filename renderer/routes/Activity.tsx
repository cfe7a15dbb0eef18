/** The activity screen: what happened on this device, by day and searchable, and the history export. */
import { Activity as ActivityIcon, FileDown, SearchX } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { ActivityEntry } from '../../shared/ipc/app-state.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Field } from '../components/Field.tsx';
import { Page, Panel } from '../components/Page.tsx';
import { EmptyState } from '../components/Placeholders.tsx';
import { SettingSelect } from '../components/SettingControls.tsx';
import { showToast } from '../components/toast-store.ts';
import {
  type ActivityView,
  activityByDay,
  activityDetail,
  activityTone,
  activityViews,
  findActivity,
} from '../i18n/activity.ts';
import { gateMessage } from '../i18n/feature-message.ts';
import { clockTime, dayName, exactTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction, useFailureToast } from '../use-action.ts';
import { useNow } from '../use-timers.ts';

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

/** The entries by day, filtered by the user's search. */
function FoundActivity({ activity }: { readonly activity: readonly ActivityEntry[] }) {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  const [view, setView] = useState<ActivityView>('all');
  const [query, setQuery] = useState('');
  const search = useRef<HTMLDivElement>(null);
  const found = findActivity(activity, { view, query }, t, locale);
  const showAll = () => {
    setView('all');
    setQuery('');
    // The focused button has been removed by then.
    search.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <div ref={search} className="activity-search">
        <Field label={t('activity.find')} value={query} onChange={setQuery} autoComplete="off" />
        <SettingSelect
          label={t('activity.show')}
          value={view}
          onChange={setView}
          options={activityViews.map((id) => ({ id, name: t(`activity.view.${id}`) }))}
        />
      </div>
      <p className="visually-hidden" role="status">
        {t('activity.found', { count: found.length })}
      </p>
      {found.length === 0 && (
        <div className="panel">
          <EmptyState icon={SearchX} title={t('activity.noneFound')} hint={t('activity.noneFoundHint')}>
            <ActionButton onPress={showAll}>{t('activity.showAll')}</ActionButton>
          </EmptyState>
        </div>
      )}
      {activityByDay(found).map(([day, entries]) => {
        const title = dayName(day, now, locale);
        return (
          <Panel key={day} title={title}>
            <ActivityList entries={entries} label={title} />
          </Panel>
        );
      })}
    </>
  );
}

export function ActivityList({
  entries,
  label,
}: {
  readonly entries: readonly ActivityEntry[];
  readonly label?: string;
}) {
  const { t, locale } = useMessages();
  return (
    <ul className="activity" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id} className="activity-item">
          <time className="activity-time tabular" dateTime={entry.at} title={exactTime(entry.at, locale)}>
            {clockTime(entry.at, locale)}
          </time>{' '}
          <span className={`activity-dot tone-${activityTone(entry.kind)}`} aria-hidden />
          <span className="activity-text">
            {t(`activity.kind.${entry.kind}`)}
            <ActivityDetail entry={entry} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function ActivityDetail({ entry }: { readonly entry: ActivityEntry }) {
  const { t } = useMessages();
  const detail = activityDetail(entry, t);
  return detail !== null && <span className="activity-detail wrap-anywhere"> · {detail}</span>;
}

/** Exports devices and heartbeats to a CSV file; disabled, with the reason, if the plan lacks the feature. */
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
