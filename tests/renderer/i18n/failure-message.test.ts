/** What a failure means for the user. */
import { expect, test } from 'vitest';
import { describeCode, failureMessage, retryAtMs } from '../../../renderer/i18n/failure-message.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import { errorTable } from '../../../shared/api/errors.ts';

const { t } = await windowMessages.load('en');
const at = '2027-02-10T12:00:00.000Z';

test('a known code has its own message, and the server’s is left to the details', () => {
  const { what } = failureMessage({ code: 'LICENSE_REVOKED', message: 'revoked!', at }, t);
  expect(what).toBe('This license was revoked.');
});

test('in the activity list a known code is a sentence, and any other text is unchanged', () => {
  expect(describeCode('LICENSE_INACTIVE', t)).toBe('This license is suspended.');
  expect(describeCode('Studio Mac', t)).toBe('Studio Mac');
});

test('a server that could not be reached is followed by what responded in place of it', () => {
  const failure = { code: 'SERVER_UNREACHABLE', message: '', at };
  const { what, help } = failureMessage(failure, t);
  const gateway = failureMessage({ ...failure, respondedInstead: { kind: 'gateway', status: 502 } }, t);
  expect(gateway.what).toBe(what);
  expect(gateway.help).toMatch(/^Something in front of the server responded with status 502, .*\.$/);
  expect(gateway.help).toContain(help);
  const page = failureMessage({ ...failure, respondedInstead: { kind: 'web-page', status: 200 } }, t);
  expect(page.help).toMatch(/^A web page responded in place of the server\. .* open a browser\. /);
});

test.each([
  ['ENOTFOUND', 'name'],
  ['ERR_NAME_NOT_RESOLVED', 'name'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
  ['ERR_CERT_AUTHORITY_INVALID', 'certificate'],
  ['ERR_PROXY_CONNECTION_FAILED', 'proxy'],
  ['ERR_PROXY_CERTIFICATE_INVALID', 'proxy'],
  ['ERR_TUNNEL_CONNECTION_FAILED', 'proxy'],
  ['ETIMEDOUT', 'timeout'],
  ['ERR_CONNECTION_TIMED_OUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNREFUSED', 'refused'],
  ['ERR_INTERNET_DISCONNECTED', 'offline'],
] as const)('a server that could not be reached says why: %s', (networkCode, problem) => {
  const failure = { code: 'SERVER_UNREACHABLE', message: '', at };
  const { what, help } = failureMessage(failure, t);
  const why = t(`networkProblem.${problem}`);
  expect(failureMessage({ ...failure, networkCode }, t)).toEqual({ what, help: `${why} ${help}` });
  expect(failureMessage({ ...failure, networkCode: 'ECONNRESET' }, t)).toEqual({ what, help });
});

test('a file that could not be read or written is followed by why, if that is known', () => {
  const failure = { code: 'STORE_UNAVAILABLE', message: '', at };
  const { what } = failureMessage(failure, t);
  expect(failureMessage({ ...failure, fileProblem: 'no-permission' }, t)).toEqual({
    what,
    help: t('fileProblem.no-permission'),
  });
});

test.each(['en', 'de', 'ja'] as const)(
  'for an unknown code the help says what to do, rather than where the message is that is shown: %s',
  async (language) => {
    const { t } = await windowMessages.load(language);
    const { help } = failureMessage({ code: 'QUOTA_OF_MOON', message: 'The moon is full.', at }, t);
    expect(t('failure.INTERNAL_ERROR.help')).toContain(help);
  },
);

test('for an unknown code the server’s message is shown', () => {
  expect(failureMessage({ code: 'QUOTA_OF_MOON', message: 'The moon is full.', at }, t).what).toBe('The moon is full.');
  for (const code of ['QUOTA_OF_MOON', 'toString']) {
    expect(failureMessage({ code, message: '', at }, t).what).toBe(t('failure.other.what'));
  }
});

test('for a validation error the server’s message is shown if it says more than the generic one', () => {
  expect(failureMessage({ code: 'VALIDATION_ERROR', message: 'email: too long', at }, t).what).toBe('email: too long');
  const generic = { code: 'VALIDATION_ERROR', message: errorTable.VALIDATION_ERROR.message, at };
  expect(failureMessage(generic, t).what).toBe(t('failure.VALIDATION_ERROR.what'));
});

test('the time of the next attempt is counted from the failure', () => {
  expect(retryAtMs({ code: 'RATE_LIMITED', message: '', at, retryAfterSeconds: 42 })).toBe(Date.parse(at) + 42_000);
  expect(retryAtMs({ code: 'RATE_LIMITED', message: '', at })).toBeNull();
});
