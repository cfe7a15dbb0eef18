/** Finds the selected row of a list whose rows have no separate detail endpoint. */
import type { Failure } from '../../../shared/ipc/result.ts';
import { useAddress } from '../routing.ts';
import { type ListName, type RowOf, useList } from './use-list.ts';

type OpenRow<N extends ListName> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The row is not on the page that the address names. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'found'; readonly row: RowOf<N> };

/** Reads the same page as the list, from the same cache. */
export function useOpenRow<N extends ListName>(name: N, isOpen: (row: RowOf<N>) => boolean): OpenRow<N> {
  const { params } = useAddress();
  const query = Object.fromEntries([...params].filter(([param, value]) => !notOfList.includes(param) && value !== ''));
  const { page, failure } = useList(name, query);
  const row = page?.rows.find(isOpen);
  if (row !== undefined) return { kind: 'found', row };
  if (page !== null) return { kind: 'gone' };
  return failure === null ? { kind: 'loading' } : { kind: 'failed', failure };
}

/** URL parameters that are not part of the list query. */
const notOfList = ['open', 'page'];
