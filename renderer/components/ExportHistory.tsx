/** Writes devices and heartbeats to a CSV file; gated by a feature, and says so. */
import { FileDown } from 'lucide-react';
import { useId } from 'react';
import { bridge } from '../bridge.ts';
import { failureSentence } from '../i18n/failure-sentence.ts';
import { gateSentence } from '../i18n/feature-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { notify, useApp } from '../store.ts';
import { useAct } from '../use-act.ts';
import { ActButton } from './ActButton.tsx';

export function ExportHistory() {
  const { t } = useSentences();
  const act = useAct();
  const hintId = useId();
  const state = useApp((app) => app.features.find(({ feature }) => feature === 'csv_export'));
  const off = state === undefined || !state.on;
  const write = () =>
    act.run(async () => {
      const result = await bridge.exportHistory();
      if (result.ok) notify(t('activity.exported', { path: result.value.path }));
      else if (result.failure.code !== 'CANCELED') notify(failureSentence(result.failure, t).what, 'blocked');
      return result;
    });
  return (
    <div className="gated">
      <ActButton icon={FileDown} pending={act.pending} disabled={off} describedBy={hintId} onPress={() => void write()}>
        {t('activity.export')}
      </ActButton>
      <p id={hintId} className="hint">
        {state !== undefined && !state.on ? gateSentence(state.reason, t) : t('activity.exportHint')}
      </p>
    </div>
  );
}
