/** What the fields of a plan may be: the server refuses anything else, and the admin page marks it before it is sent. */

/** Lower-case letters, digits, hyphens and underscores, at most 50, beginning with a letter or digit. */
export function isPlanName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,49}$/.test(text);
}

/** Of a plan or of a license. */
export const maxDeviceCount = 1_000_000;

export const maxLeaseDays = 3650;
