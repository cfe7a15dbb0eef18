/** The text of a lease as a person brings it: a file, or what was copied. */

/** What is longer holds no lease. It need not be read further than one character beyond. */
export const maxLeaseText = 16 * 1024;
