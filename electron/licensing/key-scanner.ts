/** Finds our keys in a text that arrives in pieces, by their form and their checksum. Pure; keeps a few characters of the text. */
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { hasValidCheckCharacter, normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import type { LeakedKey } from '../../shared/ipc/key-scan.ts';

/** Holds the whole key: for the main process only. */
export type FoundKey = Pick<LeakedKey, 'line' | 'column' | 'kind'> & { readonly key: string };

/** The prefix alone is consumed, so that a key which begins within another match is found too. */
const apiKeys = /svc_live_(?=([\w-]{26}))/g;

/**
 * With the same separator between all groups, or none. Without one, a word of 19 letters may look like a key and one in 32
 * has the right check character, so then it takes a digit.
 */
const licenseKeys =
  /(?<![0-9A-Z])SVC(?=(?:([-‐-―− ])[0-9A-TV-Z]{4}(?:\1[0-9A-TV-Z]{4}){3}|(?=[A-Z]*[0-9])[0-9A-TV-Z]{16})(?![0-9A-Z]))/gi;

const apiKeyLength = 35;
const licenseKeyLength = 23;
const licenseKeyLengthWithoutSeparators = 19;

/** As far from the end of what has arrived a key may be incomplete, or not seen to end. */
const undecidedLength = apiKeyLength;

export class KeyScanner {
  /** The character before `#pending`, which decides whether a word begins there. */
  #before = '';
  #pending = '';
  /** Where `#pending` begins. */
  #line = 1;
  #column = 1;

  /** The next piece of the text, however it was cut; returns the keys that are certain now, in their order. */
  push(text: string): FoundKey[] {
    const whole = this.#before + this.#pending + text;
    return this.#scan(whole, Math.max(this.#before.length, whole.length - undecidedLength));
  }

  /** The keys at the end of the text. */
  end(): FoundKey[] {
    const whole = this.#before + this.#pending;
    return this.#scan(whole, whole.length);
  }

  #scan(text: string, decidedTo: number): FoundKey[] {
    const start = this.#before.length;
    const found = [...findKeys(text)]
      .filter(({ index }) => index >= start && index < decidedTo)
      .sort((one, other) => one.index - other.index);
    let from = start;
    const keys = found.map(({ index, kind, key }) => {
      this.#advance(text.slice(from, index));
      from = index;
      return { line: this.#line, column: this.#column, kind, key };
    });
    this.#advance(text.slice(from, decidedTo));
    this.#before = text.slice(Math.max(0, decidedTo - 1), decidedTo);
    this.#pending = text.slice(decidedTo);
    return keys;
  }

  #advance(text: string): void {
    const lastBreak = text.lastIndexOf('\n');
    if (lastBreak === -1) {
      this.#column += text.length;
      return;
    }
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#line++;
    this.#column = text.length - lastBreak;
  }
}

type Match = { readonly index: number } & Pick<FoundKey, 'kind' | 'key'>;

function* findKeys(text: string): Iterable<Match> {
  for (const { index } of text.matchAll(apiKeys)) {
    const key = text.slice(index, index + apiKeyLength);
    if (isWellFormedApiKey(key)) yield { index, kind: 'api_key', key };
  }
  for (const { index, 1: separator } of text.matchAll(licenseKeys)) {
    const length = separator === undefined ? licenseKeyLengthWithoutSeparators : licenseKeyLength;
    const key = normalizeLicenseKey(text.slice(index, index + length));
    if (key !== null && hasValidCheckCharacter(key)) yield { index, kind: 'license_key', key };
  }
}
