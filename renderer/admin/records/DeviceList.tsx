/** The devices of a license, each with Release. */
import { useState } from 'react';
import type { Activation } from '../../../shared/api/license.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { TimedText } from '../../components/Times.tsx';
import { platformName } from '../../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useMay } from '../session/session-store.ts';
import { ReleaseDialog } from './ReleaseDialog.tsx';
import { DeviceActivity } from './StatusBadge.tsx';

type DeviceListProps = { readonly licenseId: string; readonly devices: readonly Activation[] };

export function DeviceList({ licenseId, devices }: DeviceListProps) {
  const { t } = useMessages();
  const mayRelease = useMay('releaseLicenseDevice');
  const [releasing, setReleasing] = useState<Activation | null>(null);
  if (devices.length === 0) return <p className="hint">{t('devices.none')}</p>;
  return (
    <>
      <ul className="record-list" aria-label={t('navigation.devices')}>
        {devices.map((device) => (
          <li key={device.activation_id} className="record-item">
            <div className="record-item-text">
              <p className="wrap-anywhere">{device.device_name || t('devices.unnamed')}</p>{' '}
              <p className="hint">
                {device.platform !== '' && <span>{platformName(device.platform)} · </span>}
                <TimedText text={t('devices.lastSeen')} at={device.last_seen_at} />
              </p>
            </div>{' '}
            <DeviceActivity activity={device.activity} />{' '}
            {mayRelease && <ActionButton onPress={() => setReleasing(device)}>{t('devices.release')}</ActionButton>}
          </li>
        ))}
      </ul>
      {releasing !== null && (
        <ReleaseDialog licenseId={licenseId} device={releasing} owner={null} onClose={() => setReleasing(null)} />
      )}
    </>
  );
}
