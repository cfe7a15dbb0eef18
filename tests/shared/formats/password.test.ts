/** The rules for a password, shared by the server and the pages. */
import { describe, expect, it } from 'vitest';
import { findPasswordProblem } from '../../../shared/formats/password.ts';

describe('a password', () => {
  it.each([
    ['quiet harbour lantern 47', null],
    ['パスワードは長い方がよい', null],
    ['1234567', 'short'],
    ['🔑🔑🔑🔑🔑🔑🔑', 'short'],
    ['a'.repeat(129), 'long'],
    ['half a pair \ud83d', 'malformed'],
    ['with \0 inside', 'malformed'],
    ['Ada@Lab.example', 'is-email'],
    ['PassWord123', 'common'],
  ] as const)('%j breaks: %s', (password, problem) => {
    expect(findPasswordProblem(password, { email: ' ada@lab.example ', minLength: 8 })).toBe(problem);
  });

  it('must be as long as the server requires, in code points', () => {
    const rules = { email: 'ada@lab.example', minLength: 15 };
    expect(findPasswordProblem('fourteen chars', rules)).toBe('short');
    expect(findPasswordProblem('fifteen chars 🔑', rules)).toBeNull();
  });
});
