/** Limits of plan fields: the server enforces them, and the admin page checks them before sending. */

/** Accepts up to 50 lower-case letters, digits, hyphens and underscores, starting with a letter or digit. */
export function isPlanName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,49}$/.test(text);
}

/** Maximum device limit of a plan or license. */
export const maxDeviceCount = 1_000_000;

export const maxLeaseDays = 3650;
