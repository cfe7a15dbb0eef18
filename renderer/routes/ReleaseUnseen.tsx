/** Releases all devices shown, one after the other, after a confirmation. */
import { useRef, useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import type { Result } from '../../shared/ipc/result.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';

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

/** After a failure, or once it was closed, the rest stays activated and can be released by another try. */
function ReleaseDialog({ devices, onReleased, onClose }: DialogProps) {
  const { t } = useMessages();
  const action = useAction();
  const [released, setReleased] = useState(0);
  const isClosed = useRef(false);
  const close = () => {
    isClosed.current = true;
    onClose();
  };
  const releaseRest = async (): Promise<Result<number>> => {
    for (const [index, { activationId }] of devices.entries()) {
      if (index < released) continue;
      if (isClosed.current) return { ok: true, value: index };
      const result = await bridge.releaseDevice({ activationId });
      if (!result.ok) return result;
      setReleased(index + 1);
    }
    return { ok: true, value: devices.length };
  };
  const release = async () => {
    const result = await action.run(releaseRest);
    if (result === null) return;
    showToast(t('devices.releasedShown', { count: result.value }));
    if (isClosed.current) return;
    close();
    onReleased();
  };
  const count = devices.length - released;
  return (
    <ConfirmDialog
      title={t('devices.releaseShownTitle', { count: devices.length })}
      text={t('devices.releaseShownText')}
      confirmLabel={t('devices.release')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void release()}
      onClose={close}
    >
      <p className="hint" role="status">
        {released > 0 && t('devices.releaseShownLeft', { count })}
      </p>
    </ConfirmDialog>
  );
}
