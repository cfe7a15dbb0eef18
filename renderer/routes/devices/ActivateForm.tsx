/** The license key, judged while it is typed, and the act; at the limit it offers to replace a device. */
import { type FormEvent, useState } from 'react';
import { ActButton } from '../../components/ActButton.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Field } from '../../components/Field.tsx';
import { hintForLicenseKey, licenseKeyToSend } from '../../i18n/license-key-hint.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { LicenseKeyHint } from './LicenseKeyHint.tsx';
import { LimitDialog } from './LimitDialog.tsx';
import { useActivation } from './use-activation.ts';

export function ActivateForm({ onActivated }: { readonly onActivated: () => void }) {
  const { t } = useSentences();
  const [key, setKey] = useState('');
  const [missing, setMissing] = useState(false);
  const activation = useActivation({
    onActivated: () => {
      setKey('');
      onActivated();
    },
  });
  const { act } = activation;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '') return setMissing(true);
    await activation.activate(licenseKeyToSend(key));
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
      <LimitDialog activation={activation} />
    </form>
  );
}
