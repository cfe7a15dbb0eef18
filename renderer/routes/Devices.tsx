/** Activating this device, and the devices of the account. */
import { useEffect } from 'react';
import { ask, bridge } from '../bridge.ts';
import { ExportHistory } from '../components/ExportHistory.tsx';
import { Page } from '../components/Page.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { ActivatePanel } from './devices/ActivatePanel.tsx';
import { DeviceList } from './devices/DeviceList.tsx';

export function Devices() {
  const { t } = useSentences();
  const listed = useApp((app) => app.server.deviceList !== 'missing');
  useEffect(() => {
    if (listed) void ask(() => bridge.listDevices());
  }, [listed]);
  return (
    <Page title={t('devices.title')} aside={<ExportHistory />}>
      <ActivatePanel />
      <DeviceList />
    </Page>
  );
}
