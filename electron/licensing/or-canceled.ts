/** Waits for work only until it is canceled. */

/** Resolves at once when the signal is aborted, even if the work never ends. */
export function orCanceled<T extends { readonly kind: string }>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T | { readonly kind: 'canceled' }> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve({ kind: 'canceled' });
    signal.addEventListener('abort', cancel);
    work.then(resolve, reject);
    if (signal.aborted) cancel();
  });
}
