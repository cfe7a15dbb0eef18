/** A dialog that changes or adds a plan. */
import { useState } from 'react';
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import type { PlanRecord } from '../../../../shared/api/admin/plans.ts';
import type { PolicyPreview } from '../../../../shared/api/admin/policy-preview.ts';
import { isPlanName } from '../../../../shared/formats/plan-fields.ts';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { Field } from '../../../components/Field.tsx';
import { planName } from '../../../i18n/format.ts';
import { isNothing, previewIn } from '../../api/use-preview.ts';
import { CheckField } from '../../forms/CheckField.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { NumberField } from '../../forms/NumberField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { deviceCounts, isInRange, leaseDays as leaseDaysRange } from '../../forms/whole-numbers.ts';
import { useMessages } from '../../i18n/messages.ts';
import { PreviewText } from '../../records/PreviewText.tsx';
import { textIn } from '../features/feature-records.ts';

type PlanDialogProps = {
  /** `null` for a new plan. */
  readonly plan: PlanRecord | null;
  /** Visible features; hidden ones keep their values. */
  readonly features: readonly FeatureRecord[];
  /** Names of the plans that there are. */
  readonly takenNames: readonly string[];
  readonly onClose: () => void;
};

export function PlanDialog({ plan, features, takenNames, onClose }: PlanDialogProps) {
  const { t, language } = useMessages();
  const [name, setName] = useState(plan?.name ?? '');
  const [devices, setDevices] = useState(String(plan?.max_devices ?? 1));
  const [newDevices, setNewDevices] = useState(String(plan?.new_devices_per_month ?? 10));
  const [leaseDays, setLeaseDays] = useState(String(plan?.lease_days ?? ''));
  const [switches, setSwitches] = useState(() =>
    Object.fromEntries(features.map(({ name: feature }) => [feature, plan?.features[feature] === true])),
  );
  // With the name of another plan, saving would change that one.
  const isTaken = plan === null && takenNames.includes(name.trim());
  const isName = plan !== null || (isPlanName(name.trim()) && !isTaken);
  const isValid =
    isName &&
    isInRange(devices, deviceCounts) &&
    isInRange(newDevices, deviceCounts) &&
    isInRange(leaseDays, leaseDaysRange);
  const title = plan === null ? t('planSettings.add') : t('planSettings.changeTitle', { name: planName(plan.name, t) });
  const [preview, setPreview] = useState<PolicyPreview | null>(null);
  const [max_devices, new_devices_per_month] = [Number(devices), Number(newDevices)];
  const lease_days = leaseDays === '' ? null : Number(leaseDays);
  // Only what differs: others may have changed the rest while the dialog was open.
  const options = {
    params: { name: name.trim() },
    body: {
      ...(max_devices !== plan?.max_devices && { max_devices }),
      ...(new_devices_per_month !== plan?.new_devices_per_month && { new_devices_per_month }),
      ...(lease_days !== plan?.lease_days && { lease_days }),
      features: Object.fromEntries(
        Object.entries(switches).filter(([feature, isOn]) => isOn !== (plan?.features[feature] === true)),
      ),
    },
  };
  const { dialog: saving } = useDialogChange('setPlan', {
    request: () => options,
    success: t('planSettings.changed', { name: name.trim() }),
    onClose,
  });
  const { dialog, tried } = useDialogChange('setPlan', {
    request: () => (isValid ? { ...options, body: { ...options.body, dry_run: true } } : null),
    onSuccess: (response) => {
      const found = previewIn(response);
      if (found === null || isNothing(found)) saving.onConfirm();
      else setPreview(found);
    },
    onClose,
  });
  if (preview !== null) {
    return (
      <ConfirmDialog
        {...saving}
        title={t('planSettings.confirmTitle', { name: planName(name.trim(), t) })}
        text={<PreviewText preview={preview} />}
        confirmLabel={t('form.save')}
        onClose={() => setPreview(null)}
      />
    );
  }
  return (
    <FormDialog
      {...dialog}
      pending={dialog.pending || saving.pending}
      failure={dialog.failure ?? saving.failure}
      title={title}
      text={plan === null ? t('planSettings.addText') : t('planSettings.changeText')}
      submitLabel={t('form.save')}
    >
      {plan === null && (
        <Field
          label={t('planSettings.name')}
          value={name}
          onChange={setName}
          autoComplete="off"
          hint={t('planSettings.nameHint')}
          error={tried && !isName ? t(isTaken ? 'planSettings.nameTaken' : 'planSettings.nameError') : null}
        />
      )}
      <NumberField
        label={t('field.deviceLimit')}
        value={devices}
        onChange={setDevices}
        range={deviceCounts}
        tried={tried}
      />
      <NumberField
        label={t('planSettings.newDevicesLabel')}
        value={newDevices}
        onChange={setNewDevices}
        range={deviceCounts}
        tried={tried}
        hint={t('planSettings.newDevicesHint')}
      />
      <NumberField
        label={t('planSettings.leaseDays')}
        value={leaseDays}
        onChange={setLeaseDays}
        range={leaseDaysRange}
        tried={tried}
        hint={t('planSettings.leaseDaysHint')}
      />
      <fieldset className="plan-checks">
        <legend className="label">{t('planSettings.includes')}</legend>
        {features.map((feature) => (
          <CheckField
            key={feature.name}
            label={textIn(feature.title, language)}
            checked={switches[feature.name] === true}
            onChange={(isOn) => setSwitches({ ...switches, [feature.name]: isOn })}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
