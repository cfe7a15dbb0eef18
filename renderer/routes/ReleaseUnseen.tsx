/** Releases all devices shown, one after the other, after a confirmation. */
import { useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useRunForEach } from '../use-run-for-each.ts';

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
        <ReleaseDialog devices={confirmed} onReleased={onReleased} onClose={() => setConfirmed(null)} />
      )}
    </>
  );
}

type DialogProps = Props & { readonly onClose: () => void };

/** After a failure, or once it was closed, the rest stays activated. */
function ReleaseDialog({ devices, onReleased, onClose }: DialogProps) {
  const { t } = useMessages();
  const { action, doneCount, run } = useRunForEach(devices, ({ activationId }) =>
    bridge.releaseDevice({ activationId }),
  );
  const release = async () => {
    const done = await run();
    if (done === null) return;
    showToast(t('devices.releasedShown', { count: done.value }));
    if (done.value < devices.length) return;
    onClose();
    onReleased();
  };
  return (
    <ConfirmDialog
      title={t('devices.releaseShownTitle', { count: devices.length })}
      text={t('devices.releaseShownText')}
      confirmLabel={t('devices.release')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void release()}
      onClose={onClose}
    >
      <p className="hint" role="status">
        {doneCount > 0 && t('devices.releaseShownLeft', { count: devices.length - doneCount })}
      </p>
    </ConfirmDialog>
  );
}
