/** A device in a list: its name, platform and activity, and one action. */
import { Info, Laptop } from 'lucide-react';
import { useId } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { ActionButton, IconButton } from '../components/ActionButton.tsx';
import { platformName, shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useServerNow } from '../use-server-now.ts';
import { ServerTimedText } from './ServerTime.tsx';

type Props = {
  readonly device: Device;
  readonly actionLabel: string;
  readonly pending: boolean;
  /** Shows the license, if devices of several licenses are listed. */
  readonly withLicense?: boolean;
  /** Why this device is suggested. */
  readonly note?: string;
  readonly onAction: () => void;
  /** Opens the device's details; omitted in a dialog, where they would be a dialog on top of another. */
  readonly onDetails?: () => void;
};

const badges = { active: 'badge badge-good', idle: 'badge', stale: 'badge badge-attention' } as const;

/** The button is named for the action alone; the device's name is its description. */
export function DeviceRow({ device, actionLabel, pending, withLicense = false, note, onAction, onDetails }: Props) {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const nameId = useId();
  return (
    <li className="device" aria-labelledby={nameId} data-activation={device.activationId}>
      <Laptop className="icon device-icon" aria-hidden />
      <div>
        <p className="device-name">
          <bdi id={nameId} className="wrap-anywhere">
            {device.name || t('devices.unnamed')}
          </bdi>{' '}
          {device.isThisDevice && <span className="badge badge-accent">{t('devices.thisDevice')}</span>}
        </p>{' '}
        <p className="hint">
          {device.platform !== '' && <span>{platformName(device.platform)} · </span>}
          {withLicense && (
            <>
              <span className="mono">{device.keyPreview}</span> ·{' '}
            </>
          )}
          <span>{t('devices.activatedOn', { when: shortDay(device.activatedAt, now, locale) })}</span>
        </p>
        {note !== undefined && <p className="device-note">{note}</p>}
      </div>{' '}
      <div className="device-seen">
        <DeviceBadge device={device} />{' '}
        <span className="hint">
          <ServerTimedText text={t('devices.lastSeen')} at={device.lastSeenAt} />
        </span>
      </div>{' '}
      <div className="device-actions">
        <ActionButton pending={pending} describedBy={nameId} onPress={onAction}>
          {actionLabel}
        </ActionButton>
        {onDetails !== undefined && (
          <IconButton
            icon={Info}
            label={t('deviceDetails.open', { name: device.name || t('devices.unnamed') })}
            onPress={onDetails}
          />
        )}
      </div>
    </li>
  );
}

/** Shows whether the device is active, idle or stale. */
export function DeviceBadge({ device: { activity } }: { readonly device: Device }) {
  const { t } = useMessages();
  return (
    <span className={badges[activity]} title={t(`devices.${activity}Hint`)}>
      {t(`devices.${activity}`)}
    </span>
  );
}
