/** Asks the server what a change would do, before the user confirms it. */
import { useQuery } from '@tanstack/react-query';
import type { PolicyPreview } from '../../../shared/api/admin/policy-preview.ts';
import type { AdminRequestOf, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { CallOptions } from './admin-calls.ts';
import { callOrThrow, keyOf } from './queries.ts';

/** Endpoints that take `dry_run`. */
type PreviewedChange = 'setPlan' | 'removeFeature' | 'suspendLicense' | 'reinstateLicense' | 'revokeLicense';

/** `undefined` while the server is counting, `null` if there is no preview. */
export type Preview = PolicyPreview | null | undefined;

/** Requests the preview once per open dialog, because after the change itself a new preview would no longer match. */
export function usePreview<N extends PreviewedChange>(name: N, { params, body }: CallOptions<N>): Preview {
  const { data, isError } = useQuery({
    queryKey: [...keyOf(name, { params }), 'preview', body ?? null],
    queryFn: async ({ signal }) => {
      const request = { ...(body as object | undefined), dry_run: true } as AdminRequestOf<N>;
      return previewIn(await callOrThrow(name, { params, body: request, signal }));
    },
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
  return isError ? null : data;
}

/** Returns the preview in the response to a dry run; `null` if the server made the change instead. */
export function previewIn(response: AdminResponseOf<PreviewedChange>): PolicyPreview | null {
  return 'would_change' in response ? response : null;
}

/** Returns whether there is nothing to warn about. */
export function isNothing({ would_change: { accounts, licenses, devices }, over_limit }: PolicyPreview): boolean {
  return accounts + licenses + devices + over_limit === 0;
}
