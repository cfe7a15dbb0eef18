/** The sign-in fields are checked before they are sent. */
import { expect, test } from 'vitest';
import { findFieldErrors } from '../../../renderer/routes/validate-sign-in.ts';

const fields = { email: 'ada@lab.org', password: 'correct horse', fullName: '' };

test('ordinary fields are valid', () => {
  expect(findFieldErrors(fields, 'sign-in')).toEqual({});
  expect(findFieldErrors(fields, 'sign-up')).toEqual({});
});

test('an empty or malformed email is an error, spaces around it are not', () => {
  expect(findFieldErrors({ ...fields, email: ' ' }, 'sign-in')).toEqual({ email: 'emailMissing' });
  expect(findFieldErrors({ ...fields, email: 'ada lab.org' }, 'sign-in')).toEqual({ email: 'emailShape' });
  expect(findFieldErrors({ ...fields, email: ' ada@lab.org ' }, 'sign-in')).toEqual({});
});

test('a short password is an error only for a new account, and is counted in characters, not UTF-16 units', () => {
  expect(findFieldErrors({ ...fields, password: 'short' }, 'sign-in')).toEqual({});
  expect(findFieldErrors({ ...fields, password: 'short' }, 'sign-up')).toEqual({ password: 'passwordShort' });
  expect(findFieldErrors({ ...fields, password: '🔑🔑🔑🔑' }, 'sign-up')).toEqual({ password: 'passwordShort' });
  expect(findFieldErrors({ ...fields, password: '' }, 'sign-in')).toEqual({ password: 'passwordMissing' });
});
