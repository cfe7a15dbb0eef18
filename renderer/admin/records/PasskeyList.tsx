/** A staff member's passkeys, each with a button to remove it. */
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import type { AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { RelativeTime } from '../../components/Times.tsx';
import { TypedConfirmDialog } from '../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../forms/use-dialog-change.ts';
import { useMessages } from '../i18n/messages.ts';
import { Day } from './Day.tsx';

type Passkey = AdminResponseOf<'passkeys'>['passkeys'][number];

type PasskeyListProps = {
  readonly passkeys: readonly Passkey[];
  readonly label: string;
  /** Text of the dialog that confirms a removal. */
  readonly removeText: string;
};

export function PasskeyList({ passkeys, label, removeText }: PasskeyListProps) {
  const { t } = useMessages();
  const [removing, setRemoving] = useState<Passkey | null>(null);
  return (
    <>
      {passkeys.length === 0 && <p className="hint">{t('passkey.none')}</p>}
      <ul className="record-list" aria-label={label}>
        {passkeys.map((passkey) => (
          <li key={passkey.id} className="record-item">
            <Fingerprint className="icon record-icon" aria-hidden />
            <div className="record-item-text">
              <p className="wrap-anywhere">{passkey.name || t('passkey.unnamed')}</p>{' '}
              <p className="hint">
                {t('field.created')}: <Day at={passkey.created_at} />
                {passkey.last_used_at !== null && (
                  <>
                    {' · '}
                    {t('field.lastUsed')} <RelativeTime at={passkey.last_used_at} />
                  </>
                )}
              </p>
            </div>{' '}
            <ActionButton onPress={() => setRemoving(passkey)}>{t('passkey.remove')}</ActionButton>
          </li>
        ))}
      </ul>
      {removing !== null && <RemoveDialog passkey={removing} text={removeText} onClose={() => setRemoving(null)} />}
    </>
  );
}

type RemoveDialogProps = { readonly passkey: Passkey; readonly text: string; readonly onClose: () => void };

function RemoveDialog({ passkey, text, onClose }: RemoveDialogProps) {
  const { t } = useMessages();
  const name = passkey.name || t('passkey.unnamed');
  const { dialog } = useDialogChange('removePasskey', {
    request: () => ({ params: { id: passkey.id } }),
    success: t('passkey.removed', { name }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('passkey.removeTitle', { name })}
      text={text}
      name={name}
      confirmLabel={t('passkey.remove')}
    />
  );
}
