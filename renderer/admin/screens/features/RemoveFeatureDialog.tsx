/** Asks before a feature is removed, and names the plans that lose it. */
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type RemoveFeatureDialogProps = {
  readonly name: string;
  /** Those that have it. */
  readonly plans: readonly string[];
  readonly onClose: () => void;
};

export function RemoveFeatureDialog({ name, plans, onClose }: RemoveFeatureDialogProps) {
  const { t } = useMessages();
  const { dialog } = useDialogChange('removeFeature', {
    request: () => ({
      params: { name },
      body: { from_plans: plans.length > 0 },
    }),
    success: t('featureSettings.removed', { name }),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('featureSettings.removeTitle', { name })}
      text={
        <>
          <p>{t('featureSettings.removeText')}</p>
          {plans.length > 0 && <p>{t('featureSettings.removeFrom', { plans: plans.join(', ') })}</p>}
        </>
      }
      name={name}
      confirmLabel={t('featureSettings.remove')}
    />
  );
}
