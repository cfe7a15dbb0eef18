/** Whether staff may give an account something on the strength of its email address. */
import { expect, it } from 'vitest';
import { mayReceiveByEmail } from '../../../server/accounts/email-recipient.rules.ts';

const mail = { smtpUrl: new URL('smtp://mail.example.com'), from: 'licenses@example.com' };

it.each([
  ['that anybody may have signed up with', true, undefined, true, false],
  ['that has confirmed its address', true, 1, true, true],
  ['that nobody can sign in to', false, undefined, true, true],
  ['that cannot confirm its address, since the server sends no mail', true, undefined, false, true],
])('an account %s', (_, hasPassword, emailConfirmedAtMs, sendsMail, expected) => {
  expect(mayReceiveByEmail({ hasPassword, emailConfirmedAtMs }, { mail: sendsMail ? mail : undefined })).toBe(expected);
});
