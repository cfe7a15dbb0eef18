/** The last few lines of the activity. */
import { ActivityList } from '../../components/ActivityList.tsx';
import { Panel } from '../../components/Panel.tsx';
import { PlaceLink } from '../../components/PlaceLink.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';

const shown = 5;

export function RecentActivity() {
  const { t } = useSentences();
  const activity = useApp((app) => app.activity);
  return (
    <Panel title={t('overview.activity')} aside={<PlaceLink place="activity">{t('overview.activityLink')}</PlaceLink>}>
      {activity.length === 0 ? (
        <p className="hint">{t('activity.empty')}</p>
      ) : (
        <ActivityList entries={activity.slice(0, shown)} />
      )}
    </Panel>
  );
}
