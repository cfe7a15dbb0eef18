/** Asks before a billing event that was kept is ignored for good. */
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { useChange } from '../../api/use-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type DismissEventDialogProps = {
  readonly event: Pick<BillingEventRecord, 'id' | 'type' | 'email'>;
  readonly onClose: () => void;
};

export function DismissEventDialog({ event: { id, type, email }, onClose }: DismissEventDialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const dismiss = async () => {
    const result = await change.run('dismissBillingEvent', { params: { id } }, t('billing.dismissed'));
    if (result !== null) onClose();
  };
  return (
    <ConfirmDialog
      title={t('billing.dismissTitle')}
      text={
        email === null ? t('billing.dismissTextUnknown', { type }) : t('billing.dismissText', { type, customer: email })
      }
      confirmLabel={t('billing.dismiss')}
      danger
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void dismiss()}
      onClose={onClose}
    />
  );
}
