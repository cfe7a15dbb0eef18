/** Failures: what the client shows of them, and what it leaves out. */
import { describe, expect, it } from 'vitest';
import {
  codeOfServer,
  isEndOfSession,
  redact,
  toTimestamp,
  truncateMessage,
} from '../../../electron/licensing/failure.ts';
import type { Failure } from '../../../shared/ipc/result.ts';

describe('a failed call', () => {
  const user = { id: 'u', email: 'ada@example.com', full_name: '', created_at: '' } as const;
  const failure = (code: Failure['code']): Failure => ({ code, message: '', at: '' });

  it.each(['CANCELED', 'NOT_SIGNED_IN'] as const)('is not shown to a signed-in user if its code is %s', (code) => {
    expect(isEndOfSession(failure(code), { user: user as never })).toBe(true);
  });

  it('is shown to a signed-in user otherwise, and to nobody else', () => {
    expect(isEndOfSession(failure('SERVER_UNREACHABLE'), { user: user as never })).toBe(false);
    expect(isEndOfSession(failure('SERVER_UNREACHABLE'), { user: null })).toBe(true);
  });
});

it('a time later than the last one that can be written becomes that one', () => {
  expect(toTimestamp(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(toTimestamp(Number.MAX_SAFE_INTEGER)).toBe('9999-12-31T23:59:59.999Z');
});

it('secrets of six characters and more are removed from a text wherever they occur, shorter ones are kept', () => {
  expect(redact('12345, 123456 and abcdef, 123456', ['12345', '123456', 'abcdef'])).toBe('12345, … and …, …');
});

it('a code and a message of the server are limited, and a code of the client is not taken from it', () => {
  expect(codeOfServer('SERVER_UNREACHABLE')).toBe('OTHER');
  expect(codeOfServer('X'.repeat(65))).toBe('X'.repeat(64));
  expect(truncateMessage('x'.repeat(501))).toBe('x'.repeat(500));
});
