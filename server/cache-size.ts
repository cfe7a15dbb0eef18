/** Limits the number of entries of an `LRUCache`. */

/**
 * Returns options for a cache that grows to that size as it is used. The option `max` allocates space for all entries
 * up front, which for the server's caches takes 50 ms at each start and for each admin command.
 */
export function upTo(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
