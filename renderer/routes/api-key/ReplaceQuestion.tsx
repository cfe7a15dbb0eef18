/** Asks before the key is replaced, and says what breaks. */
import { bridge } from '../../bridge.ts';
import { Confirm } from '../../components/Dialogs.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { keepFreshApiKey } from '../../store.ts';
import { useAct } from '../../use-act.ts';

type Props = { readonly prefix: string; readonly onClose: () => void };

export function ReplaceQuestion({ prefix, onClose }: Props) {
  const { t } = useSentences();
  const act = useAct();
  const replace = async () => {
    const answer = await act.run(() => bridge.generateApiKey({ replace: true }));
    if (answer === null) return;
    if (answer.value.kind === 'generated') keepFreshApiKey(answer.value.apiKey);
    onClose();
  };
  return (
    <Confirm
      title={t('apiKey.replaceTitle')}
      text={t('apiKey.replaceText', { prefix })}
      act={t('apiKey.replace')}
      danger
      pending={act.pending}
      failure={act.failure}
      onConfirm={() => void replace()}
      onClose={onClose}
    />
  );
}
