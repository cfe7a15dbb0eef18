/** Shows an invitation link once, and mails it if the server can. */
import { useState } from 'react';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { NewSecretDialog } from '../../../components/NewSecretDialog.tsx';
import { useRead } from '../../api/queries.ts';
import { useChange } from '../../api/use-change.ts';
import { SendButton } from '../../forms/SendButton.tsx';
import { useMessages } from '../../i18n/messages.ts';

type InvitationDialogProps = { readonly invited: AdminResponseOf<'inviteAccount'>; readonly onSaved: () => void };

export function InvitationDialog({ invited: { user, link }, onSaved }: InvitationDialogProps) {
  const { t } = useMessages();
  const canSendMail = useRead('serverInfo').data?.can_send_mail === true;
  return (
    <NewSecretDialog
      title={t('accounts.invited', { email: user.email })}
      text={t('accounts.invitedText')}
      label={t('accounts.invitationLink')}
      secret={link}
      once={t('accounts.invitationOnce')}
      onSaved={onSaved}
    >
      {canSendMail && <SendInvitation link={link} />}
    </NewSecretDialog>
  );
}

function SendInvitation({ link }: { readonly link: string }) {
  const { pending, failure, run } = useChange();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const send = async () => {
    const sent = await run('sendInvitation', { body: { link } });
    if (sent !== null) setSentTo(sent.value.sent_to);
  };
  return (
    <div className="field-group">
      {failure !== null && <FailureAlert failure={failure} />}
      <SendButton pending={pending} sentTo={sentTo} onPress={() => void send()} />
    </div>
  );
}
