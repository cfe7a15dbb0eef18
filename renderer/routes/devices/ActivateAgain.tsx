/** The button that takes a slot again with the key that this device holds already. */
import type { Failure } from '../../../shared/ipc/result.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { LimitDialog } from './LimitDialog.tsx';
import { useActivation } from './use-activation.ts';

/** A refusal is shown beneath the button, unless somebody else says it. */
export function ActivateAgain({ onRefused }: { readonly onRefused?: (failure: Failure) => void }) {
  const { t } = useSentences();
  const activation = useActivation({ onRefused });
  const { pending, failure } = activation.act;
  return (
    <>
      <ActButton weight="primary" pending={pending} onPress={() => void activation.activate('')}>
        {t('license.activateAgain')}
      </ActButton>
      {failure !== null && onRefused === undefined && <FailureNotice failure={failure} />}
      <LimitDialog activation={activation} />
    </>
  );
}
