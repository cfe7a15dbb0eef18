/** The diagnostics screen: recent connection history, timeline, connection doctor, and support file. */
import { FileText } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Page, Panel } from '../components/Page.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { useMessages } from '../i18n/messages.ts';
import { DoctorButton } from '../layout/DoctorButton.tsx';
import { showSupportFile, useApp } from '../store.ts';
import { useLoaded } from '../use-loaded.ts';
import { ConnectionPlot } from './ConnectionPlot.tsx';
import { Timeline } from './Timeline.tsx';

export function Diagnostics() {
  const { t } = useMessages();
  // Each sync adds new entries.
  const syncing = useApp((app) => app.syncing);
  const { result } = useLoaded(() => bridge.loadDiagnostics(), [syncing]);
  const loaded = result?.ok ? result.value : null;
  const failure = result?.ok === false ? result.failure : null;
  return (
    <Page title={t('navigation.diagnostics')} intro={t('diagnostics.intro')} aside={<DoctorButton />}>
      {failure !== null && <FailureAlert failure={failure} />}
      {failure === null && (
        <Panel title={t('diagnostics.connection')}>
          {loaded === null ? <Skeleton lines={2} /> : <ConnectionPlot connection={loaded.connection} />}
        </Panel>
      )}
      <Panel title={t('diagnostics.support')}>
        <p className="panel-intro">{t('diagnostics.supportText')}</p>
        <ActionButton icon={FileText} onPress={() => showSupportFile(true)}>
          {t('diagnostics.saveSupport')}
        </ActionButton>
      </Panel>
      {failure === null && (
        <Panel title={t('diagnostics.timeline')}>
          {loaded === null ? <Skeleton lines={8} /> : <Timeline timeline={loaded.timeline} />}
        </Panel>
      )}
    </Page>
  );
}
