/** Hook with which a component changes something on the server and refreshes the data on screen. */
import { useQueryClient } from '@tanstack/react-query';
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { showToast } from '../../components/toast-store.ts';
import { useAction } from '../../use-action.ts';
import type { CallOptions } from './admin-calls.ts';
import { callAdmin } from './call-admin.ts';

type Change = {
  readonly pending: boolean;
  readonly failure: Failure | null;
  readonly clear: () => void;
  /** Resolves to the response, or to `null` if the call failed (see `failure`) or another one is pending. */
  readonly run: <N extends AdminEndpointName>(
    name: N,
    options: CallOptions<N>,
    success?: string,
  ) => Promise<{ readonly value: AdminResponseOf<N> } | null>;
};

/**
 * Returns the action. After a success it shows `success` as a toast. Everything on screen is read again after a success,
 * and after a failure which means that it was out of date.
 */
export function useChange(): Change {
  const { pending, failure, clear, run } = useAction();
  const queries = useQueryClient();
  return {
    pending,
    failure,
    clear,
    run: async (name, options, success) => {
      const result = await run(async () => {
        const called = await callAdmin(name, options);
        const isOutdated = !called.ok && ['CONFLICT', 'NOT_FOUND'].includes(called.failure.code);
        if (isOutdated) void queries.invalidateQueries();
        return called;
      });
      if (result === null) return null;
      if (success !== undefined) showToast(success);
      void queries.invalidateQueries();
      return result;
    },
  };
}
