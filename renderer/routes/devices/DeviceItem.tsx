/** One device: its name, where it runs, how long it has been silent, and one act. */
import { Laptop } from 'lucide-react';
import { useId } from 'react';
import type { Device } from '../../../shared/ipc/app-state.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Ago } from '../../components/Ago.tsx';
import { platformName } from '../../i18n/platform-name.ts';
import { shortDay } from '../../i18n/times.ts';
import { useSentences } from '../../i18n/use-sentences.ts';

type Props = {
  readonly device: Device;
  readonly act: string;
  readonly pending: boolean;
  readonly onAct: () => void;
};

const badges = { active: 'badge badge-good', idle: 'badge', stale: 'badge badge-attention' } as const;

/** The button has the act's bare name; the device's name describes it. */
export function DeviceItem({ device, act, pending, onAct }: Props) {
  const { t, locale } = useSentences();
  const nameId = useId();
  return (
    <li className="device" aria-labelledby={nameId} data-activation={device.activationId}>
      <Laptop className="icon device-icon" aria-hidden />
      <div className="device-words">
        <p className="device-name">
          <span id={nameId} className="wrap-anywhere">
            {device.name || t('devices.unnamed')}
          </span>{' '}
          {device.isThisDevice && <span className="badge badge-accent">{t('devices.thisDevice')}</span>}
        </p>{' '}
        <p className="hint">
          {device.platform !== '' && <span>{platformName(device.platform)} · </span>}
          <span>{t('devices.activatedOn', { when: shortDay(device.activatedAt, Date.now(), locale) })}</span>
        </p>
      </div>{' '}
      <div className="device-seen">
        <span className={badges[device.activity]} title={t(`devices.${device.activity}Hint`)}>
          {t(`devices.${device.activity}`)}
        </span>{' '}
        <span className="hint">
          {t('devices.lastSeen')} <Ago at={device.lastSeenAt} />
        </span>
      </div>{' '}
      <ActButton pending={pending} describedBy={nameId} onPress={onAct}>
        {act}
      </ActButton>
    </li>
  );
}
