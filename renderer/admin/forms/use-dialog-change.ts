/** What a dialog changes on the server when its button is pressed. */
import { useState } from 'react';
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import type { CallOptions } from '../api/admin-calls.ts';
import { useChange } from '../api/use-change.ts';

type DialogChangeOptions<N extends AdminEndpointName> = {
  /** What the button sends; `null` if a field is not valid, then nothing is sent. */
  readonly request: () => CallOptions<N> | null;
  /** The toast after a success. */
  readonly success?: string;
  /** What follows a success, instead of closing the dialog. */
  readonly onSuccess?: (value: AdminResponseOf<N>) => void;
  readonly onClose: () => void;
};

type DialogChange = {
  /** To be passed on to the dialog. */
  readonly dialog: {
    readonly pending: boolean;
    readonly failure: Failure | null;
    readonly onConfirm: () => void;
    readonly onClose: () => void;
  };
  /** Whether the button was pressed: from then on the fields show what is not valid. */
  readonly tried: boolean;
  /** Forgets the last failure. */
  readonly clear: () => void;
};

/** Calls the endpoint. A success closes the dialog; after a failure it stays open and shows why. */
export function useDialogChange<N extends AdminEndpointName>(
  name: N,
  { request, success, onSuccess, onClose }: DialogChangeOptions<N>,
): DialogChange {
  const { pending, failure, clear, run } = useChange();
  const [tried, setTried] = useState(false);
  const send = async () => {
    setTried(true);
    const options = request();
    if (options === null) return;
    const result = await run(name, options, success);
    if (result === null) return;
    if (onSuccess === undefined) onClose();
    else onSuccess(result.value);
  };
  return { dialog: { pending, failure, onConfirm: () => void send(), onClose }, tried, clear };
}
