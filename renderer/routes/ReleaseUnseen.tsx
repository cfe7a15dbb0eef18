/** Releases all devices shown, one after the other, after a confirmation. */
import { useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmEachDialog } from '../components/ConfirmEachDialog.tsx';
import { useMessages } from '../i18n/messages.ts';

type Props = { readonly devices: readonly Device[]; readonly onReleased: () => void };

/** No button for a single device, which has one of its own. */
export function ReleaseUnseen({ devices, onReleased }: Props) {
  const { t } = useMessages();
  const [confirmed, setConfirmed] = useState<readonly Device[] | null>(null);
  return (
    <>
      {devices.length > 1 && (
        <div className="panel-actions">
          <ActionButton onPress={() => setConfirmed(devices)}>
            {t('devices.releaseShown', { count: devices.length })}
          </ActionButton>
        </div>
      )}
      {confirmed !== null && (
        <ConfirmEachDialog
          items={confirmed}
          command={({ activationId }) => bridge.releaseDevice({ activationId })}
          title={t('devices.releaseShownTitle', { count: confirmed.length })}
          text={t('devices.releaseShownText')}
          confirmLabel={t('devices.release')}
          describeLeft={(count) => t('devices.releaseShownLeft', { count })}
          describeDone={(count) => t('devices.releasedShown', { count })}
          onDone={onReleased}
          onClose={() => setConfirmed(null)}
        />
      )}
    </>
  );
}
