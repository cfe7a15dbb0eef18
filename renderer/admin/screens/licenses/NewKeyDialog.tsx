/** Shows a newly issued license key once, and mails it if the server can. */
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { Banner } from '../../../components/Banner.tsx';
import { NewSecretDialog } from '../../../components/NewSecretDialog.tsx';
import { planName } from '../../../i18n/format.ts';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SendKeyForm } from './SendKeyForm.tsx';

type NewKeyDialogProps = { readonly issued: AdminResponseOf<'issueLicense'>; readonly onSaved: () => void };

export function NewKeyDialog({ issued: { license_key: key, license }, onSaved }: NewKeyDialogProps) {
  const { t } = useMessages();
  const canSendMail = useRead('serverInfo').data?.can_send_mail === true;
  const owner = license.email === null ? t('licenses.forAnyone') : t('licenses.forOwner', { email: license.email });
  return (
    <NewSecretDialog
      title={t('licenses.issued')}
      text={`${planName(license.plan, t)} · ${t('licenses.limitOf', { count: license.max_activations })} · ${owner}`}
      label={t('licenses.key')}
      secret={key}
      once={t('licenses.once')}
      onSaved={onSaved}
    >
      {license.user_id !== null && <OwnerWarning userId={license.user_id} />}
      {canSendMail && <SendKeyForm licenseKey={key} license={license} />}
    </NewSecretDialog>
  );
}

/** Warns if someone else may have signed up with the owner's address. */
function OwnerWarning({ userId }: { readonly userId: string }) {
  const { t } = useMessages();
  const owner = useRead('account', { params: { id: userId } }).data;
  if (!owner?.email_confirmation_missing) return null;
  return (
    <Banner tone="attention" role="status" title={t('accounts.unconfirmed')}>
      {t('accounts.unconfirmedText', { email: owner.email })}
    </Banner>
  );
}
