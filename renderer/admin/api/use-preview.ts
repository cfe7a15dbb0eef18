/** What a change would do, asked of the server before the dialog's button does it. */
import { useQuery } from '@tanstack/react-query';
import type { PolicyPreview } from '../../../shared/api/admin/policy-preview.ts';
import type { AdminRequestOf, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { CallOptions } from './admin-calls.ts';
import { callOrThrow, keyOf } from './queries.ts';

/** The endpoints that take `dry_run`. */
export type PreviewedChange = 'setPlan' | 'removeFeature' | 'suspendLicense' | 'reinstateLicense' | 'revokeLicense';

/** `undefined` while it is being counted, `null` if it cannot be. */
export type Preview = PolicyPreview | null | undefined;

/** Asked once for as long as the dialog is open: what follows the change itself is no longer what would follow it. */
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

/** The preview in the response to a dry run; `null` from a server that has done the change instead. */
export function previewIn(response: AdminResponseOf<PreviewedChange>): PolicyPreview | null {
  return 'would_change' in response ? response : null;
}

/** Whether there is nothing to warn of. */
export function isNothing({ would_change: { accounts, licenses, devices }, over_limit }: PolicyPreview): boolean {
  return accounts + licenses + devices + over_limit === 0;
}
