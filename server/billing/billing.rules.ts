/** Whether an event of a provider may change its subscription, whatever order events arrive in. */

/**
 * An event that is older than the last one that was applied to the same subscription is outdated; one of the same time is
 * applied. `lastAtMs` is undefined or null where none was.
 */
export function isOutdated(eventAtMs: number, lastAtMs: number | null | undefined): boolean {
  return lastAtMs !== null && lastAtMs !== undefined && eventAtMs < lastAtMs;
}
