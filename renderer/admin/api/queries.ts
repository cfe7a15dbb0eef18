/** Reads from the server through TanStack Query: cached, shown while they are read again, repeated while the server is away. */
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

/** What is shown again within this time is not read again. */
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

/** As `callAdmin`, but throws the `Failure`, as TanStack Query wants it. */
export async function callOrThrow<N extends AdminEndpointName>(
  name: N,
  options: CallOptions<N> = {},
): Promise<AdminResponseOf<N>> {
  const result = await callAdmin(name, options);
  if (!result.ok) throw result.failure;
  return result.value;
}

/** The key of a record or list, by which a change finds what to read again. */
export function keyOf<N extends AdminEndpointName>(name: N, options: CallOptions<N> = {}): readonly unknown[] {
  return [name, options.params ?? null, options.query ?? null];
}

/** Reads everything that is shown again, at once: also what waits for its next attempt. */
export async function readAgain(queries: QueryClient): Promise<void> {
  await queries.cancelQueries();
  await queries.invalidateQueries();
}

/** Reads one thing, for as long as the component is shown. */
export function useRead<N extends AdminEndpointName>(
  name: N,
  options: Pick<CallOptions<N>, 'params' | 'query'> = {},
): UseQueryResult<AdminResponseOf<N>> {
  return useQuery({
    queryKey: keyOf(name, options),
    queryFn: ({ signal }) => callOrThrow(name, { ...options, signal }),
  });
}

/** Why there is nothing to show: also while a failed read is being repeated. */
export function failureOf({ data, error, failureReason }: UseQueryResult<unknown>): Failure | null {
  return data === undefined ? (error ?? failureReason) : null;
}
