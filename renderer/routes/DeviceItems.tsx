/** The rows of a device list, rendered in steps. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';

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
  const [shown, setShown] = useState(step);
  const list = useRef<HTMLUListElement>(null);
  // Moves the focus to the first added row, because the button may be gone.
  useEffect(() => {
    if (shown > step) list.current?.children[shown - step]?.querySelector('button')?.focus();
  }, [shown]);
  const hidden = devices.length - shown;
  return (
    <>
      <ul ref={list} className={framed ? 'devices devices-framed' : 'devices'} aria-label={t('devices.list')}>
        {devices.slice(0, shown).map(children)}
      </ul>
      {hidden > 0 && (
        <ActionButton variant="quiet" onPress={() => setShown(shown + step)}>
          {t('devices.showMore', { count: Math.min(hidden, step) })}
        </ActionButton>
      )}
    </>
  );
}
