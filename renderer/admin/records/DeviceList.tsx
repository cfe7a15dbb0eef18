/** The devices of a license, each with a Release button, and the released ones that still keep their place. */
import { type ReactNode, useState } from 'react';
import type { LicenseRecord } from '../../../shared/api/admin/licenses.ts';
import type { Activation, ReleasedDevice } from '../../../shared/api/license.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { TimedText } from '../../components/Times.tsx';
import { fullMinute, platformName } from '../../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useMay } from '../session/session-store.ts';
import { FreePlaceDialog, ReleaseDialog } from './ReleaseDialog.tsx';
import { DeviceActivity, SeveralInstallations } from './StatusBadge.tsx';

type DeviceListProps = { readonly license: Pick<LicenseRecord, 'id' | 'devices' | 'released_devices'> };

export function DeviceList({ license: { id, devices, released_devices = [] } }: DeviceListProps) {
  const { t, locale } = useMessages();
  const mayRelease = useMay('releaseLicenseDevice');
  const [releasing, setReleasing] = useState<Activation | null>(null);
  const [freeing, setFreeing] = useState<ReleasedDevice | null>(null);
  if (devices.length + released_devices.length === 0) return <p className="hint">{t('devices.none')}</p>;
  return (
    <>
      <ul className="record-list" aria-label={t('navigation.devices')}>
        {devices.map((device) => (
          <DeviceItem
            key={device.activation_id}
            device={device}
            hint={<TimedText text={t('devices.lastSeen')} at={device.last_seen_at} />}
          >
            <SeveralInstallations device={device} /> <DeviceActivity activity={device.activity} />{' '}
            {mayRelease && <ActionButton onPress={() => setReleasing(device)}>{t('devices.release')}</ActionButton>}
          </DeviceItem>
        ))}
        {released_devices.map((device) => (
          <DeviceItem
            key={device.activation_id}
            device={device}
            hint={t('devices.placeFree', { date: fullMinute(device.place_free_at, locale) })}
          >
            {mayRelease && <ActionButton onPress={() => setFreeing(device)}>{t('devices.freePlace')}</ActionButton>}
          </DeviceItem>
        ))}
      </ul>
      {releasing !== null && (
        <ReleaseDialog licenseId={id} device={releasing} owner={null} onClose={() => setReleasing(null)} />
      )}
      {freeing !== null && <FreePlaceDialog licenseId={id} device={freeing} onClose={() => setFreeing(null)} />}
    </>
  );
}

type DeviceItemProps = {
  readonly device: Pick<Activation, 'device_name' | 'platform'>;
  readonly hint: ReactNode;
  readonly children: ReactNode;
};

function DeviceItem({ device: { device_name, platform }, hint, children }: DeviceItemProps) {
  const { t } = useMessages();
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p className="wrap-anywhere">{device_name || t('devices.unnamed')}</p>{' '}
        <p className="hint">
          {platform !== '' && <span>{platformName(platform)} · </span>}
          {hint}
        </p>
      </div>{' '}
      {children}
    </li>
  );
}
