/** Email addresses as login names: which are accepted, and how two are compared. */

export const maxEmailLength = 254;
/** Of what is normalized, which takes quadratic time. NFC composes four code units into one at most. */
const maxGivenLength = 4 * maxEmailLength;

export type Email = {
  /** As the user wrote it, trimmed. */
  readonly address: string;
  /** The same for every spelling in upper and lower case. */
  readonly key: string;
};

/** The email in a text, or `undefined` if it is not an email address. */
export function parseEmail(text: string): Email | undefined {
  const given = text.trim();
  if (given.length > maxGivenLength) return undefined;
  const address = given.normalize('NFC');
  if (address.length > maxEmailLength || !isAddress(address)) return undefined;
  return { address, key: toKey(address) };
}

/** The key of an email address, also of one that is not whole. What is too long for one is cut. */
export function toEmailKey(text: string): string {
  return toKey(text.trim().slice(0, maxGivenLength));
}

/** Composed again afterwards: some letters are composed in lower case only, as ǰ is. */
function toKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** One @ with something on both sides, a domain of dotted labels, and no space, control, unseen or broken character. */
function isAddress(text: string): boolean {
  if (!text.isWellFormed() || /[\s\p{C}\p{Default_Ignorable_Code_Point}"(),:;<>[\\\]]/u.test(text)) return false;
  const [local = '', domain = '', ...rest] = text.split('@');
  if (rest.length > 0 || local.length < 1 || local.length > 64) return false;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false;
  const labels = domain.split('.');
  return (
    labels.length >= 2 &&
    labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u.test(label))
  );
}
