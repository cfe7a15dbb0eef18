/** The toolbar above a list: search, filters, column choice and CSV download. */
import { ChevronDown, Download } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { AdminQueryOf } from '../../../shared/api/admin-endpoints.ts';
import { useFailureToast } from '../../use-action.ts';
import { urlOf } from '../api/admin-calls.ts';
import { callAdmin } from '../api/call-admin.ts';
import { useMessages } from '../i18n/messages.ts';
import { changeParams } from '../routing.ts';
import { type ChosenColumn, ColumnChoice } from './ColumnChoice.tsx';
import type { ListFilter } from './columns.ts';
import { SearchField } from './SearchField.tsx';
import type { ListName } from './use-list.ts';

type ListToolbarProps = {
  readonly name: ListName;
  /** Describes what can be searched. */
  readonly searchHint: string;
  /** Converts typed text to the search text, which must not contain secrets because it becomes part of the URL. */
  readonly toSearch?: (typed: string) => string;
  /** Search and filters from the address. */
  readonly query: Readonly<Record<string, string>>;
  readonly filters: readonly ListFilter[];
  readonly columns: readonly ChosenColumn[];
};

export function ListToolbar({ name, searchHint, toSearch, query, filters, columns }: ListToolbarProps) {
  const { t } = useMessages();
  const csv = urlOf(name, {
    query: { ...query, after: undefined, format: 'csv' } as unknown as AdminQueryOf<ListName>,
  });
  return (
    <div className="toolbar">
      <SearchField
        label={t('list.search')}
        hint={searchHint}
        value={query.search ?? ''}
        toSearch={toSearch}
        onSearch={(search) => changeParams({ search, after: '', page: '' }, { replace: true })}
        hasShortcut
      />
      {filters.map((filter) => (
        <FilterSelect
          key={filter.param}
          filter={filter}
          value={query[filter.param] ?? ''}
          onChange={(value) => changeParams({ [filter.param]: value, after: '', page: '' })}
        />
      ))}
      <div className="toolbar-end">
        <ColumnChoice name={name} columns={columns} />
        <CsvLink href={csv} name={name} />
      </div>
    </div>
  );
}

type CsvLinkProps = { readonly href: string; readonly name: ListName };

/** Downloads a list as a CSV file. */
export function CsvLink({ href, name }: CsvLinkProps) {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const file = `${name}.csv`;
  // A download that the server refuses fails silently, so a session that has ended is noticed before.
  const download = async () => {
    const session = await callAdmin('staffSession');
    if (session.ok) Object.assign(document.createElement('a'), { href, download: file }).click();
    else showFailure(session.failure);
  };
  const press = (event: MouseEvent) => {
    event.preventDefault();
    void download();
  };
  return (
    <a className="button button-secondary" href={href} download={file} onClick={press}>
      <Download className="icon" aria-hidden />
      <span>{t('list.csv')}</span>
    </a>
  );
}

type FilterSelectProps = {
  readonly filter: ListFilter;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

export function FilterSelect({ filter, value, onChange }: FilterSelectProps) {
  const { t } = useMessages();
  const { label, options } = filter;
  return (
    <div className="choice toolbar-filter">
      <select
        className={value === '' ? 'button button-secondary' : 'button button-secondary filter-on'}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{t('list.any', { filter: label })}</option>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <ChevronDown className="icon icon-small" aria-hidden />
    </div>
  );
}
