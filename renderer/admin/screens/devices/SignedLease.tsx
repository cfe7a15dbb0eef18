/** A signed lease: when it expires, and its file. */
import { Download } from 'lucide-react';
import type { LeaseRequestFile, LeaseResponse } from '../../../../shared/api/lease.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Modal } from '../../../components/Dialogs.tsx';
import { downloadText } from '../../../components/download-text.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { leaseFileName } from './lease-request.ts';

type SignedLeaseProps = {
  readonly request: LeaseRequestFile;
  readonly lease: LeaseResponse;
  readonly onClose: () => void;
};

export function SignedLease({ request, lease, onClose }: SignedLeaseProps) {
  const { t } = useMessages();
  const name = request.device_name || request.device_id;
  return (
    <Modal title={t('lease.signed')} dismissable={false} onClose={onClose}>
      <div className="dialog">
        <h2>{t('lease.signed')}</h2>
        <p className="dialog-text wrap-anywhere">{t('lease.signedText', { name })}</p>
        <Facts>
          <Fact name={t('lease.validUntil')}>
            <Day at={lease.expires_at} />
          </Fact>
          <Fact name={t('lease.renewFrom')}>
            <Day at={lease.renew_after} />
          </Fact>
        </Facts>
        <p>{t('lease.renewHint')}</p>
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{t('form.done')}</ActionButton>
          <ActionButton
            variant="primary"
            icon={Download}
            onPress={() => downloadText(leaseFileName(request), `${lease.lease}\n`)}
          >
            {t('lease.download')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}
