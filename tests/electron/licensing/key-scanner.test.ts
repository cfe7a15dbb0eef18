/** Finding keys in a text: in every form and place, however the text arrives. */
import { describe, expect, it } from 'vitest';
import { type FoundKey, KeyScanner } from '../../../electron/licensing/key-scanner.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { formatLicenseKey } from '../../../shared/formats/license-key.ts';

const apiKey = formatApiKey('AbCd-1234_efGH5678ijKL90');
const licenseKey = formatLicenseKey([10, 11, 1, 2, 12, 13, 3, 4, 14, 15, 5, 6, 16, 17, 7]);

function scan(...pieces: readonly string[]): FoundKey[] {
  const scanner = new KeyScanner();
  return [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()];
}

const places = (text: string) => scan(text).map(({ kind, line, column }) => ({ kind, line, column }));

describe('a key is found:', () => {
  it.each([
    { where: 'alone', text: apiKey },
    { where: 'in an environment file', text: `KEY=${apiKey}\n` },
    { where: 'in quotes', text: `{"key":"${apiKey}"}` },
    { where: 'in an address', text: `https://lab.example/?key=${apiKey}&x=1` },
    { where: 'with more characters after it', text: `${apiKey}abc` },
    { where: 'after what looks like the beginning of another', text: `svc_live_abc${apiKey}` },
  ])('an API key $where', ({ text }) => {
    expect(scan(text)).toMatchObject([{ kind: 'api_key', key: apiKey }]);
  });

  it.each([
    { where: 'as it is issued', text: licenseKey },
    { where: 'in lower case', text: licenseKey.toLowerCase() },
    { where: 'with spaces', text: licenseKey.replaceAll('-', ' ') },
    { where: 'without hyphens', text: licenseKey.replaceAll('-', '') },
    { where: 'with typographic dashes', text: licenseKey.replaceAll('-', '–') },
    { where: 'in a link', text: `latchkey://activate?key=${licenseKey}` },
    { where: 'in a sentence', text: `Your key (${licenseKey}).` },
  ])('a license key $where', ({ text }) => {
    expect(scan(text)).toMatchObject([{ kind: 'license_key', key: licenseKey }]);
  });

  it('with its line and column, for either kind of line break', () => {
    expect(places(`a\r\nüber ${apiKey} ${licenseKey}\n\n${licenseKey}`)).toEqual([
      { kind: 'api_key', line: 2, column: 6 },
      { kind: 'license_key', line: 2, column: 42 },
      { kind: 'license_key', line: 4, column: 1 },
    ]);
  });
});

describe('no key is found', () => {
  it.each([
    { in: 'a key with one wrong character', text: `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}` },
    { in: 'a preview', text: `${apiKey.slice(0, 13)}… ${licenseKey.slice(0, 8)}...${licenseKey.slice(-4)}` },
    { in: 'a license key with one wrong character', text: licenseKey.replace('AB', 'AC') },
    { in: 'a license key within a longer word', text: `X${licenseKey} ${licenseKey}X` },
    { in: 'a license key with different separators', text: licenseKey.replace('-', ' ') },
    { in: 'words of its length', text: 'ServiceSubscription svc-mail-send-prod-east svcconnectionfactory' },
  ])('in $in', ({ text }) => {
    expect(scan(text)).toEqual([]);
  });
});

describe('a text that arrives in pieces', () => {
  const text = `first line\n${'x'.repeat(40)} ${apiKey}, ${licenseKey}\n${licenseKey.replaceAll('-', '')}.`;
  const whole = scan(text);

  it('yields the same keys wherever it is cut in two', () => {
    expect(whole).toHaveLength(3);
    for (let at = 0; at <= text.length; at++) expect(scan(text.slice(0, at), text.slice(at))).toEqual(whole);
  });

  it.each([1, 2, 3, 7, 34, 35, 36])('yields the same keys in pieces of %i characters', (length) => {
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    expect(scan(...pieces)).toEqual(whole);
  });

  it('yields no key that is the end of a word, although only that of the word was undecided', () => {
    // The last 35 characters are undecided: the key, and what follows it.
    expect(scan(`X${licenseKey}${' '.repeat(12)}`)).toEqual([]);
  });

  it('yields no key that continues in the next piece as a longer word', () => {
    expect(scan(licenseKey, 'X')).toEqual([]);
  });
});
