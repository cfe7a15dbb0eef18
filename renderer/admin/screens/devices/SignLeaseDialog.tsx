/** Signs a lease for a device that is never online: takes its request file and returns a lease file. */
import { useState } from 'react';
import type { LeaseRequestFile, LeaseResponse } from '../../../../shared/api/lease.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { LeaseRequestField } from './LeaseRequestField.tsx';
import { type LeaseOwner, RequestedLease } from './RequestedLease.tsx';
import { SignedLease } from './SignedLease.tsx';

type Signed = { readonly request: LeaseRequestFile; readonly lease: LeaseResponse };

export function SignLeaseDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const [request, setRequest] = useState<LeaseRequestFile | null>(null);
  const [owner, setOwner] = useState<LeaseOwner>({ email: '', isRequired: false });
  const [emailError, setEmailError] = useState<string | null>(null);
  const [signed, setSigned] = useState<Signed | null>(null);
  const { dialog, clear } = useDialogChange('signLease', {
    request: () => {
      if (request === null) return null;
      const email = owner.email.trim();
      const isMissing = email === '' && !owner.isRequired;
      const isEmail = isMissing || findEmailError(email) === null;
      setEmailError(isEmail ? null : t('credentials.emailShape'));
      return isEmail ? { body: { request, ...(email !== '' && { email }) } } : null;
    },
    onSuccess: (lease) => request !== null && setSigned({ request, lease }),
    onClose,
  });
  if (signed !== null) return <SignedLease request={signed.request} lease={signed.lease} onClose={onClose} />;
  const choose = (next: LeaseRequestFile | null) => {
    setRequest(next);
    setOwner({ email: '', isRequired: false });
    setEmailError(null);
    clear();
  };
  return (
    <FormDialog
      {...dialog}
      title={t('lease.sign')}
      text={t('lease.intro')}
      submitLabel={t('lease.submit')}
      disabled={request === null}
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
