/** Changes until when a license is valid, and on how many devices. */
import { useState } from 'react';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Field } from '../../../components/Field.tsx';
import { useChange } from '../../api/use-change.ts';
import { dayOf, endOfDay } from '../../forms/days.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { NumberField } from '../../forms/NumberField.tsx';
import { deviceCounts, isInRange } from '../../forms/whole-numbers.ts';
import { useMessages } from '../../i18n/messages.ts';
import { useMay } from '../../session/session-store.ts';
import { ownerText } from './owner-text.ts';

type LicenseProps = { readonly license: LicenseRecord };
type DialogProps = LicenseProps & { readonly onClose: () => void };

export function ExpiryButton({ license }: LicenseProps) {
  const { t } = useMessages();
  const [changing, setChanging] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setChanging(true)}>
        {t('licenses.changeExpiry')}
      </button>
      {changing && <ExpiryDialog license={license} onClose={() => setChanging(false)} />}
    </>
  );
}

function ExpiryDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const [day, setDay] = useState(dayOf(license.expires_at));
  const save = async () => {
    const body = { expires_at: day === '' ? null : endOfDay(day) };
    const success = t('licenses.expiryChanged', { license: license.key_preview });
    if ((await change.run('setLicenseExpiry', { params: { id: license.id }, body }, success)) !== null) onClose();
  };
  return (
    <FormDialog
      title={t('licenses.expiryTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.devicesOn', { count: license.activations })}`}
      submitLabel={t('form.save')}
      pending={change.pending}
      failure={change.failure}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <Field label={t('field.expires')} type="date" value={day} onChange={setDay} hint={t('licenses.expiryHint')} />
    </FormDialog>
  );
}

export function LimitButton({ license }: LicenseProps) {
  const { t } = useMessages();
  const [changing, setChanging] = useState(false);
  if (!useMay('setLicenseMaxActivations')) return null;
  return (
    <>
      <ActionButton onPress={() => setChanging(true)}>{t('licenses.changeLimit')}</ActionButton>
      {changing && <LimitDialog license={license} onClose={() => setChanging(false)} />}
    </>
  );
}

function LimitDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const [limit, setLimit] = useState(String(license.max_activations));
  const [tried, setTried] = useState(false);
  const save = async () => {
    setTried(true);
    if (!isInRange(limit, deviceCounts)) return;
    const options = { params: { id: license.id }, body: { max_activations: Number(limit) } };
    const success = t('licenses.limitChanged', { license: license.key_preview });
    if ((await change.run('setLicenseMaxActivations', options, success)) !== null) onClose();
  };
  return (
    <FormDialog
      title={t('licenses.limitTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.limitText', { count: license.activations })}`}
      submitLabel={t('form.save')}
      pending={change.pending}
      failure={change.failure}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <NumberField
        label={t('field.deviceLimit')}
        value={limit}
        onChange={setLimit}
        range={deviceCounts}
        tried={tried}
      />
    </FormDialog>
  );
}
