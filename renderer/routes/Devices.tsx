/** The devices screen: activates this device, and lists and releases the account's devices. */

import { Page } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { ActivatePanel } from './ActivatePanel.tsx';
import { ExportHistory } from './Activity.tsx';
import { DeviceList } from './DeviceList.tsx';
import { RenameDevice } from './RenameDevice.tsx';

export function Devices() {
  const { t } = useMessages();
  return (
    <Page
      title={t('devices.title')}
      aside={
        <div className="page-actions">
          <RenameDevice />
          <ExportHistory />
        </div>
      }
    >
      <ActivatePanel />
      <DeviceList />
    </Page>
  );
}
