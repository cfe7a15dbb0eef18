/** Previews the support file before saving it: its text, the number of days, and whether names are included. */
import { Save } from 'lucide-react';
import { useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { SettingSelect, SettingSwitch } from '../components/SettingControls.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

const dayChoices = ['1', '3', '7'] as const;

export function SupportFileDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const saving = useAction();
  const [days, setDays] = useState<(typeof dayChoices)[number]>('7');
  const [includeNames, setIncludeNames] = useState(false);
  const input = { days: Number(days), includeNames };
  const { result, isCurrent } = useLoaded(() => bridge.supportFile(input), [days, includeNames]);
  const text = isCurrent && result?.ok ? result.value.text : null;
  const making = isCurrent && result?.ok === false ? result.failure : null;
  const save = async () => {
    if (text === null) return;
    const saved = await saving.run(() => bridge.saveSupportFile({ text }));
    if (saved === null) return;
    showToast(t('diagnostics.saved', { path: saved.value.path }));
    onClose();
  };
  const options = dayChoices.map((id) => ({ id, name: t('diagnostics.days', { count: Number(id) }) }));
  const failure = making ?? (saving.failure?.code === 'CANCELED' ? null : saving.failure);
  return (
    <WideDialog title={t('diagnostics.support')} onClose={onClose}>
      <p className="dialog-text">{t('diagnostics.dialogText')}</p>
      <div className="settings">
        <SettingSelect label={t('diagnostics.period')} value={days} options={options} onChange={setDays} />
        <SettingSwitch
          label={t('diagnostics.includeNames')}
          hint={t('diagnostics.includeNamesHint')}
          on={includeNames}
          onChange={setIncludeNames}
        />
      </div>
      {failure !== null && <FailureAlert failure={failure} />}
      <div aria-live="polite" aria-busy={text === null}>
        {text === null && failure === null && <Skeleton lines={10} />}
        {text !== null && (
          <textarea
            className="support-text mono"
            readOnly
            rows={14}
            aria-label={t('diagnostics.content')}
            value={text}
          />
        )}
      </div>
      <div className="dialog-actions">
        <ActionButton
          variant="primary"
          icon={Save}
          pending={saving.pending}
          disabled={text === null}
          onPress={() => void save()}
        >
          {t('diagnostics.save')}
        </ActionButton>
      </div>
    </WideDialog>
  );
}
