/** Email addresses as login names: which ones are accepted, and how they are compared. */
import { readDomain } from './email-domain.ts';

export const maxEmailLength = 254;
/** Limit before normalizing, which takes quadratic time. NFC composes at most four code units into one. */
const maxGivenLength = 4 * maxEmailLength;

export type Email = {
  /** As entered, trimmed. */
  readonly address: string;
  /** The same for any letter case and any spelling of the domain. */
  readonly key: string;
};

/** Parses an email address; `undefined` if the text is not one. */
export function parseEmail(text: string): Email | undefined {
  const given = text.trim();
  if (given.length > maxGivenLength) return undefined;
  const address = given.normalize('NFC');
  if (address.length > maxEmailLength || !isWritten(address)) return undefined;
  const [local = '', domainText = '', ...rest] = address.split('@');
  const domain = rest.length === 0 && isLocal(local) ? readDomain(domainText) : undefined;
  return domain === undefined ? undefined : { address, key: `${toKey(local)}@${domain}` };
}

/** Returns the key of an email address, even an incomplete one; text too long for an address is truncated. */
export function toEmailKey(text: string): string {
  return parseEmail(text)?.key ?? toKey(text.trim().slice(0, maxGivenLength));
}

/** Normalizes again after lower-casing, because some letters, such as ǰ, have a composed form only in lower case. */
function toKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Returns whether the text has no space, control, invisible, malformed or special character. */
function isWritten(text: string): boolean {
  return text.isWellFormed() && !/[\s\p{C}\p{Default_Ignorable_Code_Point}"(),:;<>[\\\]]/u.test(text);
}

/** Checks the part before the @. */
function isLocal(local: string): boolean {
  if (local.length < 1 || local.length > 64) return false;
  return !local.startsWith('.') && !local.endsWith('.') && !local.includes('..');
}
