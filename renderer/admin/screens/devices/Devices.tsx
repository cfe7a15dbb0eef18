/** The devices screen: all devices with an activated license. */
import { FileKey2, MonitorSmartphone } from 'lucide-react';
import { useMemo } from 'react';
import type { DeviceRow } from '../../../../shared/api/admin/devices.ts';
import { RelativeTime } from '../../../components/Times.tsx';
import { platformName } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { DeviceActivity } from '../../records/StatusBadge.tsx';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { NewButton } from '../../table/NewButton.tsx';
import { DeviceRecord } from './DeviceRecord.tsx';
import { SignLeaseDialog } from './SignLeaseDialog.tsx';

export function Devices() {
  const { t } = useMessages();
  const columns = useDeviceColumns();
  const filters = useDeviceFilters();
  const sign = (
    <NewButton
      endpoint="signLease"
      icon={FileKey2}
      label={t('lease.sign')}
      dialog={(close) => <SignLeaseDialog onClose={close} />}
    />
  );
  return (
    <ListScreen
      name="devices"
      title={t('navigation.devices')}
      searchHint={t('devices.searchHint')}
      columns={columns}
      filters={filters}
      idOf={idOf}
      actions={sign}
      empty={{ icon: MonitorSmartphone, title: t('devices.empty'), hint: t('devices.emptyHint') }}
      renderRecord={(id) => <DeviceRecord id={id} />}
    />
  );
}

/** The license id comes first, because a device is read as part of its license. */
function idOf({ license_id, activation_id }: DeviceRow): string {
  return `${license_id}.${activation_id}`;
}

function useDeviceColumns(): readonly ListColumn<DeviceRow>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'name',
        label: t('field.device'),
        cell: ({ device_name, platform, several_installations_at }) => (
          <>
            <span className="row-title">{device_name || t('devices.unnamed')}</span>
            {platform !== '' && <span className="row-more">{platformName(platform)}</span>}
            {several_installations_at !== undefined && (
              <span className="row-more">{t('devices.severalInstallations')}</span>
            )}
          </>
        ),
      },
      {
        id: 'owner',
        label: t('field.owner'),
        cell: ({ email }) =>
          email === null ? <span aria-hidden>–</span> : <span className="wrap-anywhere">{email}</span>,
      },
      {
        id: 'activity',
        label: t('field.activity'),
        cell: ({ activity }) => <DeviceActivity activity={activity} />,
      },
      { id: 'seen', label: t('field.lastSeen'), cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} /> },
      {
        id: 'license',
        label: t('navigation.license'),
        isMinor: true,
        cell: ({ key_preview }) => <span className="mono">{key_preview}</span>,
      },
      {
        id: 'activated',
        label: t('field.activated'),
        isMinor: true,
        cell: ({ activated_at }) => <Day at={activated_at} />,
      },
      {
        id: 'deviceId',
        label: t('field.deviceId'),
        isMinor: true,
        isOptional: true,
        cell: ({ device_id }) => <span className="mono">{device_id}</span>,
      },
    ],
    [t],
  );
}

function useDeviceFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  const options = (['active', 'idle', 'stale'] as const).map((id) => ({ id, name: t(`devices.${id}Long`) }));
  return [{ param: 'activity', label: t('field.activity'), options }];
}
