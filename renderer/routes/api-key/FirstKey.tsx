/** Before a key was seen: one button makes the first, or finds the one that is there. */
import { KeyRound } from 'lucide-react';
import { bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Empty } from '../../components/Empty.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { keepFreshApiKey } from '../../store.ts';
import { useAct } from '../../use-act.ts';

export function FirstKey({ onFound }: { readonly onFound: () => void }) {
  const { t } = useSentences();
  const act = useAct();
  const generate = async () => {
    const answer = await act.run(() => bridge.generateApiKey({ replace: false }));
    if (answer?.value.kind === 'generated') keepFreshApiKey(answer.value.apiKey);
    if (answer?.value.kind === 'existing') onFound();
  };
  return (
    <div className="panel">
      {act.failure !== null && <FailureNotice failure={act.failure} />}
      <Empty icon={KeyRound} title={t('apiKey.none')} hint={t('apiKey.noneHint')}>
        <ActButton weight="primary" pending={act.pending} onPress={() => void generate()}>
          {t('apiKey.generate')}
        </ActButton>
      </Empty>
    </div>
  );
}
