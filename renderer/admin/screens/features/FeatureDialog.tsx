/** A dialog that adds a feature, or changes its texts and visibility. */
import { useState } from 'react';
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import { isFeatureName, maxFeatureText } from '../../../../shared/formats/feature-fields.ts';
import { languages } from '../../../../shared/ipc/language.ts';
import { Field } from '../../../components/Field.tsx';
import { CheckField } from '../../forms/CheckField.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';

type Texts = Readonly<Record<string, string>>;

type FeatureDialogProps = {
  /** `null` for a new feature. */
  readonly feature: FeatureRecord | null;
  /** Names of the features that there are. */
  readonly takenNames: readonly string[];
  readonly onClose: () => void;
};

export function FeatureDialog({ feature, takenNames, onClose }: FeatureDialogProps) {
  const { t, language: own } = useMessages();
  const [name, setName] = useState(feature?.name ?? '');
  const [title, setTitle] = useState<Texts>(feature?.title ?? {});
  const [does, setDoes] = useState<Texts>(feature?.does ?? {});
  const [hidden, setHidden] = useState(feature?.hidden ?? false);
  const [language, setLanguage] = useState<string>('en');
  // With the name of another feature, saving would change that one.
  const isTaken = feature === null && takenNames.includes(name.trim());
  const isName = feature !== null || (isFeatureName(name.trim()) && !isTaken);
  const isTitle = feature === null || (title.en ?? '').trim() !== '';
  const { dialog, tried } = useDialogChange('setFeature', {
    request: () => {
      if (!isTitle) setLanguage('en');
      if (!isName || !isTitle) return null;
      const body = {
        title: changedTexts(feature?.title, title),
        does: changedTexts(feature?.does, does),
        ...(hidden !== feature?.hidden && { hidden }),
      };
      return { params: { name: name.trim() }, body };
    },
    success: t('featureSettings.saved', { name: name.trim() }),
    onClose,
  });
  const languageNames = new Intl.DisplayNames([own], { type: 'language' });
  const offered = [...new Set<string>([...languages, ...Object.keys(title), ...Object.keys(does)])];
  return (
    <FormDialog
      {...dialog}
      title={feature === null ? t('featureSettings.add') : t('featureSettings.changeNamed', { title: feature.name })}
      text={feature === null ? t('featureSettings.addText') : t('featureSettings.changeText')}
      submitLabel={t('form.save')}
    >
      {feature === null && (
        <Field
          label={t('featureSettings.name')}
          value={name}
          onChange={setName}
          autoComplete="off"
          hint={t('featureSettings.nameHint')}
          error={tried && !isName ? t(isTaken ? 'featureSettings.nameTaken' : 'featureSettings.nameError') : null}
        />
      )}
      <SelectField
        label={t('featureSettings.language')}
        value={language}
        options={offered.map((id) => ({ id, name: languageNames.of(id) ?? id }))}
        onChange={setLanguage}
        hint={t('featureSettings.languageHint')}
      />
      <Field
        label={t('featureSettings.title')}
        value={title[language] ?? ''}
        onChange={(text) => setTitle({ ...title, [language]: text.slice(0, maxFeatureText.title) })}
        autoComplete="off"
        error={tried && !isTitle && language === 'en' ? t('featureSettings.titleError') : null}
      />
      <Field
        label={t('featureSettings.does')}
        value={does[language] ?? ''}
        onChange={(text) => setDoes({ ...does, [language]: text.slice(0, maxFeatureText.does) })}
        autoComplete="off"
        hint={t('featureSettings.doesHint')}
      />
      <CheckField
        label={t('featureSettings.hide')}
        checked={hidden}
        onChange={setHidden}
        hint={t('featureSettings.hideHint')}
      />
    </FormDialog>
  );
}

/** Returns the texts that differ: others may have changed the rest while the dialog was open. */
function changedTexts(before: Texts = {}, now: Texts): Texts {
  const texts = Object.entries(now);
  return Object.fromEntries(texts.filter(([language, text]) => text.trim() !== (before[language] ?? '')));
}
