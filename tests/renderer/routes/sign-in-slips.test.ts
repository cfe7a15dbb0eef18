/** What is wrong with a sign-in before it is sent. */
import { expect, test } from 'vitest';
import { slipsIn } from '../../../renderer/routes/sign-in/slips.ts';

const entry = { email: 'ada@lab.org', password: 'correct horse', fullName: '' };

test('nothing is wrong with a usual entry', () => {
  expect(slipsIn(entry, 'sign-in')).toEqual({});
  expect(slipsIn(entry, 'sign-up')).toEqual({});
});

test('an empty or unlikely email is a slip, spaces around it are none', () => {
  expect(slipsIn({ ...entry, email: ' ' }, 'sign-in')).toEqual({ email: 'emailMissing' });
  expect(slipsIn({ ...entry, email: 'ada lab.org' }, 'sign-in')).toEqual({ email: 'emailShape' });
  expect(slipsIn({ ...entry, email: ' ada@lab.org ' }, 'sign-in')).toEqual({});
});

test('a short password is a slip for a new account only, counted as a person counts', () => {
  expect(slipsIn({ ...entry, password: 'short' }, 'sign-in')).toEqual({});
  expect(slipsIn({ ...entry, password: 'short' }, 'sign-up')).toEqual({ password: 'passwordShort' });
  expect(slipsIn({ ...entry, password: '🔑🔑🔑🔑' }, 'sign-up')).toEqual({ password: 'passwordShort' });
  expect(slipsIn({ ...entry, password: '' }, 'sign-in')).toEqual({ password: 'passwordMissing' });
});
