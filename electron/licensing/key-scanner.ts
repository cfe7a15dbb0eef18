/** Finds our keys in a text that arrives in pieces, by format and checksum. Pure; buffers only a few characters. */
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { hasValidCheckCharacter, normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import type { LeakedKey } from '../../shared/ipc/key-scan.ts';

/** Contains the whole key: for the main process only. */
export type FoundKey = Pick<LeakedKey, 'line' | 'column' | 'kind'> & { readonly key: string };

/** Only the prefix is consumed, so that a key that begins inside another match is found too. */
const apiKeys = /svc_live_(?=([\w-]{26}))/g;

/**
 * The same separator between all groups, or none. Without one, a word of 19 letters may look like a key, and one in 32
 * has the right check character, so a digit is required then.
 */
const licenseKeys =
  /(?<![0-9A-Z])SVC(?=(?:([-‐-―− ])[0-9A-TV-Z]{4}(?:\1[0-9A-TV-Z]{4}){3}|(?=[A-Z]*[0-9])[0-9A-TV-Z]{16})(?![0-9A-Z]))/gi;

const apiKeyLength = 35;
const licenseKeyLength = 23;
const licenseKeyLengthWithoutSeparators = 19;

/** A key this close to the end of the received text may be incomplete, or its end unknown. */
const undecidedLength = apiKeyLength;

export class KeyScanner {
  /** The character before `#pending`, which decides whether a word begins there. */
  #before = '';
  #pending = '';
  /** Position at which `#pending` begins. */
  #line = 1;
  #column = 1;

  /** Takes the next piece of the text, wherever it was cut; returns the keys that are now certain, in order. */
  push(text: string): FoundKey[] {
    const whole = this.#before + this.#pending + text;
    return this.#scan(whole, Math.max(this.#before.length, whole.length - undecidedLength));
  }

  /** Returns the keys at the end of the text. */
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
