/** The list of devices, with a search once it is long. */
import { useState } from 'react';
import type { Device } from '../../../shared/ipc/app-state.ts';
import { Field } from '../../components/Field.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { DeviceItem } from './DeviceItem.tsx';
import { findDevices } from './find-devices.ts';

/** From this many devices on, reading the list is slower than searching it. */
const manyDevices = 9;

type Props = {
  readonly devices: readonly Device[];
  /** With the device that follows it in the list. */
  readonly onRelease: (device: Device, next: Device | null) => void;
};

export function FoundDevices({ devices, onRelease }: Props) {
  const { t } = useSentences();
  const [words, setWords] = useState('');
  const found = findDevices(devices, words);
  return (
    <>
      <p className="panel-intro tabular">{t('devices.listIntro', { count: devices.length })}</p>
      {devices.length >= manyDevices && (
        <Field label={t('devices.find')} value={words} onChange={setWords} autoComplete="off" />
      )}
      <ul className="devices" aria-label={t('devices.list')}>
        {found.map((device, index) => (
          <DeviceItem
            key={device.activationId}
            device={device}
            act={t('devices.release')}
            pending={false}
            onAct={() => onRelease(device, found[index + 1] ?? null)}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="hint">{t('devices.noneFound')}</p>}
    </>
  );
}
