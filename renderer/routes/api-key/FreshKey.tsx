/** The key generated just now: readable, to be copied, and gone once the person says that it is saved. */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { keepFreshApiKey, notify } from '../../store.ts';
import { useAct } from '../../use-act.ts';

/** `null` after the window was opened anew: main still has the key, to copy; it is not shown again. */
export function FreshKey({ apiKey }: { readonly apiKey: string | null }) {
  const { t } = useSentences();
  const copying = useAct();
  const saving = useAct();
  const [copied, setCopied] = useState(false);
  const copy = async () => setCopied((await copying.run(() => bridge.copyApiKey())) !== null);
  const confirm = async () => {
    if ((await saving.run(() => bridge.confirmApiKeySaved())) === null) return;
    keepFreshApiKey(null);
    notify(t('apiKey.savedToast'));
  };
  const failure = copying.failure ?? saving.failure;
  return (
    <Panel title={apiKey === null ? t('apiKey.waiting') : t('apiKey.yourKey')} className="panel-accent">
      <p className="panel-intro">{apiKey === null ? t('apiKey.waitingHint') : t('apiKey.once')}</p>
      <div className="secret">
        {apiKey !== null && (
          <output className="secret-value mono" aria-label={t('apiKey.yourKey')}>
            {apiKey}
          </output>
        )}
        <ActButton icon={copied ? Check : Copy} pending={copying.pending} onPress={() => void copy()}>
          {t('apiKey.copy')}
        </ActButton>
      </div>
      <p className="hint hint-good secret-copied" aria-live="polite">
        {copied ? t('apiKey.copied') : ''}
      </p>
      {failure !== null && <FailureNotice failure={failure} />}
      <ActButton weight="primary" pending={saving.pending} onPress={() => void confirm()}>
        {t('apiKey.saved')}
      </ActButton>
    </Panel>
  );
}
