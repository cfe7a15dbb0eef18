/** Confirms removing a version from the update feed, and says which one is offered instead. */
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type WithdrawUpdateDialogProps = {
  readonly version: string;
  /** The preceding version; `null` if there is none. */
  readonly before: string | null;
  readonly onClose: () => void;
};

export function WithdrawUpdateDialog({ version, before, onClose }: WithdrawUpdateDialogProps) {
  const { t } = useMessages();
  const { dialog } = useDialogChange('withdrawUpdate', {
    request: () => ({ params: { version } }),
    success: t('updates.withdrawn', { version }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('updates.withdrawTitle', { version })}
      text={
        <>
          <p>{t('updates.withdrawText')}</p>
          <p>{before === null ? t('updates.thenNothing') : t('updates.thenVersion', { version: before })}</p>
        </>
      }
      name={version}
      confirmLabel={t('updates.withdraw')}
    />
  );
}
