/** Mails a license key while it is shown, to the owner or another address. */
import { type FormEvent, useState } from 'react';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import { type Language, languages } from '../../../../shared/ipc/language.ts';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Field } from '../../../components/Field.tsx';
import { languageNames } from '../../../i18n/shared-messages.ts';
import { useChange } from '../../api/use-change.ts';
import { SelectField } from '../../forms/SelectField.tsx';
import { SendButton } from '../../forms/SendButton.tsx';
import { useMessages } from '../../i18n/messages.ts';

type SendKeyFormProps = {
  readonly licenseKey: string;
  readonly license: Pick<LicenseRecord, 'id' | 'email'>;
};

const languageOptions = languages.map((id) => ({ id, name: languageNames[id] }));

export function SendKeyForm({ licenseKey, license }: SendKeyFormProps) {
  const { t, language: shown } = useMessages();
  const { pending, failure, clear, run } = useChange();
  const [email, setEmail] = useState(license.email ?? '');
  const [emailError, setEmailError] = useState<string | null>(null);
  const [language, setLanguage] = useState<Language>(shown);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const refused = useCredentialRefusal(failure, { email });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const isEmail = findEmailError(email.trim()) === null;
    setEmailError(isEmail ? null : t('credentials.emailShape'));
    setSentTo(null);
    clear();
    if (!isEmail) return;
    const body = { license_key: licenseKey, email: email.trim(), language };
    const sent = await run('sendLicense', { params: { id: license.id }, body });
    if (sent !== null) setSentTo(sent.value.sent_to);
  };
  return (
    <form className="field-group" onSubmit={(event) => void send(event)} noValidate>
      <div className="field-pair">
        <Field
          label={t('credentials.email')}
          type="email"
          autoComplete="off"
          value={email}
          onChange={(text) => {
            setEmail(text);
            clear();
          }}
          error={emailError}
          refusal={refused.email}
        />
        <SelectField
          label={t('appearance.language')}
          value={language}
          options={languageOptions}
          onChange={(next) => setLanguage(next as Language)}
        />
      </div>
      {failure !== null && !refused.isOfField && <FailureAlert failure={failure} />}
      <SendButton pending={pending} sentTo={sentTo} />
    </form>
  );
}
