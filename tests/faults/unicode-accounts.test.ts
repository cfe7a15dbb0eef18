/**
 * Row 18 of the matrix: emails and passwords from all of Unicode. Two spellings that compare equal are one account, and
 * a password is the same however a keyboard composes it. Transport: inject.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmail, toEmailKey } from '../../shared/formats/email.ts';
import { normalizePassword } from '../../shared/formats/password.ts';
import { sharedApp } from '../harness/start-app.ts';
import { goodPassword } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout, runsOf } from './matrix-run.ts';

const row = 18;
const server = sharedApp();

/** Letters with special case mappings or composition, and any other. */
const letter = fc.oneof(
  fc.constantFrom(
    ...['ǰ', 'J\u030c', 'j\u030c', 'ẖ', 'H\u0331', 'T\u0308', 'ẗ', 'W\u030a', 'ẘ', 'ŉ', 'ΐ', 'Ϊ\u0301', 'ΰ', 'Ϋ\u0301'],
    ...[
      'K',
      'Å',
      'Å',
      'Ω',
      'é',
      'e\u0301',
      'É',
      'ñ',
      'İ',
      'ı',
      'ß',
      'ẞ',
      'ς',
      'σ',
      'Σ',
      'ſ',
      'ﬁ',
      'ǆ',
      'ǅ',
      'Ǆ',
      '가',
      '가',
    ],
    ...[
      'ệ',
      'e\u0323\u0302',
      'e\u0302\u0323',
      'Ệ',
      '\u034f',
      '\u3164',
      '\u115f',
      '\ufe0f',
      '\u00ad',
      '\u200b',
      '\u180b',
    ],
  ),
  fc.constantFrom(...'abcXYZ019_-'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const name = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''));
const spell = fc.constantFrom<(text: string) => string>(
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase().normalize('NFD'),
  (text) => text.toLowerCase().normalize('NFD'),
  (text) => ` ${text}\t`,
);

/**
 * Folds case and composition: equal for texts that differ only in the case of letters with simple mappings, or in
 * composition.
 */
const fold = (text: string) => text.normalize('NFD').toLowerCase().normalize('NFD');

describe('two spellings of an email', () => {
  it('that differ only in case or composition have one key', { timeout: rowTimeout() }, () => {
    let compared = 0;
    fc.assert(
      fc.property(name, name, spell, spell, (local, domain, one, other) => {
        const text = `${local}@${domain}.example`;
        const [left, right] = [parseEmail(one(text)), parseEmail(other(text))];
        if (!left || !right || fold(left.address) !== fold(right.address)) return;
        compared += 1;
        expect(left.key, text).toBe(right.key);
        expect(toEmailKey(one(text))).toBe(left.key);
      }),
      runsOf(row),
    );
    expect(compared).toBeGreaterThan(amount(row) / 10);
    reportFigures(row, { amount: `${amount(row)} spellings`, figures: { 'emails compared': compared } });
  });

  it('that belong to different accounts do not compare equal', { timeout: rowTimeout() }, () => {
    // Compared by what a reader sees; lookalikes such as 𝔨 and k may be two mailboxes.
    const accounts = new Map<string, string>();
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 2 }), spell, (letters, change) => {
        const email = parseEmail(change(`a${letters.join('')}b@example.com`));
        if (!email) return;
        const seen = fold(email.key.replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
        expect(email.key).toBe(accounts.get(seen) ?? email.key);
        accounts.set(seen, email.key);
      }),
      runsOf(row),
    );
    reportFigures(row, { amount: `${amount(row)} spellings`, figures: { accounts: accounts.size } });
  });

  it.each([
    ['J\u030cane@example.com', 'ǰane@example.com'],
    ['\u0048\u0331@example.com', 'ẖ@example.com'],
    ['JOSÉ@example.com', 'jose\u0301@example.com'],
    ['Ångström@example.com', 'a\u030angstro\u0308m@example.com'],
    ['wide@ｅxampl𝐞.com', 'wide@example.com'],
    ['code@xn--bcher-kva.example', 'code@BÜCHER.example'],
  ])('are one account: %s and %s', async (one, other) => {
    const signUp = (email: string) => server.call('signup', { body: { email, password: goodPassword } });
    expect((await signUp(one)).status).toBe(200);
    expect((await signUp(other)).body.code).toBe('EMAIL_EXISTS');
    expect((await server.call('login', { body: { email: other, password: goodPassword } })).status).toBe(200);
  });

  it.each(['a\u034fb', 'a\u3164b', 'a\u115fb', 'a\ufe0fb', 'a\u00adb', 'a\u200bb', 'a\u180bb', 'a\u{e0061}b'])(
    'are refused if one contains an invisible character: %j',
    async (local) => {
      const body = { email: `${local}@example.com`, password: goodPassword };
      expect((await server.call('signup', { body })).body.code).toBe('VALIDATION_ERROR');
    },
  );
});

describe('a password', () => {
  it('is the same text however it is composed, and equals no other', { timeout: rowTimeout() }, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        (one, other) => {
          expect(normalizePassword(one.normalize('NFD'))).toBe(normalizePassword(one));
          expect(normalizePassword(one) === normalizePassword(other)).toBe(
            one.normalize('NFC') === other.normalize('NFC'),
          );
        },
      ),
      runsOf(row),
    );
  });

  it.each(['Ünïcödé påsswörd', 'パスワードは長いほうがよい', 'ệ composed 😀🏴󠁧󠁢󠁥󠁮󠁧󠁿', '비밀번호는길수록좋다'])(
    'signs in composed and decomposed, but not without its accents: %s',
    async (password) => {
      const email = `${Buffer.from(password).toString('hex').slice(0, 40)}@example.com`;
      expect((await server.call('signup', { body: { email, password: password.normalize('NFC') } })).status).toBe(200);
      const logIn = async (given: string) => (await server.call('login', { body: { email, password: given } })).status;
      expect(await logIn(password.normalize('NFD'))).toBe(200);
      expect(await logIn(`${password} `)).toBe(401);
      const plain = password.normalize('NFD').replace(/\p{M}/gu, '');
      if (plain !== password.normalize('NFD')) expect(await logIn(plain)).toBe(401);
    },
  );
});
