/**
 * Reads from the server through TanStack Query: cached, shown while refetching, retried while the server is
 * unreachable.
 */
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import type { CallOptions } from './admin-calls.ts';
import { callAdmin } from './call-admin.ts';

declare module '@tanstack/react-query' {
  interface Register {
    readonly defaultError: Failure;
  }
}

const firstRetryMs = 5_000;
const longestRetryMs = 60_000;

/** Data newer than this is not refetched when it is shown again. */
const freshMs = 5_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: freshMs,
        retry: (_count, { code }) => code === 'SERVER_UNREACHABLE' || code === 'SERVICE_UNAVAILABLE',
        retryDelay: (count, { retryAfterSeconds = 0 }) =>
          Math.max(retryAfterSeconds * 1000, Math.min(firstRetryMs * 2 ** count, longestRetryMs)),
      },
    },
  });
}

/** Like `callAdmin`, but throws the `Failure`, as TanStack Query expects. */
export async function callOrThrow<N extends AdminEndpointName>(
  name: N,
  options: CallOptions<N> = {},
): Promise<AdminResponseOf<N>> {
  const result = await callAdmin(name, options);
  if (!result.ok) throw result.failure;
  return result.value;
}

/** Returns the query key of a record or list. */
export function keyOf<N extends AdminEndpointName>(name: N, options: CallOptions<N> = {}): readonly unknown[] {
  return [name, options.params ?? null, options.query ?? null];
}

/** Refetches everything on screen immediately, including reads that are waiting to be retried. */
export async function readAgain(queries: QueryClient): Promise<void> {
  await queries.cancelQueries();
  await queries.invalidateQueries();
}

/** Reads a resource for as long as the component is mounted. */
export function useRead<N extends AdminEndpointName>(
  name: N,
  options: Pick<CallOptions<N>, 'params' | 'query'> = {},
): UseQueryResult<AdminResponseOf<N>> {
  return useQuery({
    queryKey: keyOf(name, options),
    queryFn: ({ signal }) => callOrThrow(name, { ...options, signal }),
  });
}

/** Returns why there is no data to show, even while a failed read is being retried; `null` if there is data. */
export function failureOf({ data, error, failureReason }: UseQueryResult<unknown>): Failure | null {
  return data === undefined ? (error ?? failureReason) : null;
}
