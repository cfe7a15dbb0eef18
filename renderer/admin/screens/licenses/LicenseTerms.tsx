/** Changes the terms of a license: expiry, included app versions, and device limit. */
import { type ReactNode, useState } from 'react';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import { Field } from '../../../components/Field.tsx';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { dayOf, endOfChosenDay } from '../../forms/days.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { NumberField } from '../../forms/NumberField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { deviceCounts, isInRange } from '../../forms/whole-numbers.ts';
import { useMessages } from '../../i18n/messages.ts';
import { useMay } from '../../session/session-store.ts';
import { ownerText } from './owner-text.ts';

type LicenseProps = { readonly license: LicenseRecord };
type DialogProps = LicenseProps & { readonly onClose: () => void };

export function ExpiryButton({ license }: LicenseProps) {
  const { t } = useMessages();
  return (
    <DialogLink
      label={t('licenses.changeExpiry')}
      dialog={(close) => <ExpiryDialog license={license} onClose={close} />}
    />
  );
}

function ExpiryDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  // Null until it is changed, so that it never replaces what somebody else has set meanwhile by what was shown.
  const [chosen, setDay] = useState<string | null>(null);
  const day = chosen ?? dayOf(license.expires_at);
  const { dialog } = useDialogChange('setLicenseExpiry', {
    request: () => ({ params: { id: license.id }, body: { expires_at: endOfChosenDay(day, license.expires_at) } }),
    success: t('licenses.expiryChanged', { license: license.key_preview }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t('licenses.expiryTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.devicesOn', { count: license.devices.length })}`}
      submitLabel={t('form.save')}
      disabled={chosen === null}
    >
      <Field label={t('field.expires')} type="date" value={day} onChange={setDay} hint={t('licenses.expiryHint')} />
    </FormDialog>
  );
}

export function UpdatesUntilButton({ license }: LicenseProps) {
  const { t } = useMessages();
  return (
    <DialogLink
      label={t('licenses.changeUpdatesUntil')}
      dialog={(close) => <UpdatesUntilDialog license={license} onClose={close} />}
    />
  );
}

function UpdatesUntilDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const [chosen, setDay] = useState<string | null>(null);
  const day = chosen ?? dayOf(license.updates_until);
  const { dialog } = useDialogChange('setLicenseUpdatesUntil', {
    request: () => ({
      params: { id: license.id },
      body: { updates_until: endOfChosenDay(day, license.updates_until) },
    }),
    success: t('licenses.updatesUntilChanged', { license: license.key_preview }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t('licenses.updatesUntilTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.updatesUntilText')}`}
      submitLabel={t('form.save')}
      disabled={chosen === null}
    >
      <Field
        label={t('field.updatesUntil')}
        type="date"
        value={day}
        onChange={setDay}
        hint={t('licenses.updatesUntilHint')}
      />
    </FormDialog>
  );
}

/** A link that opens a dialog from the row of a fact. */
function DialogLink({ label, dialog }: { readonly label: string; readonly dialog: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

export function LimitButton({ license }: LicenseProps) {
  const { t } = useMessages();
  if (!useMay('setLicenseMaxActivations')) return null;
  return (
    <DialogButton
      label={t('licenses.changeLimit')}
      dialog={(close) => <LimitDialog license={license} onClose={close} />}
    />
  );
}

function LimitDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const [chosen, setLimit] = useState<string | null>(null);
  const limit = chosen ?? String(license.max_activations);
  const isValid = isInRange(limit, deviceCounts);
  const { dialog, tried } = useDialogChange('setLicenseMaxActivations', {
    request: () => (isValid ? { params: { id: license.id }, body: { max_activations: Number(limit) } } : null),
    success: t('licenses.limitChanged', { license: license.key_preview }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t('licenses.limitTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.limitText', { count: license.activations })}`}
      submitLabel={t('form.save')}
      disabled={chosen === null}
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
