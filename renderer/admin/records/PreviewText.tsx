/**
 * Describes the effects of a change in a dialog: who would gain or lose features, and which limits would be exceeded.
 */
import { useRead } from '../api/queries.ts';
import { isNothing, type Preview } from '../api/use-preview.ts';
import { useMessages } from '../i18n/messages.ts';
import { textIn } from '../screens/features/feature-records.ts';

export function PreviewText({ preview }: { readonly preview: Preview }) {
  const { t, language } = useMessages();
  const features = useRead('featureRecords').data?.features ?? [];
  if (preview === undefined) return <p role="status">{t('preview.counting')}</p>;
  if (preview === null) return <p role="status">{t('preview.failed')}</p>;
  if (isNothing(preview)) return <p role="status">{t('preview.nothing')}</p>;
  const titleOf = (name: string) => {
    const title = features.find((feature) => feature.name === name)?.title;
    return title ? textIn(title, language) : name;
  };
  return (
    <ul className="preview" aria-label={t('preview.title')}>
      {Object.entries(preview.lose).map(([name, count]) => (
        <li key={`lose ${name}`}>{t('preview.lose', { count, feature: titleOf(name) })}</li>
      ))}
      {Object.entries(preview.gain).map(([name, count]) => (
        <li key={`gain ${name}`}>{t('preview.gain', { count, feature: titleOf(name) })}</li>
      ))}
      {preview.over_limit > 0 && <li>{t('preview.overLimit', { count: preview.over_limit })}</li>}
      <li>{t('preview.changes', preview.would_change)}</li>
    </ul>
  );
}
