/**
 * No text within the size limits takes unusually long: normalizing text with combining marks out of order takes
 * quadratic time, and a regular expression may as well. The tests measure the work done, not the time.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { parseEmail, toEmailKey } from '../../../shared/formats/email.ts';
import { findPasswordProblem } from '../../../shared/formats/password.ts';

/** 64 KB in UTF-8, which would take seconds to normalize. */
const marks = `a${'\u0300'.repeat(16_000)}${'\u0316'.repeat(16_000)}`;
const longest = 1024;

afterEach(() => void vi.restoreAllMocks());

describe('a very long text is not normalized', () => {
  const rules = { email: `${marks}@example.com`, minLength: 8 };
  const hashOf = (password: string) => new PasswordHasher().hash(password);

  it.each([
    ['an email address', async () => parseEmail(`${marks}@example.com`), undefined],
    ['a part of an email address', async () => toEmailKey(marks).length <= longest, true],
    ['a new password', async () => findPasswordProblem(marks, rules), 'long'],
    ['a password beside such an email address', async () => findPasswordProblem('correct horse', rules), null],
    [
      'a password at sign-in',
      async () => new PasswordHasher().verify(marks, await hashOf('correct horse'), { group: '', isPreferred: true }),
      false,
    ],
  ])('as %s', async (_name, read, outcome) => {
    const normalized = vi.spyOn(String.prototype, 'normalize');
    expect(await read()).toBe(outcome);
    const lengths = normalized.mock.contexts.map((text) => String(text).length);
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(longest);
  });
});

it('the longest allowed password may use several code points for each character', () => {
  const composed = '\u1ebf'.repeat(128);
  expect(findPasswordProblem(composed.normalize('NFD'), { email: 'a@example.com', minLength: 8 })).toBeNull();
});
