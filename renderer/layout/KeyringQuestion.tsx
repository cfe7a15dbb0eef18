/** Asks once how to keep the sign-in where the system has no keyring. */
import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { useAct } from '../use-act.ts';

/** Escape leaves it undecided: nothing is kept, and the next start asks again. */
export function KeyringQuestion() {
  const { t } = useSentences();
  const undecided = useApp((app) => app.secretStorage === 'ask');
  const [later, setLater] = useState(false);
  const act = useAct();
  const choose = (keep: boolean) => void act.run(() => bridge.chooseSecretStorage({ keep }));
  return (
    <ModalOverlay className="overlay" isOpen={undecided && !later} onOpenChange={(open) => setLater(!open)}>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{t('keyring.title')}</Heading>
          <p className="dialog-text">{t('keyring.text')}</p>
          {act.failure !== null && <FailureNotice failure={act.failure} />}
          <div className="dialog-acts dialog-acts-stacked">
            <ActButton weight="primary" pending={act.pending} onPress={() => choose(true)}>
              {t('keyring.keep')}
            </ActButton>
            <ActButton onPress={() => choose(false)}>{t('keyring.forget')}</ActButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
