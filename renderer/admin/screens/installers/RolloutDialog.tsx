/** A dialog that sets how many of 100 devices are offered a version. */
import { useState } from 'react';
import type { UpdateFeedVersion } from '../../../../shared/api/admin/updates.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { NumberField } from '../../forms/NumberField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { isInRange, percentages } from '../../forms/whole-numbers.ts';
import { useMessages } from '../../i18n/messages.ts';

type RolloutDialogProps = { readonly update: UpdateFeedVersion; readonly onClose: () => void };

export function RolloutDialog({ update: { version, percent: current }, onClose }: RolloutDialogProps) {
  const { t } = useMessages();
  const [percent, setPercent] = useState(String(current));
  const { dialog, tried } = useDialogChange('rolloutUpdate', {
    request: () =>
      isInRange(percent, percentages) ? { params: { version }, body: { percent: Number(percent) } } : null,
    success: t('updates.rolledOut', { version }),
    onClose,
  });
  return (
    <FormDialog {...dialog} title={t('updates.rolloutTitle', { version })} submitLabel={t('updates.rolloutConfirm')}>
      <NumberField
        label={t('updates.percentLabel')}
        hint={t('updates.percentHint')}
        value={percent}
        onChange={setPercent}
        range={percentages}
        tried={tried}
      />
    </FormDialog>
  );
}
