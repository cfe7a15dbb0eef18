/** Hook for a dialog that makes a change on the server. */
import { useRef, useState } from 'react';
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { newIdempotencyKey } from '../../send-request.ts';
import type { CallOptions } from '../api/admin-calls.ts';
import { useChange } from '../api/use-change.ts';

type DialogChangeOptions<N extends AdminEndpointName> = {
  /** Returns the request to send, or `null` if a field is invalid and nothing should be sent. */
  readonly request: () => CallOptions<N> | null;
  /** Toast shown after a success. */
  readonly success?: string;
  /** Called after a success instead of closing the dialog. */
  readonly onSuccess?: (value: AdminResponseOf<N>) => void;
  readonly onClose: () => void;
};

type DialogChange = {
  /** Props to pass on to the dialog. */
  readonly dialog: {
    readonly pending: boolean;
    readonly failure: Failure | null;
    readonly isClosable: boolean;
    readonly onConfirm: () => void;
    readonly onClose: () => void;
  };
  /** Whether the button was pressed; from then on, fields show their errors. */
  readonly tried: boolean;
  /** Clears the last failure. */
  readonly clear: () => void;
};

/** Calls the endpoint on confirmation. A success closes the dialog; after a failure it stays open and shows why. */
export function useDialogChange<N extends AdminEndpointName>(
  name: N,
  { request, success, onSuccess, onClose }: DialogChangeOptions<N>,
): DialogChange {
  const { pending, failure, clear, run } = useChange();
  const [tried, setTried] = useState(false);
  // If its response is lost, the same request is repeated with the same key, so that it is carried out only once.
  const sent = useRef({ content: '', idempotencyKey: '' });
  const send = async () => {
    setTried(true);
    const options = request();
    if (options === null) return;
    const content = JSON.stringify(options);
    if (sent.current.content !== content) sent.current = { content, idempotencyKey: newIdempotencyKey() };
    const { idempotencyKey } = sent.current;
    const result = await run(name, { ...options, idempotencyKey }, success);
    if (result === null) return;
    sent.current = { content: '', idempotencyKey: '' };
    if (onSuccess === undefined) onClose();
    else onSuccess(result.value);
  };
  // Closing it would not stop the call, and the new key in its response would never be shown.
  const isClosable = !pending;
  return { dialog: { pending, failure, isClosable, onConfirm: () => void send(), onClose }, tried, clear };
}
