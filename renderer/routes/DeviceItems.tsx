/** The rows of a device list, rendered in steps. */
import type { ReactNode } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useSteps } from '../use-steps.ts';

/**
 * Number of rows shown at first and added on each request. Rendering thousands of devices at once would freeze the
 * window.
 */
const step = 100;

type Props = {
  readonly devices: readonly Device[];
  readonly framed?: boolean;
  /** Renders one row. */
  readonly children: (device: Device, index: number) => ReactNode;
};

export function DeviceItems({ devices, framed = false, children }: Props) {
  const { t } = useMessages();
  const { list, shown, next, showMore } = useSteps(devices.length, step);
  return (
    <>
      <ul ref={list} className={framed ? 'devices devices-framed' : 'devices'} aria-label={t('devices.list')}>
        {devices.slice(0, shown).map(children)}
      </ul>
      {next > 0 && (
        <ActionButton variant="quiet" onPress={showMore}>
          {t('devices.showMore', { count: next })}
        </ActionButton>
      )}
    </>
  );
}
