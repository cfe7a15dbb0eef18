/** Whose account a purchase is for when only the email typed by the buyer says so. */
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../server/accounts/account.ts';
import { hasEmail, isCustomer, isTrusted } from '../../../server/billing/account-trust.rules.ts';

const account = (change: Partial<Account> = {}): Account => ({
  id: 'ada',
  email: 'Ada@Lab.example',
  full_name: 'Ada',
  createdAtMs: 0,
  passwordChangedAtMs: 0,
  hasPassword: true,
  emailConfirmedAtMs: undefined,
  passwordSetBy: undefined,
  ...change,
});

describe('an account belongs to the buyer', () => {
  it.each([
    ['that anybody may have signed up with', account(), {}, false],
    ['that has confirmed its address', account({ emailConfirmedAtMs: 1 }), {}, true],
    ['that nobody can sign in to', account({ hasPassword: false }), {}, true],
    ['that the own system of the operator names', account(), { accountEmail: 'ada@lab.example' }, true],
  ])('%s', (_, subject, change, expected) => {
    expect(isTrusted(subject, change)).toBe(expected);
  });
});

describe("a provider's customer belongs to an account", () => {
  const confirmed = account({ emailConfirmedAtMs: 1 });
  it.each([
    ['where no email was typed', account(), undefined, true],
    ['where it has confirmed the email that was typed', confirmed, 'ada@lab.example', true],
    ['where it has not confirmed it', account(), 'ada@lab.example', false],
    ['where another one was typed', confirmed, 'eve@lab.example', false],
  ])('%s', (_, subject, typed, expected) => {
    expect(isCustomer(subject, typed)).toBe(expected);
  });
});

it.each([
  ['ada@lab.example', true],
  [' ADA@LAB.EXAMPLE ', true],
  ['adb@lab.example', false],
  ['no address', false],
  [undefined, false],
])('%j is the email of Ada@Lab.example: %s', (email, expected) => {
  expect(hasEmail(account(), email)).toBe(expected);
});
