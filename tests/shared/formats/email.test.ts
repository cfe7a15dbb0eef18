/** Emails: all spellings of one mailbox have the same key, and a text that names no mailbox is rejected. */
import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmail, toEmailKey } from '../../../shared/formats/email.ts';
import { decodePunycode } from '../../../shared/formats/punycode.ts';

const key = (text: string) => parseEmail(text)?.key;

describe('the key of an email', () => {
  it.each([
    ['a@𝐠mail.com', 'a@gmail.com'],
    ['a@ｇｍａｉｌ.ｃｏｍ', 'a@gmail.com'],
    ['a@𝗀𝗆𝖺𝗂𝗅.com', 'a@gmail.com'],
    ['a@ſmail.com', 'a@smail.com'],
    ['a@ﬁsh.com', 'a@fish.com'],
    ['a@xn--bcher-kva.example', 'a@bücher.example'],
    ['a@XN--BCHER-KVA.example', 'a@bücher.example'],
    ['a@BÜCHER.example', 'a@bücher.example'],
    ['a@bu\u0308cher.example', 'a@bücher.example'],
    ['a@例え.テスト', 'a@例え.テスト'],
    ['a@xn--r8jz45g.xn--zckzah', 'a@例え.テスト'],
    ['a@straße.example', 'a@straße.example'],
    ['A.B+c@Lab.EXAMPLE', 'a.b+c@lab.example'],
  ])('of %s is %s', (text, expected) => {
    expect(key(text)).toBe(expected);
    expect(toEmailKey(text)).toBe(expected);
    expect(key(expected), 'of itself').toBe(expected);
  });

  it('distinguishes look-alike characters before the @', () => {
    expect(key('𝐠@example.com')).not.toBe(key('g@example.com'));
  });

  it('has the domain that mail is sent to', () => {
    const letter = fc.oneof(
      fc.constantFrom(...'abzABZ019-ßäÄéǰŉςσΣſﬁǆǅǄ가ж例ｇ𝐠𝗀ⅷ①'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    const domain = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => `${letters.join('')}.example`);
    fc.assert(
      fc.property(domain, (text) => {
        const [, found] = key(`a@${text}`)?.split('@') ?? [];
        if (found !== undefined) expect(domainToASCII(found)).toBe(domainToASCII(text.normalize('NFC')));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a text that has no valid domain after the mapping', () => {
  it.each([
    ['an IP address', 'a@1.2.3.4'],
    ['an IP address of other digits', 'a@①.②.③.④'],
    ['an IP address in one number', 'a@lab.0x7f'],
    ['a number at the end', 'a@lab.123'],
    ['Punycode of nothing', 'a@xn--a.com'],
    ['Punycode of ASCII letters', 'a@xn--gmail-.com'],
    ['a number with a full stop', 'a@a⒈com.x'],
    ['a fraction', 'a@½.com'],
    ['a letter that in lower case is of another domain', 'a@lab.ΟΔΟΣ'],
    ['one label', 'a@localhost'],
    ['a port', 'a@lab.example:80'],
    ['a path', 'a@lab.example/x'],
    ['a query', 'a@lab.example?x'],
    ['a fragment', 'a@lab.example#x'],
    ['a user', 'a@b@lab.example'],
    ['a percent sign', 'a@l%61b.example'],
  ])('is rejected: %s', (_, text) => {
    expect(parseEmail(text)).toBeUndefined();
  });
});

it('Punycode is decoded as in Node', () => {
  const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(label, (text) => {
      const ascii = domainToASCII(`${text}.example`).replace(/\.example$/, '');
      if (!ascii.startsWith('xn--') || ascii.includes('.')) return;
      expect(decodePunycode(ascii.slice(4))).toBe(domainToUnicode(ascii));
    }),
    { numRuns: 3000 },
  );
  for (const broken of ['ü', '!', 'a-ü', '99999999999999', 'z']) expect(decodePunycode(broken)).toBeUndefined();
});
