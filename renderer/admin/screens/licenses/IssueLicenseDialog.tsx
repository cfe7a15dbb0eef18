/** Issues a license and shows its key once. */
import { useState } from 'react';
import type { AdminRequestOf, AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { Field } from '../../../components/Field.tsx';
import { CheckField } from '../../forms/CheckField.tsx';
import { endOfDay } from '../../forms/days.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { NumberField } from '../../forms/NumberField.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { deviceCounts, isInRange } from '../../forms/whole-numbers.ts';
import { useMessages } from '../../i18n/messages.ts';
import { usePlanOptions } from '../../records/use-plans.ts';
import { useMay } from '../../session/session-store.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';

type IssueLicenseDialogProps = {
  /** Email of the license's account, if already decided. */
  readonly email?: string;
  readonly onClose: () => void;
};

/** Empty means the plan's limit. */
const limits = { ...deviceCounts, isOptional: true };

type Draft = {
  readonly email: string;
  readonly plan: string;
  readonly maxActivations: string;
  readonly expiresOn: string;
  readonly withSubscription: boolean;
};

export function IssueLicenseDialog({ email = '', onClose }: IssueLicenseDialogProps) {
  const { t } = useMessages();
  const [draft, setDraft] = useState<Draft>({
    email,
    plan: '',
    maxActivations: '',
    expiresOn: '',
    withSubscription: false,
  });
  const [emailError, setEmailError] = useState<string | null>(null);
  const [issued, setIssued] = useState<AdminResponseOf<'issueLicense'> | null>(null);
  const { dialog, tried } = useDialogChange('issueLicense', {
    request: () => {
      const found = draft.email.trim() === '' ? null : findEmailError(draft.email.trim());
      setEmailError(found === null ? null : t(`credentials.${found}`));
      return found === null && isInRange(draft.maxActivations, limits) ? { body: toRequest(draft) } : null;
    },
    onSuccess: setIssued,
    onClose,
  });
  if (issued !== null) return <NewKeyDialog issued={issued} onSaved={onClose} />;
  return (
    <FormDialog
      {...dialog}
      title={t('licenses.issue')}
      text={email === '' ? undefined : t('licenses.issueFor', { email })}
      submitLabel={t('licenses.issue')}
    >
      {email === '' && (
        <Field
          label={t('credentials.email')}
          type="email"
          autoComplete="off"
          value={draft.email}
          onChange={(next) => setDraft({ ...draft, email: next })}
          hint={t('licenses.emailHint')}
          error={emailError}
        />
      )}
      <IssueFields draft={draft} tried={tried} change={(changed) => setDraft({ ...draft, ...changed })} />
    </FormDialog>
  );
}

type IssueFieldsProps = {
  readonly draft: Draft;
  readonly tried: boolean;
  readonly change: (changed: Partial<Draft>) => void;
};

function IssueFields({ draft, tried, change }: IssueFieldsProps) {
  const { t } = useMessages();
  const plans = usePlanOptions();
  const mayChooseLimit = useMay('setLicenseMaxActivations');
  return (
    <>
      <SelectField
        label={t('field.plan')}
        value={draft.plan}
        options={[{ id: '', name: t('licenses.planDefault') }, ...plans]}
        onChange={(plan) => change({ plan })}
      />
      <div className="field-pair">
        {mayChooseLimit && (
          <NumberField
            label={t('field.deviceLimit')}
            value={draft.maxActivations}
            onChange={(maxActivations) => change({ maxActivations })}
            range={limits}
            tried={tried}
            hint={t('licenses.limitHint')}
          />
        )}
        <Field
          label={t('field.expires')}
          type="date"
          value={draft.expiresOn}
          onChange={(expiresOn) => change({ expiresOn })}
          hint={t('licenses.expiryHint')}
        />
      </div>
      {draft.email.trim() !== '' && (
        <CheckField
          label={t('licenses.withSubscription')}
          hint={t('licenses.withSubscriptionHint')}
          checked={draft.withSubscription}
          onChange={(withSubscription) => change({ withSubscription })}
        />
      )}
    </>
  );
}

function toRequest({
  email,
  plan,
  maxActivations,
  expiresOn,
  withSubscription,
}: Draft): AdminRequestOf<'issueLicense'> {
  const owner = email.trim();
  return {
    ...(owner !== '' && { email: owner, with_subscription: withSubscription }),
    ...(plan !== '' && { plan }),
    ...(maxActivations !== '' && { max_activations: Number(maxActivations) }),
    ...(expiresOn !== '' && { expires_at: endOfDay(expiresOn) }),
  };
}
