/** How long and how often a mail is attempted, and which failures are final. */
import { describe, expect, it } from 'vitest';
import {
  decideGiveUpAt,
  describeFailure,
  isFinal,
  readReply,
  retryDelay,
  type SendFailure,
} from '../../../server/mail/mail.rules.ts';
import type { Mail } from '../../../server/mail/mail.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';

const nowMs = Date.UTC(2026, 10, 1);
const email = 'ada@example.com';
const invitation: Mail = { kind: 'invitation', email, token: '' };
const reminderOf = (endsAtMs: number): Mail => ({
  kind: 'reminder',
  email,
  plan: 'small',
  ends_at: new Date(endsAtMs).toISOString(),
  ending: { kind: 'subscription' },
});

describe('a mail', () => {
  it.each<{ what: string; mail: Mail; triedMs: number }>([
    {
      what: 'with a link to reset the password',
      mail: { kind: 'reset_password', email, language: 'en', address: '' },
      triedMs: 30 * minute,
    },
    { what: 'of another kind', mail: invitation, triedMs: 3 * day },
    { what: 'about an end in a week', mail: reminderOf(nowMs + 7 * day), triedMs: 3 * day },
    { what: 'about an end in three days', mail: reminderOf(nowMs + 3 * day), triedMs: 3 * day },
    { what: 'about an end in an hour', mail: reminderOf(nowMs + hour), triedMs: hour },
  ])('$what is attempted for $triedMs ms', ({ mail, triedMs }) => {
    expect(decideGiveUpAt(mail, nowMs)).toBe(nowMs + triedMs);
  });

  it('is retried after seconds, then after minutes, and finally every 15 minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map(retryDelay);
    const minutes = [1, 2, 5, 10, 15, 15, 15].map((count) => count * minute);
    expect(delays).toEqual([10 * second, 30 * second, ...minutes]);
  });
});

describe('a failed attempt', () => {
  it.each<{ failure: SendFailure; text: string }>([
    { failure: { code: 'ECONNREFUSED' }, text: 'ECONNREFUSED' },
    { failure: { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }, text: 'EENVELOPE, RCPT TO, 550' },
    {
      failure: { command: 'RCPT TO', responseCode: 554, enhancedCode: '5.7.1', mentionsRelay: true },
      text: 'RCPT TO, 554, 5.7.1',
    },
    { failure: { command: 'DATA', responseCode: undefined }, text: 'DATA' },
    { failure: {}, text: 'without a reason' },
    { failure: { code: undefined }, text: 'without a reason' },
  ])('with $failure is described as "$text"', ({ failure, text }) => {
    expect(describeFailure(failure)).toBe(text);
  });

  it.each([
    ['554 5.7.1 <ada@example.com>: Relay access denied', '5.7.1', true],
    ['550-5.1.10 first line\n550 5.1.10 second line', '5.1.10', false],
    ['550 relay not permitted', undefined, true],
    ['550 no such user at 5.1.1.1', undefined, false],
  ])('with the reply "%s" has the enhanced status code %s', (reply, enhancedCode, mentionsRelay) => {
    expect(readReply(reply)).toStrictEqual({ enhancedCode, mentionsRelay });
  });

  it.each<{ failure: SendFailure; final: boolean }>([
    ...[550, 551, 552, 553].map((responseCode) => ({ failure: { command: 'RCPT TO', responseCode }, final: true })),
    { failure: { command: 'DATA', responseCode: 550 }, final: true },
    { failure: { command: 'RCPT TO', responseCode: 501 }, final: true },
    { failure: { command: 'RCPT TO', responseCode: 501, mentionsRelay: true }, final: false },
    { failure: { command: 'RCPT TO', responseCode: 501, enhancedCode: '5.5.4' }, final: false },
    { failure: { command: 'DATA', responseCode: 501 }, final: false },
    { failure: { command: 'RCPT TO', responseCode: 450, enhancedCode: '4.1.1' }, final: false },
    { failure: { command: 'RCPT TO', responseCode: 600, enhancedCode: '5.1.1' }, final: false },
    ...[500, 530, 549, 554].map((responseCode) => ({ failure: { command: 'RCPT TO', responseCode }, final: false })),
    { failure: { command: 'DATA', responseCode: 450 }, final: false },
    { failure: { command: 'RCPT TO' }, final: false },
    { failure: { command: 'RCPT TO', responseCode: 550, mentionsRelay: true }, final: false },
    ...['5.1.1', '5.1.2', '5.1.10', '5.2.1', '5.6.7'].map((enhancedCode) => ({
      failure: { command: 'RCPT TO', responseCode: 554, enhancedCode, mentionsRelay: true },
      final: true,
    })),
    ...['5.0.0', '5.1.7', '5.1.8', '5.3.4', '5.4.4', '5.6.0', '5.7.1', '5.7.54'].map((enhancedCode) => ({
      failure: { command: 'RCPT TO', responseCode: 550, enhancedCode },
      final: false,
    })),
    { failure: { command: 'MAIL FROM', responseCode: 550 }, final: false },
    { failure: { command: 'AUTH', responseCode: 535 }, final: false },
    { failure: { responseCode: 550 }, final: false },
  ])('with $failure is final: $final', ({ failure, final }) => {
    expect(isFinal(failure)).toBe(final);
  });
});
