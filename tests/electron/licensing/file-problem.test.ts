/** What an error of the file system means. */
import { describe, expect, it } from 'vitest';
import { fileProblemOf } from '../../../electron/licensing/file-problem.ts';

const errorOf = (code: string) => Object.assign(new Error(`${code}: failed`), { code });

describe('the problem of a file', () => {
  it.each([
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EROFS', 'read-only'],
    ['EACCES', 'no-permission'],
    ['EPERM', 'no-permission'],
    ['ENOENT', 'missing'],
    ['EBUSY', 'in-use'],
    ['EIO', 'unreachable'],
    ['ETIMEDOUT', 'unreachable'],
    ['UNKNOWN', 'unreachable'],
  ])('with the code %s is %s', (code, fileProblem) => {
    expect(fileProblemOf(errorOf(code))).toEqual({ fileProblem });
    expect(fileProblemOf(code)).toEqual({ fileProblem });
  });

  it('of an unknown error is unknown', () => {
    for (const error of [errorOf('EOTHER'), new Error('without a code'), 'E', '', null, undefined]) {
      expect(fileProblemOf(error)).toStrictEqual({});
    }
  });

  it('on a Windows share is that the share does not respond, if the file seems to be missing', () => {
    const path = String.raw`\\files\setup\latchkey.exe`;
    expect(fileProblemOf('ENOENT', path)).toEqual({ fileProblem: 'unreachable' });
    expect(fileProblemOf('EACCES', path)).toEqual({ fileProblem: 'no-permission' });
    expect(fileProblemOf('ENOENT', String.raw`C:\setup\latchkey.exe`)).toEqual({ fileProblem: 'missing' });
  });
});
