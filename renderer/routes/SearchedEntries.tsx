/** Filters entries by a text search and a choice of view. */
import { SearchX } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { ActionButton } from '../components/ActionButton.tsx';
import { FindField } from '../components/FindField.tsx';
import { EmptyState } from '../components/Placeholders.tsx';
import { SettingSelect } from '../components/SettingControls.tsx';
import { type EntryView, entryViews, findEntries, type ShownEntry } from '../i18n/entries.ts';
import { useMessages } from '../i18n/messages.ts';

type Props = {
  readonly entries: readonly ShownEntry[];
  /** Label of the search field. */
  readonly label: string;
  /** Class of the box that says that nothing was found. */
  readonly frame?: 'panel';
  /** Renders the entries found. */
  readonly children: (found: readonly ShownEntry[]) => ReactNode;
};

export function SearchedEntries({ entries, label, frame, children }: Props) {
  const { t, locale } = useMessages();
  const [view, setView] = useState<EntryView>('all');
  const [query, setQuery] = useState('');
  const search = useRef<HTMLDivElement>(null);
  const found = findEntries(entries, { view, query }, locale);
  const isReduced = query.trim() !== '' || view !== 'all';
  const showAll = () => {
    setView('all');
    setQuery('');
    // The button that has the focus disappears.
    search.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <div ref={search} className="activity-search">
        <FindField label={label} value={query} onChange={setQuery} />
        <SettingSelect
          label={t('activity.show')}
          value={view}
          onChange={setView}
          options={entryViews.map((id) => ({ id, name: t(`activity.view.${id}`) }))}
        />
      </div>
      <p className="visually-hidden" role="status">
        {/* Otherwise each new entry of a list that is not searched would be announced. */}
        {isReduced && t('activity.found', { count: found.length })}
      </p>
      {found.length === 0 && (
        <div className={frame}>
          <EmptyState icon={SearchX} title={t('activity.noneFound')} hint={t('activity.noneFoundHint')}>
            <ActionButton onPress={showAll}>{t('activity.showAll')}</ActionButton>
          </EmptyState>
        </div>
      )}
      {children(found)}
    </>
  );
}
