/** Reads the page of a list that the address asks for. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AdminQueryOf, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { callOrThrow, failureOf, keyOf } from '../api/queries.ts';

/** The lists, each with the response field that contains the rows. */
const rowFields = {
  accounts: 'accounts',
  licenses: 'licenses',
  devices: 'devices',
  apiKeys: 'api_keys',
  audit: 'events',
  webhooks: 'webhooks',
  billingEvents: 'billing_events',
  webhookDeliveries: 'deliveries',
} as const;

export type ListName = keyof typeof rowFields;
type RowFields = typeof rowFields;

/** A row of a list. */
export type RowOf<N extends ListName> = RowsOf<AdminResponseOf<N>, RowFields[N]>[number] & object;
type RowsOf<Response, Field extends string> =
  Response extends Readonly<Record<Field, infer Rows extends unknown[]>> ? Rows : never;

export type ListPage<N extends ListName> = {
  readonly rows: readonly RowOf<N>[];
  /** Start key of the next page; `null` at the end. */
  readonly next: string | null;
  readonly total: { readonly count: number; readonly is_exact: boolean };
};

export type List<N extends ListName> = {
  /** `null` until the first page has loaded. */
  readonly page: ListPage<N> | null;
  /** Whether the rows still belong to the previous query. */
  readonly isOld: boolean;
  readonly failure: Failure | null;
};

/** Maximum number of empty pages to skip: an empty page need not be the last one. */
const maxEmptyPages = 20;

type ListOptions<N extends ListName> = {
  /** Path parameters. */
  readonly params?: Readonly<Record<string, string>>;
  /** Whether a page will soon be out of date; if so, it is refetched every few seconds. */
  readonly isChanging?: (page: ListPage<N>) => boolean;
};

const changingMs = 5_000;

/** Returns the list, keeping the current rows until new ones have loaded. */
export function useList<N extends ListName>(
  name: N,
  query: Readonly<Record<string, string>>,
  { params = {}, isChanging = () => false }: ListOptions<N> = {},
): List<N> {
  const result = useQuery({
    queryKey: keyOf(name, { params, query: query as AdminQueryOf<N> }),
    queryFn: ({ signal }) => readPage(name, { params, query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data !== undefined && isChanging(data) && changingMs,
  });
  return {
    page: result.data ?? null,
    isOld: result.isPlaceholderData,
    failure: failureOf(result) ?? (result.isPlaceholderData ? result.failureReason : null),
  };
}

type PageCall = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

async function readPage<N extends ListName>(name: N, { params, query, signal }: PageCall): Promise<ListPage<N>> {
  let after = query.after;
  for (let emptyPages = 0; ; emptyPages += 1) {
    const asked = { ...query, ...(after !== undefined && { after }) } as AdminQueryOf<N>;
    const response = await callOrThrow(name, { params, query: asked, signal });
    const { next, total } = response as Pick<ListPage<N>, 'next' | 'total'>;
    const rows = (response as Record<string, unknown>)[rowFields[name]] as RowOf<N>[];
    if (rows.length > 0 || next === null || emptyPages === maxEmptyPages) return { rows, next, total };
    after = next;
  }
}
