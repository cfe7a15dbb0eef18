/** The overview screen: first steps on a new device, then features, this device, the account, what happens next and recent activity. */
import { Check } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { Page, Panel } from '../components/Page.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { RelativeTime } from '../components/Times.tsx';
import { activationCount } from '../i18n/account-messages.ts';
import { activityEntry } from '../i18n/activity.ts';
import { entriesByDay } from '../i18n/entries.ts';
import { dayName, daysBetween, exactTime, shortTime } from '../i18n/format.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { RouteLink } from '../layout/RouteLink.tsx';
import { offlineUntil } from '../offline-until.ts';
import { goTo } from '../routing.ts';
import { canActivateAgain, lastHeartbeatOf, useApp } from '../store.ts';
import { useServerNow } from '../use-server-now.ts';
import { useNow } from '../use-timers.ts';
import { AccountSummary } from './AccountPanels.tsx';
import { DeviceExcess } from './DeviceExcess.tsx';
import { EntryList } from './EntryList.tsx';
import { FeaturesPanel } from './FeaturesPanel.tsx';
import { UpcomingPanel } from './UpcomingPanel.tsx';

export function Overview() {
  const { t } = useMessages();
  const license = useApp((app) => app.license.kind);
  const activateAgain = useApp(canActivateAgain);
  const isNew = (license === 'not-activated' && !activateAgain) || license === 'no-license';
  return (
    <Page title={t('overview.title')}>
      {isNew && <FirstSteps />}
      <DeviceExcess link={<RouteLink route="devices">{t('overview.deviceLink')}</RouteLink>} />
      <div className="columns">
        <FeaturesPanel aside={<RouteLink route="features">{t('overview.seeFeatures')}</RouteLink>} />
        <div className="stack">
          <DevicePanel />
          <AccountSummary />
        </div>
      </div>
      <UpcomingPanel />
      <RecentActivity />
    </Page>
  );
}

function FirstSteps() {
  const { t } = useMessages();
  const session = useApp((app) => app.session);
  const verified = useApp((app) => app.installer.kind === 'genuine');
  if (session.kind !== 'signed-in') return null;
  const { email, full_name } = session.user;
  return (
    <Panel title={t('overview.welcome', { name: full_name.trim() || email })} className="panel-accent">
      <p className="panel-intro">{t('overview.firstSteps')}</p>
      <ol className="steps">
        <Step number={1} done title={t('overview.stepAccount')} hint={t('overview.stepAccountDone', { email })} />
        <Step number={2} title={t('overview.stepActivate')} hint={t('overview.stepActivateHint')}>
          <ActionButton variant="primary" onPress={() => goTo('devices')}>
            {t('overview.start')}
          </ActionButton>
        </Step>
        <Step number={3} done={verified} title={t('overview.stepVerify')} hint={t('overview.stepVerifyHint')}>
          {!verified && <ActionButton onPress={() => goTo('installer')}>{t('overview.installerLink')}</ActionButton>}
        </Step>
      </ol>
    </Panel>
  );
}

type StepProps = {
  readonly number: number;
  readonly title: string;
  readonly hint: string;
  readonly done?: boolean;
  /** Button for the step. */
  readonly children?: ReactNode;
};

function Step({ number, title, hint, done = false, children }: StepProps) {
  return (
    <li className={done ? 'step step-done' : 'step'}>
      <span className="step-mark tabular">{done ? <Check className="icon icon-small" aria-hidden /> : number}</span>{' '}
      <div className="step-text">
        <p>{title}</p> <p className="hint wrap-anywhere">{hint}</p>
      </div>{' '}
      {children}
    </li>
  );
}

function DevicePanel() {
  const { t } = useMessages();
  const device = useApp((app) => app.thisDevice);
  const lastFailure = useApp((app) => app.heartbeat.lastFailure);
  const lastHeartbeat = useApp(lastHeartbeatOf);
  // A server that refuses the license does not say whether the device is still activated, nor does one not yet asked.
  const isUnknown = useApp(({ license: { kind } }) => kind === 'blocked' || kind === 'unknown');
  const count = activationCount(device?.license ?? null);
  return (
    <Panel title={t('overview.device')} aside={<RouteLink route="devices">{t('overview.deviceLink')}</RouteLink>}>
      {device === null ? (
        <Skeleton lines={4} />
      ) : (
        <Facts>
          <Fact
            name={t('overview.name')}
            more={device.activated ? t('overview.activated') : !isUnknown && t('overview.notActivated')}
          >
            <bdi>{device.name || t('devices.unnamed')}</bdi>
          </Fact>
          {count !== null && (
            <Fact name={t('overview.activations')}>
              <span className="tabular">{t('overview.activationsUsed', count)}</span>
            </Fact>
          )}
          <Fact name={t('overview.heartbeat')} more={lastFailure !== null && t('overview.heartbeatFailed')}>
            {lastHeartbeat === null ? t('overview.noHeartbeat') : <RelativeTime at={lastHeartbeat} />}
          </Fact>
          <OfflineFact />
          <InstallerFact />
        </Facts>
      )}
    </Panel>
  );
}

/** Until when everything works offline, for users who are about to go offline. */
function OfflineFact() {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const until = useApp(offlineUntil);
  if (until === null) return null;
  return (
    <Fact name={t('overview.offline')} more={<RouteLink route="devices">{t('overview.offlineLink')}</RouteLink>}>
      <span title={exactTime(until, locale)}>
        {t('overview.offlineUntil', { until: shortTime(until, now, locale) })}
      </span>
    </Fact>
  );
}

function InstallerFact() {
  const { t } = useMessages();
  const installer = useApp((app) => app.installer);
  return (
    <Fact
      name={t('overview.installer')}
      more={installer.kind === 'idle' && <RouteLink route="installer">{t('overview.installerLink')}</RouteLink>}
    >
      {installerSummary(installer, t)}
    </Fact>
  );
}

function installerSummary(installer: InstallerState, t: Translate): string {
  switch (installer.kind) {
    case 'idle':
      return t('overview.installerIdle');
    case 'verifying':
      return t('overview.installerVerifying');
    case 'genuine':
      return t('overview.installerGenuine', { version: installer.version });
    case 'not-genuine':
      return t('overview.installerNotGenuine');
    case 'not-published':
      return t('overview.installerNotPublished');
    case 'failed':
      return t('overview.installerFailed');
  }
}

const recentCount = 5;

function RecentActivity() {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  const activity = useApp((app) => app.activity);
  const recent = activity.slice(0, recentCount).map((entry) => activityEntry(entry, t));
  return (
    <Panel title={t('overview.activity')} aside={<RouteLink route="activity">{t('overview.activityLink')}</RouteLink>}>
      {activity.length === 0 ? (
        <p className="hint">{t('activity.empty')}</p>
      ) : (
        entriesByDay(recent).map(([day, entries]) => (
          <Fragment key={day}>
            {daysBetween(day, now) !== 0 && <h3 className="timeline-day">{dayName(day, now, locale)}</h3>}
            <EntryList entries={entries} />
          </Fragment>
        ))
      )}
    </Panel>
  );
}
