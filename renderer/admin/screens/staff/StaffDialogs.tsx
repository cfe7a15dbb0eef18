/**
 * The dialogs of the staff screen: add a member, change a role, list passkeys, remove a member, and show a one-time
 * link.
 */
import { useState } from 'react';
import type { StaffMemberRecord } from '../../../../shared/api/admin/staff.ts';
import type { StaffRole } from '../../../../shared/api/staff-role.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { Modal, WideDialog } from '../../../components/Dialogs.tsx';
import { Field } from '../../../components/Field.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { exactTime } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useChange } from '../../api/use-change.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { PasskeyList } from '../../records/PasskeyList.tsx';
import { ReadFailure } from '../../records/ReadFailure.tsx';

/** A one-time link for choosing a password. */
export type NewLink = { readonly email: string; readonly url: string; readonly expiresAt: string };

const roles = ['viewer', 'support', 'owner'] as const;

type RoleSelectProps = { readonly role: StaffRole; readonly onChange: (role: StaffRole) => void };

function RoleSelect({ role, onChange }: RoleSelectProps) {
  const { t } = useMessages();
  return (
    <SelectField
      label={t('field.role')}
      value={role}
      options={roles.map((id) => ({ id, name: t(`role.${id}.name`) }))}
      onChange={(id) => onChange(id as StaffRole)}
      hint={t(`role.${role}.does`)}
    />
  );
}

type AddStaffDialogProps = { readonly onAdded: (link: NewLink) => void; readonly onClose: () => void };

export function AddStaffDialog({ onAdded, onClose }: AddStaffDialogProps) {
  const { t } = useMessages();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<StaffRole>('viewer');
  const [error, setError] = useState<string | null>(null);
  const { dialog, clear } = useDialogChange('addStaff', {
    request: () => {
      const found = findEmailError(email.trim());
      setError(found === null ? null : t(`credentials.${found}`));
      return found === null ? { body: { email: email.trim(), role } } : null;
    },
    onSuccess: ({ staff, link }) => {
      onClose();
      onAdded({ email: staff.email, url: link.url, expiresAt: link.expires_at });
    },
    onClose,
  });
  const refused = useCredentialRefusal(dialog.failure, { email });
  const edit = (text: string) => {
    setEmail(text);
    setError(null);
    clear();
  };
  return (
    <FormDialog
      {...dialog}
      title={t('staff.add')}
      text={t('staff.addText')}
      submitLabel={t('staff.add')}
      failure={refused.isOfField ? null : dialog.failure}
    >
      <Field
        label={t('credentials.email')}
        type="email"
        autoComplete="off"
        value={email}
        onChange={edit}
        error={error}
        refusal={refused.email}
      />
      <RoleSelect role={role} onChange={setRole} />
    </FormDialog>
  );
}

type MemberDialogProps = { readonly member: StaffMemberRecord; readonly onClose: () => void };

export function RoleDialog({ member, onClose }: MemberDialogProps) {
  const { t } = useMessages();
  const [role, setRole] = useState(member.role);
  const { dialog } = useDialogChange('setStaffRole', {
    request: () => ({ params: { id: member.id }, body: { role } }),
    success: t('staff.roleChanged', { email: member.email, role: t(`role.${role}.name`) }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t('staff.roleTitle', { email: member.email })}
      submitLabel={t('form.save')}
      disabled={role === member.role}
    >
      <RoleSelect role={role} onChange={setRole} />
    </FormDialog>
  );
}

export function RemoveStaffDialog({ member, onClose }: MemberDialogProps) {
  const { t } = useMessages();
  const { email } = member;
  const { dialog } = useDialogChange('removeStaff', {
    request: () => ({ params: { id: member.id } }),
    success: t('staff.removed', { email }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('staff.removeTitle', { email })}
      text={t('staff.removeText', { count: member.sessions })}
      name={email}
      confirmLabel={t('staff.remove')}
    />
  );
}

/** A member's passkeys, so that an owner can remove one that is not the member's own. */
export function MemberPasskeysDialog({ member, onClose }: MemberDialogProps) {
  const { t } = useMessages();
  const { email } = member;
  const result = useRead('memberPasskeys', { params: { id: member.id } });
  const failure = failureOf(result);
  const title = t('staff.passkeysTitle', { email });
  return (
    <WideDialog title={title} onClose={onClose}>
      {failure !== null && <ReadFailure failure={failure} />}
      {result.data === undefined && failure === null && <Skeleton lines={2} />}
      {result.data !== undefined && (
        <PasskeyList
          passkeys={result.data.passkeys}
          label={title}
          removeText={t('staff.passkeyRemoveText', { email })}
        />
      )}
    </WideDialog>
  );
}

/** Returns an action that creates a link for a member and passes it to `onLink`. */
export function useNewLink(onLink: (link: NewLink) => void) {
  const change = useChange();
  const create = async ({ id, email }: StaffMemberRecord) => {
    const result = await change.run('createStaffLink', { params: { id } });
    if (result !== null) onLink({ email, url: result.value.url, expiresAt: result.value.expires_at });
  };
  return { pending: change.pending, failure: change.failure, create };
}

type StaffLinkDialogProps = { readonly link: NewLink; readonly onClose: () => void };

/** Shows the link once; a new one can be created at any time. */
export function StaffLinkDialog({ link, onClose }: StaffLinkDialogProps) {
  const { t, locale } = useMessages();
  return (
    <Modal title={t('staff.linkTitle')} className="modal-wide" dismissable={false} onClose={onClose}>
      <div className="dialog">
        <h2>{t('staff.linkTitle')}</h2>
        <p className="dialog-text">
          {t('staff.linkText', { email: link.email, until: exactTime(link.expiresAt, locale) })}
        </p>
        <output className="secret-value mono" aria-label={t('staff.linkTitle')}>
          {link.url}
        </output>
        <div className="dialog-actions">
          <CopyButton text={link.url} />
          <ActionButton variant="primary" onPress={onClose}>
            {t('form.done')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}
