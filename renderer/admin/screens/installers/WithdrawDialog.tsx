/** Confirms withdrawing the published version, and says which devices are affected. */
import { useRead } from '../../api/queries.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type WithdrawDialogProps = { readonly version: string; readonly onClose: () => void };

export function WithdrawDialog({ version, onClose }: WithdrawDialogProps) {
  const { t } = useMessages();
  const { data: overview } = useRead('overview');
  const count = overview?.counted_at ? overview.counts.devices : null;
  const { dialog } = useDialogChange('clearInstallers', {
    request: () => ({}),
    success: t('installers.withdrawn', { version }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('installers.withdrawTitle', { version })}
      text={
        <>
          <p>{t('installers.withdrawText')}</p>
          {count !== null && <p>{t('installers.withdrawDevices', { count })}</p>}
        </>
      }
      name={version}
      confirmLabel={t('installers.withdraw')}
    />
  );
}
