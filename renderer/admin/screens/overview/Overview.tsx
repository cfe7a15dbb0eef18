/** The overview: items that need attention, totals, and the last 30 days. */
import type { Overview as OverviewData } from '../../../../shared/api/admin/overview.ts';
import { Page, Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { RelativeTime, TimedText } from '../../../components/Times.tsx';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { hrefOf, type Screen } from '../../routing.ts';
import { AttentionList } from './AttentionList.tsx';
import { DailyPlot } from './DailyPlot.tsx';

export function Overview() {
  const { t } = useMessages();
  const result = useRead('overview');
  const failure = failureOf(result);
  return (
    <Page title={t('navigation.overview')} intro={result.data && <CountedAt at={result.data.counted_at} />}>
      {failure !== null && <ReadFailure failure={failure} />}
      {failure === null && result.data === undefined && <Skeleton lines={12} />}
      {result.data !== undefined && <Content overview={result.data} />}
    </Page>
  );
}

function CountedAt({ at }: { readonly at: string | null }) {
  const { t } = useMessages();
  return at === null ? t('overview.notCounted') : <TimedText text={t('overview.countedAt')} at={at} />;
}

const series = ['devices_alive', 'activations', 'sign_ins', 'refusals'] as const;

function Content({ overview }: { readonly overview: OverviewData }) {
  const { t } = useMessages();
  const { attention, counts, days, last_proven_restore: lastRestore } = overview;
  return (
    <>
      <Panel title={t('overview.attention')}>
        <AttentionList attention={attention} />
        <p className="hint">
          {t('server.backup')}: {lastRestore === null ? t('server.backupNever') : <RelativeTime at={lastRestore} />}
        </p>
      </Panel>
      <Panel title={t('overview.present')}>
        <dl className="counts">
          <Count name={t('navigation.accounts')} value={counts.accounts} screen="accounts" />
          <Count name={t('overview.subscriptions')} value={counts.subscriptions} screen="accounts" />
          <Count name={t('overview.licenses')} value={counts.licenses} screen="licenses" />
          <Count name={t('overview.devices')} value={counts.devices} screen="devices" />
          <Count name={t('overview.devicesAlive')} value={counts.devices_alive} screen="devices" />
          <Count name={t('navigation.apiKeys')} value={counts.api_keys} screen="apiKeys" />
        </dl>
      </Panel>
      <div className="plots">
        {series.map((name) => (
          <Panel key={name} title={t(`overview.series.${name}`)}>
            <DailyPlot
              name={t(`overview.series.${name}`)}
              days={days.map((day) => ({ date: day.date, value: day[name] }))}
              tone={name === 'refusals' ? 'attention' : 'accent'}
            />
          </Panel>
        ))}
      </div>
    </>
  );
}

function Count({ name, value, screen }: { readonly name: string; readonly value: number; readonly screen: Screen }) {
  const { locale } = useMessages();
  return (
    <div className="count">
      <dt>{name}</dt>
      <dd>
        <a className="count-value tabular" href={hrefOf(screen)}>
          {value.toLocaleString(locale)}
        </a>
      </dd>
    </div>
  );
}
