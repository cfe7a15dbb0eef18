/** Withdraws the published version, after saying which devices notice it. */

import { useRead } from '../../api/queries.ts';
import { useChange } from '../../api/use-change.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';

type WithdrawDialogProps = { readonly version: string; readonly onClose: () => void };

export function WithdrawDialog({ version, onClose }: WithdrawDialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const { data: overview } = useRead('overview');
  const count = overview?.counted_at ? overview.counts.devices : null;
  const withdraw = async () => {
    if ((await change.run('clearInstallers', {}, t('installers.withdrawn', { version }))) !== null) onClose();
  };
  return (
    <TypedConfirmDialog
      title={t('installers.withdrawTitle', { version })}
      text={
        <>
          <p>{t('installers.withdrawText')}</p>
          {count !== null && <p>{t('installers.withdrawDevices', { count })}</p>}
        </>
      }
      name={version}
      confirmLabel={t('installers.withdraw')}
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void withdraw()}
      onClose={onClose}
    />
  );
}
