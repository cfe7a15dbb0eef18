/** How many entries an `LRUCache` may have. */

/**
 * The options of one that grows to that size as it is used. The option `max` allocates room for all entries at once, which
 * for the caches of a server takes 50 ms at each start and for each admin command.
 */
export function upTo(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
