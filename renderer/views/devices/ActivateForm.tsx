/** The license key, judged while it is typed, and the act; at the limit it offers to replace a device. */
import { type FormEvent, useState } from 'react';
import type { ActivationOutcome } from '../../../shared/ipc/ipc-schema.ts';
import { bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Field } from '../../components/Field.tsx';
import { notify } from '../../store.ts';
import { hintForLicenseKey, licenseKeyToSend } from '../../text/license-key-hint.ts';
import { useSentences } from '../../text/use-sentences.ts';
import { useAct } from '../../use-act.ts';
import { LicenseKeyHint } from './LicenseKeyHint.tsx';
import { LimitDialog } from './LimitDialog.tsx';

type LimitReached = Extract<ActivationOutcome, { kind: 'device-limit-reached' }>;

export function ActivateForm({ onActivated }: { readonly onActivated: () => void }) {
  const { t } = useSentences();
  const act = useAct();
  const [key, setKey] = useState('');
  const [missing, setMissing] = useState(false);
  const [limit, setLimit] = useState<LimitReached | null>(null);

  const activated = (words: string) => {
    setLimit(null);
    setKey('');
    notify(words);
    onActivated();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '') return setMissing(true);
    const answer = await act.run(() => bridge.activateLicense({ licenseKey: licenseKeyToSend(key) }));
    if (answer === null) return;
    const outcome = answer.value;
    if (outcome.kind === 'device-limit-reached') return setLimit(outcome);
    activated(t('devices.activatedNotice', { used: outcome.activations, most: outcome.maxActivations }));
  };

  return (
    <form className="activate" onSubmit={submit} noValidate>
      <Field
        label={t('devices.licenseKey')}
        value={key}
        onChange={(next) => {
          setKey(next);
          setMissing(false);
          act.clear();
        }}
        mono
        autoComplete="off"
        placeholder="SVC-XXXX-XXXX-XXXX-XXXX"
        hint={<LicenseKeyHint hint={hintForLicenseKey(key)} />}
        error={missing ? t('devices.licenseKeyMissing') : null}
      />
      <ActButton weight="primary" type="submit" pending={act.pending}>
        {t('devices.activate')}
      </ActButton>
      {act.failure !== null && <FailureNotice failure={act.failure} />}
      {limit !== null && (
        <LimitDialog
          licenseKey={licenseKeyToSend(key)}
          limit={limit}
          onClose={() => setLimit(null)}
          onReplaced={(name) => activated(t('devices.replaced', { name }))}
        />
      )}
    </form>
  );
}
