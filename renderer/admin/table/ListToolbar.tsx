/** What is above a list: search, filters, the choice of columns, and the list as a CSV file. */
import { ChevronDown, Columns3, Download, Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { AdminQueryOf } from '../../../shared/api/admin-endpoints.ts';
import { Popover } from '../../components/Popover.tsx';
import { urlOf } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { changePreferences, usePreferences } from '../preferences.ts';
import { changeParams } from '../routing.ts';
import type { ListColumn, ListFilter } from './columns.ts';
import { useShownColumns } from './ListTable.tsx';
import type { ListName } from './use-list.ts';

type ListToolbarProps = {
  readonly name: ListName;
  /** What can be searched for. */
  readonly searchHint: string;
  /** What is searched for instead of what was typed: never a secret, because it becomes part of the address. */
  readonly toSearch?: (typed: string) => string;
  /** Search and filters as they are in the address. */
  readonly query: Readonly<Record<string, string>>;
  readonly filters: readonly ListFilter[];
  readonly columns: readonly Pick<ListColumn<never>, 'id' | 'label' | 'isOptional'>[];
};

export function ListToolbar({ name, searchHint, toSearch, query, filters, columns }: ListToolbarProps) {
  const csv = urlOf(name, {
    query: { ...query, after: undefined, format: 'csv' } as unknown as AdminQueryOf<ListName>,
  });
  return (
    <div className="toolbar">
      <SearchField hint={searchHint} value={query.search ?? ''} toSearch={toSearch} />
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
  return (
    <a className="button button-secondary" href={href} download={`${name}.csv`}>
      <Download className="icon" aria-hidden />
      <span>{t('list.csv')}</span>
    </a>
  );
}

/** How long after the last key the search begins. */
const typingPauseMs = 250;

type SearchFieldProps = {
  readonly hint: string;
  readonly value: string;
  readonly toSearch?: (typed: string) => string;
};

/** What is typed goes into the address after a pause, or at once on Enter. The key `/` moves to the field. */
function SearchField({ hint, value, toSearch = (typed) => typed }: SearchFieldProps) {
  const { t } = useMessages();
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState(value);
  // The address was changed by something else: Back, a link, or the button that clears the filters.
  if (value !== sent) {
    setSent(value);
    setTyped(value);
  }
  const search = (text: string) => {
    const next = toSearch(text.trim());
    if (next === sent) return;
    setSent(next);
    changeParams({ search: next, after: '', page: '' }, { replace: true });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the wait again
  useEffect(() => {
    const timer = window.setTimeout(() => search(typed), typingPauseMs);
    return () => window.clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea, dialog');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div className="field-box toolbar-search">
      <Search className="icon" aria-hidden />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={t('list.search')}
        placeholder={hint}
        title={hint}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && search(typed)}
      />
    </div>
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

type ColumnChoiceProps = Pick<ListToolbarProps, 'name' | 'columns'>;

function ColumnChoice({ name, columns }: ColumnChoiceProps) {
  const { t } = useMessages();
  return (
    <Popover
      role="dialog"
      label={t('list.columns')}
      placement="below"
      buttonClassName="button button-secondary"
      button={
        <>
          <Columns3 className="icon" aria-hidden />
          <span>{t('list.columns')}</span>
        </>
      }
    >
      {() => (
        <div className="column-choice">
          {columns.slice(1).map((column) => (
            <ColumnCheckbox key={column.id} name={name} columns={columns} column={column} />
          ))}
        </div>
      )}
    </Popover>
  );
}

type ColumnCheckboxProps = ColumnChoiceProps & { readonly column: ColumnChoiceProps['columns'][number] };

function ColumnCheckbox({ name, columns, column }: ColumnCheckboxProps) {
  const id = useId();
  const shown = useShownColumns(name, columns);
  const change = (isShown: boolean) => {
    const { columns: chosen } = usePreferences.getState();
    changePreferences({ columns: { ...chosen, [name]: { ...chosen[name], [column.id]: isShown } } });
  };
  return (
    <label className="check" htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        checked={shown[column.id] ?? true}
        onChange={(event) => change(event.target.checked)}
      />
      {column.label}
    </label>
  );
}
