/** Confirms removing a feature, and names the plans that lose it. */
import { usePreview } from '../../api/use-preview.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { PreviewText } from '../../records/PreviewText.tsx';

type RemoveFeatureDialogProps = {
  readonly name: string;
  /** Plans that include the feature. */
  readonly plans: readonly string[];
  readonly onClose: () => void;
};

export function RemoveFeatureDialog({ name, plans, onClose }: RemoveFeatureDialogProps) {
  const { t } = useMessages();
  const options = { params: { name }, body: { from_plans: plans.length > 0 } };
  const preview = usePreview('removeFeature', options);
  const { dialog } = useDialogChange('removeFeature', {
    request: () => options,
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
          <PreviewText preview={preview} />
        </>
      }
      name={name}
      confirmLabel={t('featureSettings.remove')}
    />
  );
}
