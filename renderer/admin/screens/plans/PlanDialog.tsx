/** Changes a plan, or adds one. */
import { useState } from 'react';
import type { PlanRecord } from '../../../../shared/api/admin/plans.ts';
import type { Features } from '../../../../shared/api/features.ts';
import { Field } from '../../../components/Field.tsx';
import { planName } from '../../../i18n/format.ts';
import { useChange } from '../../api/use-change.ts';
import { CheckField } from '../../forms/CheckField.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { flagsOf, withoutFeatures } from './feature-flags.ts';

type PlanDialogProps = {
  /** `null` for a new one. */
  readonly plan: PlanRecord | null;
  /** The features of any plan, for those that a new one can have. */
  readonly template: Features;
  readonly onClose: () => void;
};

export function PlanDialog({ plan, template, onClose }: PlanDialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const [name, setName] = useState(plan?.name ?? '');
  const [devices, setDevices] = useState(String(plan?.max_devices ?? 1));
  const [newDevices, setNewDevices] = useState(String(plan?.new_devices_per_month ?? 10));
  const [leaseDays, setLeaseDays] = useState(String(plan?.lease_days ?? ''));
  const [features, setFeatures] = useState(plan?.features ?? withoutFeatures(template));
  const isComplete = name.trim() !== '' && isCount(devices) && isCount(newDevices) && isLeaseDays(leaseDays);
  const title = plan === null ? t('planSettings.add') : t('planSettings.changeTitle', { name: planName(plan.name, t) });
  const save = async () => {
    const { max_devices: _, ...flags } = features;
    const body = {
      max_devices: Number(devices),
      new_devices_per_month: Number(newDevices),
      lease_days: leaseDays === '' ? null : Number(leaseDays),
      features: flags,
    };
    const options = { params: { name: name.trim() }, body };
    if ((await change.run('setPlan', options, t('planSettings.changed', { name: name.trim() }))) !== null) onClose();
  };
  return (
    <FormDialog
      title={title}
      text={plan === null ? t('planSettings.addText') : t('planSettings.changeText')}
      submitLabel={t('form.save')}
      pending={change.pending}
      failure={change.failure}
      disabled={!isComplete}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      {plan === null && <Field label={t('planSettings.name')} value={name} onChange={setName} autoComplete="off" />}
      <Field label={t('field.deviceLimit')} type="number" min="0" value={devices} onChange={setDevices} />
      <Field
        label={t('planSettings.newDevicesLabel')}
        type="number"
        min="0"
        value={newDevices}
        onChange={setNewDevices}
        hint={t('planSettings.newDevicesHint')}
      />
      <Field
        label={t('planSettings.leaseDays')}
        type="number"
        min="1"
        value={leaseDays}
        onChange={setLeaseDays}
        hint={t('planSettings.leaseDaysHint')}
      />
      <fieldset className="plan-checks">
        <legend className="label">{t('planSettings.includes')}</legend>
        {flagsOf(features).map((flag) => (
          <CheckField
            key={flag}
            label={t(`feature.${flag}.name`)}
            checked={features[flag]}
            onChange={(isOn) => setFeatures({ ...features, [flag]: isOn })}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

function isCount(text: string): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) <= 1_000_000;
}

function isLeaseDays(text: string): boolean {
  return text === '' || (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 3650);
}
