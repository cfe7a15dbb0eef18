/** Which passwords are refused, and with which message. */
import { expect, it } from 'vitest';
import { loadCommonPasswords } from '../../../server/accounts/common-passwords.ts';
import { requireGoodPassword } from '../../../server/accounts/password.rules.ts';

const commonPasswords = await loadCommonPasswords();
const email = { address: 'ada.lovelace@example.com' };

it.each([
  ['as short as it may be', 'gx-71-qy-82', 11],
  ['as long as it may be', `gx-71-${'z'.repeat(122)}`, 8],
  ['that contains the email address', 'not ada.lovelace@example.com', 8],
])('a password %s is accepted', (_, password, minLength) => {
  expect(() => requireGoodPassword(password, email, minLength, commonPasswords)).not.toThrow();
});

it.each([
  ['a character too short', 'gx-71-qy-82', 12, 'password must have at least 12 characters.'],
  ['a character too long', `gx-71-${'z'.repeat(123)}`, 8, 'password must have at most 128 characters.'],
  ['that is no Unicode', 'gx-71-qy-82\ud800', 8, 'password must be valid Unicode text.'],
  [
    'that is the email address',
    'Ada.Lovelace@example.com',
    8,
    'password must not be the email address. Choose another one.',
  ],
  ['that is a common one', 'Password123', 8, 'password is one of the most common ones. Choose another one.'],
  ['that leaked often', 'Brooklyn', 8, 'password is one of the most common ones. Choose another one.'],
  ['that is the last of them', '13101988', 8, 'password is one of the most common ones. Choose another one.'],
])('a password %s is refused', (_, password, minLength, message) => {
  expect(() => requireGoodPassword(password, email, minLength, commonPasswords)).toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR', message }),
  );
});

it('the list of common passwords has the 3000 that ASVS requires, all long enough to be chosen', () => {
  expect(commonPasswords.size).toBe(3000);
  expect([...commonPasswords].filter((password) => password.length < 8 || password !== password.toLowerCase())).toEqual(
    [],
  );
});
