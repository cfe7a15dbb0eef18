/** `billing reconcile`: makes a provider's list and the accounts agree. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { newEmail, signUp } from '../../harness/users.ts';
import { billingSecret, sendEvent, subscriptionEvent } from './billing-events.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  type StripePurchase,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
  subscriptionOf,
} from './provider-events.ts';
import {
  listHeader as header,
  iso,
  type Row,
  reconcileList,
  stripeRow,
  wholeSeconds,
  writeList,
} from './provider-list.ts';

const settings = { ...providerSettings, LATCHKEY_BILLING_SECRET: billingSecret };
const server = sharedApp(settings);

const reconcile = (rows: readonly Row[], { apply = false, at = server } = {}) => reconcileList(at, rows, apply);

const rowOf = (purchase: StripePurchase, fields: Row = {}, atMs = server.now()) => stripeRow(purchase, atMs, fields);

async function buyAtStripe(fields: Partial<StripePurchase> = {}): Promise<StripePurchase> {
  const purchase = newStripePurchase(newEmail(), fields);
  await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', server.now())]);
  return purchase;
}

const nothingFound = { stale: [], pays_without_access: [], access_without_payment: [], differs: [] };

describe('billing reconcile', () => {
  it('reports what does not agree, fixes it with --apply and an audit entry each, and then finds nothing', async () => {
    const [agreeing, ended, upgraded, old] = [
      await buyAtStripe(),
      await buyAtStripe(),
      await buyAtStripe(),
      await buyAtStripe(),
    ];
    const lost = newStripePurchase(newEmail());
    const rows = [
      rowOf(agreeing),
      rowOf(ended, { status: 'canceled' }),
      rowOf(upgraded, { plan: 'advanced' }),
      rowOf(old, { status: 'canceled', as_of: iso(server.now() - hour) }),
      rowOf(lost),
    ];
    const findings = {
      rows: 5,
      agree: 1,
      stale: [{ row: 4, email: old.email, last_event_at: iso(wholeSeconds(server.now())) }],
      pays_without_access: [{ row: 5, customer: lost.customer, email: lost.email, server: null }],
      access_without_payment: [{ row: 2, email: ended.email, status: 'canceled', server: { status: 'active' } }],
      differs: [{ row: 3, email: upgraded.email, plan: 'advanced', server: { plan: 'standard' } }],
    };
    server.clock.advance(2 * second);
    const found = await reconcile(rows);
    expect(found).toMatchObject(findings);
    for (const kind of ['pays_without_access', 'access_without_payment', 'differs'] as const) {
      expect((found[kind] as unknown as readonly Json[])[0]).not.toHaveProperty('last_event_at');
    }
    await expect(subscriptionOf(server, lost.email)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    expect(await subscriptionOf(server, ended.email)).toMatchObject({ status: 'active' });

    const applied = await reconcile(rows, { apply: true });
    expect(applied).toMatchObject(findings);
    for (const kind of ['pays_without_access', 'access_without_payment', 'differs']) {
      expect(applied[kind]).toMatchObject([{ healed: true }]);
    }
    expect(await subscriptionOf(server, lost.email)).toMatchObject({
      plan: 'standard',
      status: 'active',
      gives_access: true,
    });
    expect(await subscriptionOf(server, ended.email)).toMatchObject({ status: 'canceled', gives_access: false });
    expect(await subscriptionOf(server, upgraded.email)).toMatchObject({ plan: 'advanced', status: 'active' });
    expect(await subscriptionOf(server, old.email)).toMatchObject({ status: 'active' });
    const audit = (await server.admin('audit', 'list', '--limit', '20')) as unknown as readonly Json[];
    expect(
      audit
        .filter(({ action }) => action === 'billing.reconcile')
        .map(({ details }) => (details as Json).found)
        .toSorted(),
    ).toEqual(['access_without_payment', 'differs', 'pays_without_access']);
    expect(await reconcile(rows, { apply: true })).toMatchObject({
      ...nothingFound,
      rows: 5,
      agree: 4,
      stale: [{ row: 4 }],
    });
  });

  it('accepts a list without as_of, with columns in any order and with the terms of each provider', async () => {
    const atStripe = await buyAtStripe();
    const atLemon = newLemonPurchase(newEmail());
    await sendAllToLemon(server, [lemonEvents(atLemon).subscription('subscription_created', server.now())]);
    const own = newEmail();
    const end = iso(server.now() + 30 * day);
    await sendEvent(server, subscriptionEvent(server.now(), { email: own, current_period_end: end }));
    const file = join(server.dataFolder, 'short.csv');
    const lines = [
      'status,provider,customer,email,current_period_end,plan',
      `active,stripe,${atStripe.customer},,${iso(wholeSeconds(server.now()) + 30 * day).slice(0, 10)},price_standard`,
      `cancelled,lemonsqueezy,${atLemon.customer},${atLemon.email},${end.replace('T', ' ').replace('Z', '')},standard`,
      `ACTIVE,Webhook,,${own},${end},standard`,
    ];
    writeFileSync(file, `\ufeff${lines.join('\r\n')}`);
    expect(await server.admin('billing', 'reconcile', file)).toStrictEqual({ rows: 3, agree: 3, ...nothingFound });
  });

  it('reads a status before the first payment as expired, ids of up to 255 characters, and two emails in one row', async () => {
    const row = { ...rowOf(newStripePurchase(newEmail())), status: 'incomplete', subscription: 'x'.repeat(255) };
    const ofTwo = { ...row, customer: newEmail(), subscription: 'sub_two', email: newEmail() };
    const report = await reconcile([
      row,
      { ...row, status: 'active', subscription: 'sub_one' },
      { ...ofTwo, status: 'active' },
    ]);
    expect(report).toMatchObject({ rows: 3, agree: 1 });
    expect(report.pays_without_access).toMatchObject([
      { row: 2, subscription: 'sub_one', customer: row.customer, as_of: row.as_of },
      { row: 3, customer: null, email: ofTwo.email },
    ]);
  });

  it('tells two times of a day apart, unless the list has only the date', async () => {
    const purchase = await buyAtStripe();
    const end = iso(wholeSeconds(server.now()) + 30 * day);
    server.clock.advance(2 * second);
    const atOther = `${end.slice(0, 10)}T${end.slice(11, 13) === '00' ? '01' : '00'}:00:00Z`;
    const withEnd = (current_period_end: string) => reconcile([rowOf(purchase, { current_period_end })]);
    expect(await withEnd(end.slice(0, 10))).toMatchObject({ agree: 1 });
    expect(await withEnd(atOther)).toMatchObject({
      agree: 0,
      differs: [{ current_period_end: iso(Date.parse(atOther)) }],
    });
  });

  it('prints a line with the counts, and a table with what the server has and why a row is stale', async () => {
    const [ended, old] = [await buyAtStripe(), await buyAtStripe()];
    const rows = [
      rowOf(ended, { status: 'canceled' }),
      rowOf(old, { status: 'canceled', as_of: iso(server.now() - hour) }),
      rowOf(newStripePurchase(newEmail())),
    ];
    server.clock.advance(2 * second);
    const printed = await server.adminText('billing', 'reconcile', writeList(server, rows));
    expect(printed.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^rows +3$/),
        expect.stringMatching(/^agree +0$/),
        expect.stringMatching(/^stale +1$/),
        expect.stringMatching(/^pays without access +1$/),
        expect.stringMatching(/^access without payment +1$/),
        expect.stringMatching(/^differs +0$/),
        expect.stringMatching(/^stale +2 .* canceled .*Z +- +- +The last event was at .*Z\.$/),
        expect.stringMatching(/^pays without access +3 .* nothing +- +-$/),
        expect.stringMatching(/^access without payment +1 .* standard active \S+Z +- +-$/),
      ]),
    );
  });

  it('reads no plan and no end of a subscription that has ended', async () => {
    const ended = rowOf(newStripePurchase(newEmail()), { plan: '', status: 'canceled', current_period_end: '' });
    expect(await reconcile([ended])).toMatchObject({ ...nothingFound, agree: 1 });
  });

  it('reports as expired what the provider has not begun to charge', async () => {
    const purchase = await buyAtStripe();
    server.clock.advance(2 * second);
    expect(await reconcile([rowOf(purchase, { status: 'incomplete' })])).toMatchObject({
      access_without_payment: [{ status: 'expired' }],
    });
  });

  it('uses the best of several rows of an account, as the account does', async () => {
    const purchase = await buyAtStripe();
    const old = rowOf(purchase, { status: 'canceled', current_period_end: iso(server.now() - day) });
    expect(await reconcile([old, rowOf(purchase), old])).toMatchObject({ ...nothingFound, rows: 3, agree: 3 });
  });

  it("uses the best row of an account of the operator's own system, whatever customer it names", async () => {
    const email = newEmail();
    const end = iso(server.now() + 30 * day);
    await sendEvent(server, subscriptionEvent(server.now(), { email, current_period_end: end }));
    const row = { provider: 'webhook', email, plan: 'advanced', status: 'active', current_period_end: end };
    const rows = [
      { ...row, customer: '1', status: 'canceled' },
      { ...row, customer: '2' },
    ];
    expect(await reconcile(rows, { apply: true })).toMatchObject({ agree: 1, differs: [{ row: 2, healed: true }] });
    expect(await subscriptionOf(server, email)).toMatchObject({ plan: 'advanced', status: 'active' });
    expect(await reconcile(rows, { apply: true })).toMatchObject({ ...nothingFound, agree: 2 });
  });

  it('does not restore a refunded subscription until the provider reports a later period', async () => {
    const purchase = await buyAtStripe();
    await sendAllToStripe(server, [stripeEvents(purchase).refunded(server.now())]);
    const row = rowOf(purchase);
    server.clock.advance(2 * second);
    expect(await reconcile([row], { apply: true })).toMatchObject({ ...nothingFound, agree: 1 });
    const later = { ...row, current_period_end: iso(server.now() + 60 * day) };
    expect(await reconcile([later], { apply: true })).toMatchObject({ pays_without_access: [{ healed: true }] });
    expect(await subscriptionOf(server, purchase.email)).toMatchObject({ status: 'active', gives_access: true });
    expect(await reconcile([later], { apply: true })).toMatchObject({ ...nothingFound, agree: 1 });
  });

  it('applies later events to a subscription that it has added', async () => {
    const lost = newStripePurchase(newEmail());
    const row = rowOf(lost);
    const startMs = server.now();
    server.clock.advance(2 * second);
    await reconcile([row], { apply: true });
    const events = stripeEvents(lost);
    await sendAllToStripe(server, [events.subscription('deleted', server.now(), startMs)]);
    expect(await subscriptionOf(server, lost.email)).toMatchObject({ status: 'canceled' });
    const { id } = await server.services.accounts.getByEmail(lost.email);
    expect(await server.services.subscriptions.listOthers(id)).toEqual([]);
  });

  it('does not trust an email that was never confirmed, and says so', async () => {
    const victim = await signUp(server);
    const row = rowOf(newStripePurchase(victim.email));
    server.clock.advance(2 * second);
    expect(await reconcile([row], { apply: true })).toMatchObject({
      pays_without_access: [{ healed: false, reason: expect.stringContaining('has not confirmed it') }],
    });
    expect(await subscriptionOf(server, victim.email)).toBeUndefined();
  });

  it("does not let a customer who typed an account's email take anything that the account has", async () => {
    const victim = await signUp(server);
    await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, victim.id));
    await server.admin('subscription', 'set', victim.email, '--plan', 'advanced');
    const thief = newStripePurchase(victim.email);
    server.clock.advance(2 * second);
    await reconcile([rowOf(thief, {}, server.now() - 2 * second)], { apply: true });
    await reconcile([rowOf(thief, { status: 'canceled' }, server.now() - second)], { apply: true });
    expect(await subscriptionOf(server, victim.email)).toMatchObject({ plan: 'advanced', gives_access: true });
  });

  it('replaces what staff set in its place', async () => {
    const purchase = await buyAtStripe();
    await server.admin('subscription', 'set', purchase.email, '--plan', 'advanced');
    const row = rowOf(purchase);
    server.clock.advance(2 * second);
    expect(await reconcile([row], { apply: true })).toMatchObject({ differs: [{ healed: true }] });
    expect(await subscriptionOf(server, purchase.email)).toMatchObject({ plan: 'standard' });
    expect(await reconcile([row])).toMatchObject({ ...nothingFound, agree: 1 });
  });

  it('keeps what staff granted in addition', async () => {
    const purchase = await buyAtStripe();
    await server.admin('subscription', 'set', purchase.email, '--plan', 'advanced');
    await sendAllToStripe(server, [stripeEvents(purchase).subscription('updated', server.now())]);
    const row = rowOf(purchase, { status: 'past_due' });
    server.clock.advance(2 * second);
    expect(await reconcile([row], { apply: true })).toMatchObject({ differs: [{ healed: true }] });
    expect(await subscriptionOf(server, purchase.email)).toMatchObject({ plan: 'advanced', status: 'active' });
  });

  it('issues a license when a purchase would', async () => {
    const issuing = await startTestApp({ ...settings, LATCHKEY_BILLING_ISSUE: '1' });
    const row = rowOf(newStripePurchase(newEmail()), { as_of: '' }, issuing.now());
    await reconcile([row], { apply: true, at: issuing });
    expect(await issuing.admin('license', 'list', '--email', row.email ?? '')).toMatchObject([
      { with_subscription: true },
    ]);
    expect(await reconcile([row], { apply: true, at: issuing })).toMatchObject({ ...nothingFound, agree: 1 });
  });

  it('can read a long list', async () => {
    const rows = Array.from({ length: 5000 }, (_none, index) =>
      rowOf(newStripePurchase(`buyer-${index}@example.com`), { status: index % 2 ? 'canceled' : 'active' }),
    );
    server.clock.advance(2 * second);
    const report = await reconcile(rows);
    expect(report).toMatchObject({ rows: 5000, agree: 2500 });
    expect(report.pays_without_access).toHaveLength(2500);
  });
});

describe('billing reconcile refuses', () => {
  const good: Row = {
    provider: 'stripe',
    customer: 'cus_1',
    email: 'a@b.example',
    plan: 'standard',
    status: 'canceled',
  };
  const paid = { status: 'active', current_period_end: '2126-01-01' };

  it.each<{ what: string; row: Row; message: string }>([
    {
      what: 'an unknown provider',
      row: { provider: 'paypal' },
      message: 'provider must be stripe, lemonsqueezy, webhook.',
    },
    {
      what: "a row of the operator's own system without an email",
      row: { provider: 'webhook', email: '' },
      message: 'email is required for the provider webhook',
    },
    {
      what: 'a subscription id that is too long',
      row: { subscription: 'x'.repeat(256) },
      message: 'subscription is too',
    },
    { what: 'a paid row without a plan', row: { ...paid, plan: '' }, message: 'plan is required for this status' },
    { what: 'an as_of that is not a time', row: { as_of: 'soon' }, message: 'as_of must be a date' },
    {
      what: 'a status named like a method of all objects',
      row: { status: 'constructor' },
      message: 'status is not one that is known',
    },
    {
      what: 'a status of another provider',
      row: { provider: 'webhook', status: 'cancelled' },
      message: 'status is not one that is known',
    },
    { what: 'an email that is none', row: { email: 'nobody' }, message: 'email is not an email address' },
    { what: 'a row of nobody', row: { email: '', customer: '' }, message: 'customer or email is required' },
    { what: 'an unknown status', row: { status: 'frozen' }, message: 'status is not one that is known' },
    { what: 'a time that is none', row: { current_period_end: 'soon' }, message: 'current_period_end must be a date' },
    { what: 'a paid row without an end', row: { status: 'active' }, message: 'current_period_end is required' },
    { what: 'an unknown plan', row: { plan: 'none' }, message: 'There is no plan with this name' },
    { what: 'a list of the future', row: { as_of: '9999-01-01' }, message: 'as_of is in the future' },
    { what: 'a customer that cannot be stored', row: { customer: 'a\0b' }, message: 'customer is too long' },
  ])('$what with its row number, and changes nothing', async ({ row, message }) => {
    const lost = rowOf(newStripePurchase(newEmail()), { as_of: '' });
    const rows = [lost, { ...good, ...row }, good];
    await expect(reconcile(rows, { apply: true })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`Row 2: ${message}`),
    });
    await expect(subscriptionOf(server, lost.email ?? '')).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
  });

  it('a row dated more than 5 minutes ahead, and names only that row', async () => {
    const ahead = (offsetMs: number) => ({ ...good, as_of: iso(server.now() + 5 * minute + offsetMs) });
    expect(await reconcile([ahead(0)])).toMatchObject({ rows: 1 });
    await expect(reconcile([good, ahead(1)])).rejects.toMatchObject({
      message: 'Row 2: as_of is in the future. Correct the file: nothing was changed.',
    });
  });

  it('several wrong rows with an error for each, up to a limit', async () => {
    const rows = Array.from({ length: 30 }, () => ({ ...good, status: 'frozen' }));
    await expect(reconcile(rows)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Row 1: .*\. Row 20: .*\. And 10 rows more\. Correct the file: nothing was changed\.$/,
      ),
    });
  });

  it.each([
    { what: 'an empty file', text: '', code: 'VALIDATION_ERROR' },
    { what: 'a missing column', text: 'provider,customer,email,plan,status\n', code: 'VALIDATION_ERROR' },
    { what: 'an unknown column', text: `${header},amount\n`, code: 'VALIDATION_ERROR' },
    { what: 'a row of another length', text: `${header}\nstripe,cus_1\n`, code: 'VALIDATION_ERROR' },
  ])('$what', async ({ text, code }) => {
    const file = join(server.dataFolder, `wrong-${code}-${text.length}.csv`);
    writeFileSync(file, text);
    await expect(server.admin('billing', 'reconcile', file)).rejects.toMatchObject({ code });
    await expect(server.admin('billing', 'reconcile', `${file}.none`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
