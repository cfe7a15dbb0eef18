/** Asks how to store the session if the system has no keyring: once by itself, and when the user wants to change it. */
import { useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

/** Escape leaves the choice open: nothing is stored, and the next start asks again. */
export function KeyringDialog() {
  const undecided = useApp((app) => app.secretStorage === 'ask');
  const [later, setLater] = useState(false);
  return undecided && !later ? <KeyringChoice onClose={() => setLater(true)} /> : null;
}

export function KeyringChoice({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const action = useAction();
  const choose = async (keep: boolean) => {
    if ((await action.run(() => bridge.chooseSecretStorage({ keep }))) !== null) onClose();
  };
  return (
    <Modal title={t('keyring.title')} dismissable={false} onClose={onClose}>
      <div className="dialog">
        <h2>{t('keyring.title')}</h2>
        <p className="dialog-text">{t('keyring.text')}</p>
        <p className="dialog-text">{t('keyring.forgetHint')}</p>
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        <div className="dialog-actions dialog-actions-stacked">
          <ActionButton variant="primary" pending={action.pending} onPress={() => void choose(true)}>
            {t('keyring.keep')}
          </ActionButton>
          <ActionButton onPress={() => void choose(false)}>{t('keyring.forget')}</ActionButton>
        </div>
      </div>
    </Modal>
  );
}
