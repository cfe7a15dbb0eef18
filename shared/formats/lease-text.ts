/** Limit for the text of a lease that a user pastes or loads from a file. */

/** A longer text cannot be a lease, so readers can stop one character past this limit. */
export const maxLeaseText = 16 * 1024;
