/** The server screen: version, database and effective settings. */
import type { ServerInfo } from '../../../../shared/api/admin/server.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { Page, Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { RelativeTime } from '../../../components/Times.tsx';
import { byteCount } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';

export function ServerScreen() {
  const { t } = useMessages();
  const result = useRead('serverInfo');
  const failure = failureOf(result);
  return (
    <Page title={t('navigation.server')} intro={t('server.intro')}>
      {failure !== null && <ReadFailure failure={failure} />}
      {failure === null && result.data === undefined && <Skeleton lines={12} />}
      {result.data !== undefined && (
        <>
          <StatePanel info={result.data} />
          <SettingsPanel settings={result.data.settings} />
        </>
      )}
    </Page>
  );
}

function StatePanel({ info }: { readonly info: ServerInfo }) {
  const { t, locale } = useMessages();
  const { data: overview } = useRead('overview');
  const { kind, size_bytes, migrations } = info.database;
  const lastRestore = overview?.last_proven_restore ?? null;
  return (
    <Panel title={t('server.state')}>
      <Facts>
        <Fact name={t('server.version')} more={`Node ${info.node_version}`}>
          {info.version}
        </Fact>
        <Fact name={t('server.started')}>
          <RelativeTime at={info.started_at} />
        </Fact>
        <Fact name={t('server.database')} more={size_bytes === null ? undefined : byteCount(size_bytes, locale)}>
          {kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
        </Fact>
        <Fact name={t('server.migration')}>
          <span className="mono">{migrations.at(-1)?.name}</span>
        </Fact>
        <Fact name={t('server.backup')}>
          {lastRestore === null ? t('server.backupNever') : <RelativeTime at={lastRestore} />}
        </Fact>
        <Fact name={t('server.mail')}>{info.can_send_mail ? t('server.mailOn') : t('server.mailOff')}</Fact>
      </Facts>
    </Panel>
  );
}

function SettingsPanel({ settings }: { readonly settings: ServerInfo['settings'] }) {
  const { t } = useMessages();
  return (
    <Panel title={t('server.settings')}>
      <p className="hint">{t('server.settingsHint')}</p>
      <ul className="record-list" aria-label={t('server.settings')}>
        {settings.map(({ name, value, is_default, meaning }) => (
          <li key={name} className="record-item">
            <div className="record-item-text">
              <p className="mono wrap-anywhere">{name}</p>
              <p className="hint" lang="en">
                {meaning.replaceAll('`', '')}
              </p>
            </div>
            <div className="setting-value">
              <p className="mono wrap-anywhere">{value || '–'}</p>
              <p className="hint">{is_default ? t('server.isDefault') : t('server.isSet')}</p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
