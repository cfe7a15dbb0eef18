/** Everything at one glance: first steps while something is missing, then features, this device and what happened. */
import { Page } from '../components/Page.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { holdsReleasedKey, useApp } from '../store.ts';
import { ShortAccount } from './account/ShortAccount.tsx';
import { DevicePanel } from './overview/DevicePanel.tsx';
import { FeaturesPanel } from './overview/FeaturesPanel.tsx';
import { FirstSteps } from './overview/FirstSteps.tsx';
import { RecentActivity } from './overview/RecentActivity.tsx';

export function Overview() {
  const { t } = useSentences();
  const license = useApp((app) => app.license.kind);
  const holdsKey = useApp(holdsReleasedKey);
  const isNew = (license === 'not-activated' && !holdsKey) || license === 'no-license';
  return (
    <Page title={t('overview.title')}>
      {isNew && <FirstSteps />}
      <div className="columns">
        <FeaturesPanel />
        <div className="stack">
          <DevicePanel />
          <ShortAccount />
        </div>
      </div>
      <RecentActivity />
    </Page>
  );
}
