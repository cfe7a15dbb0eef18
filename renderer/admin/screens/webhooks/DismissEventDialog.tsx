/** Confirms ignoring a dead letter permanently. */
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type DismissEventDialogProps = {
  readonly event: Pick<BillingEventRecord, 'id' | 'type' | 'email'>;
  readonly onClose: () => void;
};

export function DismissEventDialog({ event: { id, type, email }, onClose }: DismissEventDialogProps) {
  const { t } = useMessages();
  const { dialog } = useDialogChange('dismissBillingEvent', {
    request: () => ({ params: { id } }),
    success: t('billing.dismissed'),
    onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title={t('billing.dismissTitle')}
      text={
        email === null ? t('billing.dismissTextUnknown', { type }) : t('billing.dismissText', { type, customer: email })
      }
      confirmLabel={t('billing.dismiss')}
      danger
    />
  );
}
