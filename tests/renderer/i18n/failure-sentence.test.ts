/** A refusal in words. */
import { expect, test } from 'vitest';
import { failureSentence, mayRetryAt } from '../../../renderer/i18n/failure-sentence.ts';
import { sentencesIn } from './sentences-in.ts';

const t = await sentencesIn('en');
const at = '2027-02-10T12:00:00.000Z';

test('a known code has words of its own, and the server’s are left for the details', () => {
  const said = failureSentence({ code: 'LICENSE_REVOKED', message: 'revoked!', at }, t);
  expect(said.what).toBe('This license was revoked.');
});

test('of an unknown code the server’s own sentence is shown', () => {
  expect(failureSentence({ code: 'QUOTA_OF_MOON', message: 'The moon is full.', at }, t).what).toBe(
    'The moon is full.',
  );
  expect(failureSentence({ code: 'QUOTA_OF_MOON', message: '', at }, t).what).toBe('The server rejected the request.');
  expect(failureSentence({ code: 'toString', message: '', at }, t).what).toBe('The server rejected the request.');
});

test('what was not accepted is said by the server where it says more than that', () => {
  expect(failureSentence({ code: 'VALIDATION_ERROR', message: 'email: too long', at }, t).what).toBe('email: too long');
  expect(failureSentence({ code: 'VALIDATION_ERROR', message: 'The request is not valid.', at }, t).what).toBe(
    'Something you entered is not valid.',
  );
});

test('when one may try again counts from when it was refused', () => {
  expect(mayRetryAt({ code: 'RATE_LIMITED', message: '', at, retryAfterSeconds: 42 })).toBe(Date.parse(at) + 42_000);
  expect(mayRetryAt({ code: 'RATE_LIMITED', message: '', at })).toBeNull();
});
