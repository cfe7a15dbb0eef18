/** The devices screen: activates this device, and lists and releases the account's devices. */
import { Pencil } from 'lucide-react';
import { ActionButton } from '../components/ActionButton.tsx';
import { Page } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { setLicenseKey, showRename, useLicenseKey } from '../store.ts';
import { ActivatePanel } from './ActivatePanel.tsx';
import { ExportHistory } from './Activity.tsx';
import { DeviceList } from './DeviceList.tsx';
import { OfflineActivation } from './OfflineActivation.tsx';
import { OfflineUse } from './OfflineUse.tsx';

export function Devices() {
  const { t } = useMessages();
  // One field for both ways to use the key.
  const licenseKey = useLicenseKey();
  return (
    <Page
      title={t('devices.title')}
      aside={
        <div className="page-actions">
          <ActionButton icon={Pencil} onPress={() => showRename(true)}>
            {t('devices.rename')}
          </ActionButton>
          <ExportHistory />
        </div>
      }
    >
      <ActivatePanel licenseKey={licenseKey} onLicenseKey={setLicenseKey} />
      <DeviceList />
      <OfflineUse />
      <OfflineActivation licenseKey={licenseKey} />
    </Page>
  );
}
