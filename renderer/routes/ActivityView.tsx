/** All that happened, by day. */
import { Activity } from 'lucide-react';
import { ActivityList } from '../components/ActivityList.tsx';
import { Empty } from '../components/Empty.tsx';
import { ExportHistory } from '../components/ExportHistory.tsx';
import { Page } from '../components/Page.tsx';
import { Panel } from '../components/Panel.tsx';
import { activityByDay } from '../i18n/activity-by-day.ts';
import { dayName } from '../i18n/times.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { useNow } from '../use-now.ts';

export function ActivityView() {
  const { t, locale } = useSentences();
  const now = useNow(60_000);
  const activity = useApp((app) => app.activity);
  return (
    <Page title={t('navigation.activity')} intro={t('activity.intro')} aside={<ExportHistory />}>
      {activity.length === 0 && (
        <div className="panel">
          <Empty icon={Activity} title={t('activity.empty')} hint={t('activity.emptyHint')} />
        </div>
      )}
      {activityByDay(activity).map(([day, entries]) => {
        const title = dayName(day, now, locale);
        return (
          <Panel key={day} title={title}>
            <ActivityList entries={entries} label={title} />
          </Panel>
        );
      })}
    </Page>
  );
}
