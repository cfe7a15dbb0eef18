/** A dialog that renames this device, so that its user recognizes it in lists. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

const maxLength = 200;

export function RenameDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const current = useApp((app) => app.thisDevice?.name ?? '');
  const offline = useApp((app) => app.server.reachability.kind === 'offline');
  const [name, setName] = useState(current);
  const action = useAction();
  const isTooLong = [...name.trim()].length > maxLength;
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (isTooLong || (await action.run(() => bridge.renameDevice({ name }))) === null) return;
    showToast(t(offline ? 'devices.renamedOffline' : 'devices.renamed'));
    onClose();
  };
  return (
    <Modal title={t('devices.rename')} focus="first" onClose={onClose}>
      <form className="dialog" onSubmit={rename} noValidate>
        <h2>{t('devices.rename')}</h2>
        <Field
          label={t('devices.name')}
          value={name}
          onChange={setName}
          autoFocus
          autoComplete="off"
          hint={t('devices.nameHint')}
          error={isTooLong ? t('devices.nameTooLong', { count: maxLength }) : null}
        />
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{t('common.cancel')}</ActionButton>
          <ActionButton variant="primary" type="submit" pending={action.pending}>
            {t('devices.saveName')}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}
