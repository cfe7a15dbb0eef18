/** Signs the lease of a device that is never online: its request file in, a lease file out. */
import { useState } from 'react';
import type { LeaseRequestFile, LeaseResponse } from '../../../../shared/api/lease.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { useChange } from '../../api/use-change.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { LeaseRequestField } from './LeaseRequestField.tsx';
import { type LeaseOwner, RequestedLease } from './RequestedLease.tsx';
import { SignedLease } from './SignedLease.tsx';

type Signed = { readonly request: LeaseRequestFile; readonly lease: LeaseResponse };

export function SignLeaseDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const change = useChange();
  const [request, setRequest] = useState<LeaseRequestFile | null>(null);
  const [owner, setOwner] = useState<LeaseOwner>({ email: '', isRequired: false });
  const [emailError, setEmailError] = useState<string | null>(null);
  const [signed, setSigned] = useState<Signed | null>(null);
  if (signed !== null) return <SignedLease request={signed.request} lease={signed.lease} onClose={onClose} />;
  const choose = (next: LeaseRequestFile | null) => {
    setRequest(next);
    setOwner({ email: '', isRequired: false });
    setEmailError(null);
    change.clear();
  };
  const sign = async () => {
    if (request === null) return;
    const email = owner.email.trim();
    const isMissing = email === '' && !owner.isRequired;
    const isEmail = isMissing || findEmailError(email) === null;
    setEmailError(isEmail ? null : t('credentials.emailShape'));
    if (!isEmail) return;
    const result = await change.run('signLease', { body: { request, ...(email !== '' && { email }) } });
    if (result !== null) setSigned({ request, lease: result.value });
  };
  return (
    <FormDialog
      title={t('lease.sign')}
      text={t('lease.intro')}
      submitLabel={t('lease.submit')}
      pending={change.pending}
      failure={change.failure}
      disabled={request === null}
      onSubmit={() => void sign()}
      onClose={onClose}
    >
      {request === null ? (
        <LeaseRequestField onChoose={choose} />
      ) : (
        <RequestedLease
          request={request}
          owner={owner}
          emailError={emailError}
          onOwnerChange={setOwner}
          onChooseAnother={() => choose(null)}
        />
      )}
    </FormDialog>
  );
}
