/** Lets users add and remove their own passkeys. */
import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { describeBrowser } from '../../../i18n/describe-browser.ts';
import { useAction } from '../../../use-action.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { PasskeyList } from '../../records/PasskeyList.tsx';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { PasskeyUnavailable } from '../../session/PasskeyUnavailable.tsx';
import { addPasskey, canUsePasskeys } from '../../session/passkeys.ts';
import { useStaffSession } from '../../session/session-store.ts';

export function Passkeys() {
  const { t } = useMessages();
  const isPossible = useStaffSession().can_use_passkeys && canUsePasskeys();
  const result = useRead('passkeys');
  const failure = failureOf(result);
  return (
    <Panel title={t('passkey.title')} aside={isPossible && <AddButton />}>
      <p className="panel-intro">{t('passkey.intro')}</p>
      {!isPossible && <PasskeyUnavailable />}
      {failure !== null && <ReadFailure failure={failure} />}
      {result.data === undefined && failure === null && <Skeleton lines={2} />}
      {result.data !== undefined && (
        <PasskeyList passkeys={result.data.passkeys} label={t('passkey.title')} removeText={t('passkey.removeText')} />
      )}
    </Panel>
  );
}

function AddButton() {
  const { t } = useMessages();
  const action = useAction();
  const queries = useQueryClient();
  const add = async () => {
    if ((await action.run(() => addPasskey(describeBrowser(navigator.userAgent)))) === null) return;
    showToast(t('passkey.added'));
    void queries.invalidateQueries();
  };
  return (
    <>
      <ActionButton icon={Fingerprint} pending={action.pending} onPress={() => void add()}>
        {t('passkey.add')}
      </ActionButton>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
    </>
  );
}
