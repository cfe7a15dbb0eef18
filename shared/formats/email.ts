/** Email addresses as login names: which are accepted, and how two are compared. */
import { readDomain } from './email-domain.ts';

export const maxEmailLength = 254;
/** Of what is normalized, which takes quadratic time. NFC composes four code units into one at most. */
const maxGivenLength = 4 * maxEmailLength;

export type Email = {
  /** As the user wrote it, trimmed. */
  readonly address: string;
  /** The same for every spelling in upper and lower case, and for every spelling of the domain. */
  readonly key: string;
};

/** The email in a text, or `undefined` if it is not an email address. */
export function parseEmail(text: string): Email | undefined {
  const given = text.trim();
  if (given.length > maxGivenLength) return undefined;
  const address = given.normalize('NFC');
  if (address.length > maxEmailLength || !isWritten(address)) return undefined;
  const [local = '', domainText = '', ...rest] = address.split('@');
  const domain = rest.length === 0 && isLocal(local) ? readDomain(domainText) : undefined;
  return domain === undefined ? undefined : { address, key: `${toKey(local)}@${domain}` };
}

/** The key of an email address, also of one that is not whole. What is too long for one is cut. */
export function toEmailKey(text: string): string {
  return parseEmail(text)?.key ?? toKey(text.trim().slice(0, maxGivenLength));
}

/** Composed again afterwards: some letters are composed in lower case only, as ǰ is. */
function toKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** No space, control, unseen or broken character, and none that has a meaning of its own. */
function isWritten(text: string): boolean {
  return text.isWellFormed() && !/[\s\p{C}\p{Default_Ignorable_Code_Point}"(),:;<>[\\\]]/u.test(text);
}

/** What is before the @. */
function isLocal(local: string): boolean {
  if (local.length < 1 || local.length > 64) return false;
  return !local.startsWith('.') && !local.endsWith('.') && !local.includes('..');
}
