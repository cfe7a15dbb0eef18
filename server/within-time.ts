/** Gives up on work that takes too long. */

/** Returns the result of `work`. Throws `toError()` if it takes longer than `timeoutMs`, while `work` continues. */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number, toError: () => Error): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(toError()), timeoutMs);
  try {
    return await Promise.race([work, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
