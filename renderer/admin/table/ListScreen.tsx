/** A screen that lists records: search, filters, pages, and the open record beside them. */
import { type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Page } from '../../components/Page.tsx';
import { EmptyState, Skeleton } from '../../components/Placeholders.tsx';
import { useMessages } from '../i18n/messages.ts';
import { ReadFailure } from '../records/ReadFailure.tsx';
import { changeParams, hrefOf, type Screen, useAddress } from '../routing.ts';
import type { ListColumn, ListFilter } from './columns.ts';
import { ListTable } from './ListTable.tsx';
import { ListToolbar } from './ListToolbar.tsx';
import { Pager } from './Pager.tsx';
import { RecordPanel } from './RecordPanel.tsx';
import { type List, type ListName, type RowOf, useList } from './use-list.ts';

type ListScreenProps<N extends ListName> = {
  readonly name: N & Screen;
  readonly title: string;
  readonly intro?: string;
  /** Describes what can be searched. */
  readonly searchHint: string;
  /** See `ListToolbar`. */
  readonly toSearch?: (typed: string) => string;
  /** Must be the same array at each render. */
  readonly columns: readonly ListColumn<RowOf<N>>[];
  readonly filters: readonly ListFilter[];
  readonly idOf: (row: RowOf<N>) => string;
  /** Buttons next to the title. */
  readonly actions?: ReactNode;
  /** Shown while there are no records at all. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly hint: string };
  /** Renders the record with this id, beside the list. */
  readonly renderRecord: (id: string) => ReactNode;
  /** URL parameters that belong only to the open record. */
  readonly recordParams?: readonly string[];
  /** Tabs for the other lists of this place. */
  readonly tabs?: ReactNode;
};

export function ListScreen<N extends ListName>(props: ListScreenProps<N>) {
  const { params } = useAddress();
  const query = Object.fromEntries(
    ['search', ...props.filters.map(({ param }) => param)].flatMap((param) => {
      const value = params.get(param) ?? '';
      return value === '' ? [] : [[param, value]];
    }),
  );
  const after = params.get('after') ?? '';
  const openId = params.get('open');
  const closed = Object.fromEntries(['open', ...(props.recordParams ?? [])].map((param) => [param, '']));
  const list = useList(props.name, { ...query, ...(after !== '' && { after }) });
  return (
    <div className={openId === null ? 'list-layout' : 'list-layout list-layout-open'}>
      <div className="list-main">
        <Page title={props.title} intro={props.intro} aside={props.actions}>
          {props.tabs}
          <ListToolbar
            name={props.name}
            searchHint={props.searchHint}
            toSearch={props.toSearch}
            query={query}
            filters={props.filters}
            columns={props.columns}
          />
          <ListContent {...props} list={list} query={query} openId={openId} />
          {list.page !== null && (list.page.rows.length > 0 || after !== '') && (
            <Pager page={list.page} after={after} number={Number(params.get('page')) || 1} />
          )}
        </Page>
      </div>
      {openId !== null && (
        <RecordPanel key={openId} id={openId} onClose={() => changeParams(closed)}>
          {props.renderRecord(openId)}
        </RecordPanel>
      )}
    </div>
  );
}

type ListContentProps<N extends ListName> = ListScreenProps<N> & {
  readonly list: List<N>;
  readonly query: Readonly<Record<string, string>>;
  readonly openId: string | null;
};

function ListContent<N extends ListName>({ list, query, openId, ...props }: ListContentProps<N>) {
  const { page, failure } = list;
  const { params } = useAddress();
  const hrefTo = (row: RowOf<N>) => hrefOf(props.name, { ...Object.fromEntries(params), open: props.idOf(row) });
  return (
    <>
      {failure !== null && <ReadFailure failure={failure} />}
      {page === null && failure === null && <Skeleton lines={12} />}
      {page !== null && page.rows.length > 0 && (
        <ListTable
          name={props.name}
          label={props.title}
          rows={page.rows}
          columns={props.columns}
          idOf={props.idOf}
          hrefTo={hrefTo}
          openId={openId}
          isOld={list.isOld}
        />
      )}
      {page?.rows.length === 0 && <NoRows query={query} empty={props.empty} />}
    </>
  );
}

type NoRowsProps = Pick<ListContentProps<ListName>, 'query' | 'empty'>;

/** Shown if nothing matches, or if there are no records at all. */
function NoRows({ query, empty }: NoRowsProps) {
  const { t } = useMessages();
  const params = Object.keys(query);
  const { params: address } = useAddress();
  const clear = () => changeParams({ ...Object.fromEntries(params.map((param) => [param, ''])), after: '', page: '' });
  if (params.length === 0 && !address.has('after')) return <EmptyState {...empty} />;
  return (
    <EmptyState icon={SearchX} title={t('list.noneFound')} hint={t('list.noneFoundHint')}>
      <ActionButton onPress={clear}>{t('list.clear')}</ActionButton>
    </EmptyState>
  );
}
