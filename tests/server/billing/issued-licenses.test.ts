/** LATCHKEY_BILLING_ISSUE: a payment issues a license, and its refund takes back that license and nothing else. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, second } from '../../harness/fake-clock.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';
import { activate, goodPassword, issueLicense, newEmail, signUp, type User } from '../../harness/users.ts';
import { billingSecret, sendEvent, subscriptionEvent } from './billing-events.ts';
import {
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  permutationsOf,
  providerSecret,
  providerSettings,
  sendAllToLemon,
  sendAllToStripe,
  sendLemon,
  stripeEvents,
} from './provider-events.ts';

const settings = {
  ...providerSettings,
  LATCHKEY_BILLING_SECRET: billingSecret,
  LATCHKEY_BILLING_ISSUE: '1',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
};
const server = sharedApp(settings);

const licensesOf = async (email: string, at: TestApp = server) =>
  (await at.admin('license', 'list', '--email', email)) as unknown as readonly Json[];

async function newConfirmed(email = newEmail(), at: TestApp = server): Promise<User> {
  const user = await signUp(at, email);
  await at.database.write((transaction) => at.services.accounts.confirmEmail(transaction, user.id));
  return user;
}

/** Buys a subscription by sending the first event of the purchase. */
const buyAtLemon = (email: string, fields: { variant?: number; at?: TestApp } = {}) => {
  const { at = server, ...rest } = fields;
  const purchase = newLemonPurchase(email, rest);
  return sendAllToLemon(at, [lemonEvents(purchase).subscription('subscription_created', at.now())]).then(
    () => purchase,
  );
};

describe('the first event that gives an account access', () => {
  it.each(['webhook', 'stripe', 'lemonsqueezy'])(
    'issues a license that depends on the subscription: %s',
    async (provider) => {
      const email = newEmail();
      if (provider === 'webhook') await sendEvent(server, subscriptionEvent(server.now(), { email }));
      else if (provider === 'lemonsqueezy') await buyAtLemon(email);
      else
        await sendAllToStripe(server, [stripeEvents(newStripePurchase(email)).subscription('created', server.now())]);
      const [license, ...others] = await licensesOf(email);
      expect(license).toMatchObject({ plan: 'standard', status: 'active', with_subscription: true, email });
      expect(others).toEqual([]);
      const entries = (await server.admin('audit', 'list', '--limit', '5')) as unknown as readonly Json[];
      expect(entries).toContainEqual(expect.objectContaining({ action: 'license.issue', target_id: license?.id }));
    },
  );

  it('issues one license, however often and in whatever order events arrive', async () => {
    const atMs = server.now() - day;
    for (const order of permutationsOf([0, 1, 2])) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase);
      const all = [
        events.subscription('created', atMs),
        events.subscription('updated', atMs + second, atMs),
        events.invoicePaid(atMs),
      ];
      const sent = order.flatMap((index) => all[index] ?? []);
      await sendAllToStripe(server, [...sent, ...sent]);
      expect(await licensesOf(purchase.email), order.join()).toHaveLength(1);
    }
  });

  it('issues none to an account that already has one, or for a subscription that gives no access', async () => {
    const user = await newConfirmed();
    await issueLicense(server, '--email', user.email);
    await buyAtLemon(user.email);
    expect(await licensesOf(user.email)).toHaveLength(1);
    const email = newEmail();
    const events = stripeEvents(newStripePurchase(email));
    await sendAllToStripe(server, [events.subscription('created', server.now(), server.now(), 'unpaid')]);
    expect(await licensesOf(email)).toEqual([]);
  });

  it('issues none for a period that has ended', async () => {
    const email = newEmail();
    const purchase = stripeEvents(newStripePurchase(email));
    await sendAllToStripe(server, [purchase.subscription('created', server.now(), server.now() - 31 * day)]);
    expect(await licensesOf(email)).toEqual([]);
  });

  it('issues none unless the setting is on', async () => {
    const without = await startTestApp(providerSettings);
    const { email } = await buyAtLemon(newEmail(), { at: without });
    expect(await licensesOf(email, without)).toEqual([]);
  });

  it('mails the key and a link for setting the first password, in each language, and logs neither', async () => {
    const smtp = await startSmtpServer();
    const mailing = await startTestApp({ ...settings, LATCHKEY_SMTP_URL: smtp.url });
    const { email } = await buyAtLemon(newEmail(), { at: mailing });
    await sendMails(mailing);
    const [mail, ...others] = smtp.mails;
    expect(others).toEqual([]);
    expect(mail?.to).toContain(email);
    expect(mail?.subject).toBe('Your license key / Ihr Lizenzschlüssel / ライセンスキーのお知らせ');
    const keys = new Set(mail?.text.match(/SVC-[0-9A-Z-]+/g));
    const links = new Set(mail?.text.match(/https:\/\/licenses\.example\.com\/reset#token=\S+/g));
    expect([keys.size, links.size]).toEqual([1, 1]);
    const [key = ''] = keys;
    const token = [...links][0]?.split('token=')[1] ?? '';
    mailing.clock.advance(6 * day);
    const reset = await mailing.call('resetPassword', { body: { token, new_password: goodPassword } });
    expect(reset.status, reset.text).toBe(200);
    const { body } = await mailing.call('login', { body: { email, password: goodPassword } });
    const { response } = await activate(mailing, { token: String(body.access_token) }, key);
    expect(response.status, response.text).toBe(200);
    expect((await mailing.call('resetPassword', { body: { token, new_password: goodPassword } })).status).toBe(401);
    for (const secret of [key, token]) expect(mailing.logText()).not.toContain(secret);
  });

  it('mails no link to an account that already has a password', async () => {
    const smtp = await startSmtpServer();
    const mailing = await startTestApp({ ...settings, LATCHKEY_SMTP_URL: smtp.url });
    const user = await newConfirmed(newEmail(), mailing);
    await buyAtLemon(user.email, { at: mailing });
    await sendMails(mailing);
    const text = smtp.mails.find(({ subject }) => subject?.includes('license key'))?.text ?? '';
    expect(text).toContain('Thank you for your purchase.');
    expect(text).not.toContain('#token=');
  });
});

describe('the license of a subscription', () => {
  it('follows each change of the paid plan, including its number of devices', async () => {
    const purchase = newStripePurchase(newEmail());
    const [standard, advanced] = [purchase, { ...purchase, price: 'price_advanced' }].map((each) => stripeEvents(each));
    if (!standard || !advanced) throw new Error('two plans');
    await sendAllToStripe(server, [standard.subscription('created', server.now())]);
    for (const [events, plan, max_activations] of [
      [advanced, 'advanced', 10],
      [standard, 'standard', 3],
    ] as const) {
      server.clock.advance(day);
      await sendAllToStripe(server, [events.subscription('updated', server.now())]);
      expect(await licensesOf(purchase.email)).toMatchObject([{ plan, max_activations }]);
    }
  });

  it('keeps a limit set by staff', async () => {
    const purchase = newStripePurchase(newEmail());
    await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', server.now())]);
    const [license] = await licensesOf(purchase.email);
    await server.services.licenseChanges.setMaxActivations(String(license?.id), 7, byCommand);
    server.clock.advance(day);
    const events = stripeEvents({ ...purchase, price: 'price_advanced' });
    await sendAllToStripe(server, [events.subscription('updated', server.now())]);
    expect(await licensesOf(purchase.email)).toMatchObject([{ plan: 'advanced', max_activations: 7 }]);
  });

  it('gets the plan that was changed while it was suspended for a refund', async () => {
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents({ ...purchase, price: 'price_advanced' });
    const paidMs = server.now();
    await sendAllToStripe(server, [events.subscription('created', paidMs), events.invoicePaid(paidMs)]);
    server.clock.advance(day);
    await sendAllToStripe(server, [events.refunded(server.now())]);
    expect(await licensesOf(purchase.email)).toMatchObject([{ status: 'inactive' }]);
    server.clock.advance(day);
    const lesser = stripeEvents(purchase);
    await sendAllToStripe(server, [
      lesser.subscription('updated', server.now()),
      lesser.invoicePaid(server.now() + second),
    ]);
    expect(await licensesOf(purchase.email)).toMatchObject([
      { status: 'active', plan: 'standard', max_activations: 3 },
    ]);
  });

  it.each(['webhook', 'stripe'])('follows the paid subscription, not a better trial: %s', async (provider) => {
    const trying = await startTestApp({ ...settings, LATCHKEY_TRIAL_PLAN: 'advanced' });
    const { email } = await newConfirmed(newEmail(), trying);
    if (provider === 'webhook') await sendEvent(trying, subscriptionEvent(trying.now(), { email }));
    else await sendAllToStripe(trying, [stripeEvents(newStripePurchase(email)).subscription('created', trying.now())]);
    expect(await licensesOf(email, trying)).toMatchObject([{ plan: 'standard', max_activations: 3 }]);
  });
});

describe('the license of a purchase follows what is paid', () => {
  const plansOf = async (email: string) =>
    (await licensesOf(email)).map(({ status, plan, max_activations: limit }) => `${status} ${plan} ${limit}`).sort();

  const expire = (purchase: Awaited<ReturnType<typeof buyAtLemon>>) =>
    sendAllToLemon(server, [
      lemonEvents(purchase).subscription('subscription_expired', server.now(), server.now() - day, {
        status: 'expired',
      }),
    ]);

  it("after each change of plan by the operator's own system", async () => {
    const email = newEmail();
    for (const [plan, license] of [
      ['advanced', 'active advanced 10'],
      ['standard', 'active standard 3'],
      ['advanced', 'active advanced 10'],
    ] as const) {
      server.clock.advance(day);
      await sendEvent(server, subscriptionEvent(server.now(), { email, plan }));
      expect(await plansOf(email)).toEqual([license]);
    }
  });

  it.each(['lemonsqueezy', 'webhook'])('when a cheaper plan is bought after it has ended: %s', async (provider) => {
    const user = await newConfirmed();
    const first = await buyAtLemon(user.email, { variant: 12 });
    server.clock.advance(40 * day);
    await expire(first);
    expect(await plansOf(user.email)).toEqual(['active advanced 10']);
    if (provider === 'webhook') await sendEvent(server, subscriptionEvent(server.now(), { email: user.email }));
    else await buyAtLemon(user.email);
    expect(await plansOf(user.email)).toEqual(['active standard 3']);
  });

  it('when it ends next to a cheaper plan, and when it is paid again', async () => {
    const user = await newConfirmed();
    const better = await buyAtLemon(user.email, { variant: 12 });
    await buyAtLemon(user.email);
    server.clock.advance(day);
    await expire(better);
    expect(await plansOf(user.email)).toEqual(['active standard 3']);
    server.clock.advance(day);
    const renewed = lemonEvents(better).subscription('subscription_updated', server.now());
    await sendAllToLemon(server, [renewed]);
    expect(await plansOf(user.email)).toEqual(['active advanced 10']);
  });

  it('when a better plan is bought in addition', async () => {
    const user = await newConfirmed();
    await buyAtLemon(user.email);
    await buyAtLemon(user.email, { variant: 12 });
    expect(await plansOf(user.email)).toEqual(['active advanced 10']);
  });

  it('so that two licenses are not valid on one subscription, until both are paid', async () => {
    const user = await newConfirmed();
    const first = await buyAtLemon(user.email);
    await sendAllToLemon(server, [lemonEvents(first).orderRefunded(server.now())]);
    await buyAtLemon(user.email);
    server.clock.advance(day);
    await sendAllToLemon(server, [lemonEvents(first).paymentSuccess(server.now())]);
    expect(await plansOf(user.email)).toEqual(['active standard 3', 'active standard 3']);
    server.clock.advance(day);
    await expire(first);
    expect(await plansOf(user.email)).toEqual(['active standard 3', 'inactive standard 3']);
    server.clock.advance(day);
    const renewed = lemonEvents(first).subscription('subscription_updated', server.now());
    await sendAllToLemon(server, [renewed]);
    expect(await plansOf(user.email)).toEqual(['active standard 3', 'active standard 3']);
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'and stays active if the %s of two subscriptions has already lapsed when a better plan is bought',
    async (_, ended) => {
      const user = await newConfirmed();
      const first = await buyAtLemon(user.email);
      await sendAllToLemon(server, [lemonEvents(first).orderRefunded(server.now())]);
      server.clock.advance(second);
      const later = await buyAtLemon(user.email);
      server.clock.advance(day);
      await sendAllToLemon(server, [lemonEvents(first).paymentSuccess(server.now())]);
      server.clock.advance(20 * day);
      const renewed = lemonEvents([later, first][ended] ?? first).subscription('subscription_updated', server.now());
      await sendAllToLemon(server, [renewed]);
      server.clock.advance(20 * day);
      await buyAtLemon(user.email, { variant: 12 });
      expect(await plansOf(user.email)).toEqual(['active advanced 10', 'active standard 3']);
    },
  );

  it('but does not affect a license that staff issued', async () => {
    const user = await newConfirmed();
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    const purchase = await buyAtLemon(user.email);
    await expire(purchase);
    expect(await plansOf(user.email)).toEqual(['active advanced 10']);
  });

  it('and leaves no record after the account is deleted', async () => {
    const user = await newConfirmed();
    await sendEvent(server, subscriptionEvent(server.now(), { email: user.email }));
    const left = () =>
      server.database.read.selectFrom('provider_subscriptions').selectAll().where('reference', '=', user.id).execute();
    expect(await left()).toHaveLength(1);
    await server.admin('user', 'delete', user.email);
    expect(await left()).toEqual([]);
  });
});

describe('a refund', () => {
  it('suspends the license that was issued for it, which a new payment reinstates', async () => {
    const purchase = await buyAtLemon(newEmail());
    const events = lemonEvents(purchase);
    await sendAllToLemon(server, [events.orderRefunded(server.now())]);
    expect(await licensesOf(purchase.email)).toMatchObject([{ status: 'inactive' }]);
    server.clock.advance(day);
    await sendAllToLemon(server, [events.paymentSuccess(server.now())]);
    expect(await licensesOf(purchase.email)).toMatchObject([{ status: 'active' }]);
  });

  it('does not lead to the reinstatement of a license that staff have since revoked', async () => {
    const purchase = await buyAtLemon(newEmail());
    const events = lemonEvents(purchase);
    await sendAllToLemon(server, [events.orderRefunded(server.now())]);
    const [license] = await licensesOf(purchase.email);
    await server.services.licenseChanges.setStatus(String(license?.id), { status: 'revoked', as: 'owner' }, byCommand);
    server.clock.advance(day);
    await sendAllToLemon(server, [events.paymentSuccess(server.now())]);
    expect(await licensesOf(purchase.email)).toMatchObject([{ status: 'revoked' }]);
  });

  it('does not affect licenses that staff issued', async () => {
    const user = await newConfirmed();
    await issueLicense(server, '--email', user.email);
    const purchase = await buyAtLemon(user.email);
    await sendAllToLemon(server, [lemonEvents(purchase).orderRefunded(server.now())]);
    expect(await licensesOf(user.email)).toMatchObject([{ status: 'active' }]);
  });

  it('suspends the license even next to another purchase with a license, each time it is paid and refunded again', async () => {
    const user = await newConfirmed();
    const purchase = await buyAtLemon(user.email);
    const events = lemonEvents(purchase);
    await sendAllToLemon(server, [events.orderRefunded(server.now())]);
    const other = await buyAtLemon(user.email);
    const statuses = async () => (await licensesOf(user.email)).map(({ status }) => status).sort();
    expect(await statuses()).toEqual(['active', 'inactive']);
    server.clock.advance(day);
    await sendAllToLemon(server, [events.paymentSuccess(server.now())]);
    expect(await statuses()).toEqual(['active', 'active']);
    server.clock.advance(day);
    await sendAllToLemon(server, [events.paymentRefunded(server.now())]);
    expect(await statuses()).toEqual(['active', 'inactive']);
    await sendAllToLemon(server, [lemonEvents(other).orderRefunded(server.now())]);
    expect(await statuses()).toEqual(['inactive', 'inactive']);
  });

  it('whose purchase arrives later prevents a license', async () => {
    const purchase = newLemonPurchase(newEmail());
    const events = lemonEvents(purchase);
    await sendAllToLemon(server, [
      events.orderRefunded(server.now()),
      events.paymentRefunded(server.now()),
      events.subscription('subscription_created', server.now()),
    ]);
    expect(await licensesOf(purchase.email)).toEqual([]);
  });

  it('during a trial suspends the license, although the trial continues', async () => {
    const trying = await startTestApp({ ...settings, LATCHKEY_TRIAL_PLAN: 'standard' });
    const user = await newConfirmed(newEmail(), trying);
    const purchase = await buyAtLemon(user.email, { at: trying, variant: 12 });
    expect(await licensesOf(user.email, trying)).toMatchObject([{ status: 'active', plan: 'advanced' }]);
    await sendAllToLemon(trying, [lemonEvents(purchase).orderRefunded(trying.now())]);
    expect(await licensesOf(user.email, trying)).toMatchObject([{ status: 'inactive' }]);
  });
});

describe('a person who pays for another account and takes the money back', () => {
  const subscriptionOf = async ({ token }: User) => (await server.call('subscriptionStatus', { token })).body;

  it.each(['before', 'after'])('takes nothing from a victim who buys %s them', async (order) => {
    const victim = await newConfirmed();
    const buyers =
      order === 'before'
        ? [await buyAtLemon(victim.email), await buyAtLemon(victim.email, { variant: 12 })].toReversed()
        : [await buyAtLemon(victim.email, { variant: 12 }), await buyAtLemon(victim.email)];
    const [thief] = buyers;
    if (!thief) throw new Error('nobody bought');
    const [license] = await licensesOf(victim.email);
    await sendAllToLemon(server, [lemonEvents(thief).orderRefunded(server.now())]);
    expect(await licensesOf(victim.email)).toMatchObject([
      // The license continues with the plan that the victim has paid for, and no more.
      { id: license?.id, status: 'active', plan: 'standard' },
    ]);
    expect(await subscriptionOf(victim)).toMatchObject({ subscription: { plan: 'standard', status: 'active' } });
  });

  it('does not keep a victim who buys afterwards from getting a license', async () => {
    const victim = await newConfirmed();
    const thief = await buyAtLemon(victim.email, { variant: 12 });
    await sendAllToLemon(server, [lemonEvents(thief).orderRefunded(server.now())]);
    await buyAtLemon(victim.email);
    const licenses = await licensesOf(victim.email);
    expect(licenses.map(({ status, plan }) => `${status} ${plan}`).sort()).toEqual([
      'active standard',
      'inactive advanced',
    ]);
  });

  it('keeps no license with a better plan than what is still paid', async () => {
    const user = await newConfirmed();
    const better = await buyAtLemon(user.email, { variant: 12 });
    const lesser = await buyAtLemon(user.email);
    await sendAllToLemon(server, [lemonEvents(better).orderRefunded(server.now())]);
    expect(await licensesOf(user.email)).toMatchObject([{ status: 'active', plan: 'standard' }]);
    await sendAllToLemon(server, [lemonEvents(lesser).orderRefunded(server.now())]);
    expect(await licensesOf(user.email)).toMatchObject([{ status: 'inactive', plan: 'standard' }]);
  });
});

it('an event without a valid signature issues nothing', async () => {
  const purchase = newLemonPurchase(newEmail());
  const event = lemonEvents(purchase).subscription('subscription_created', server.now());
  expect(await sendLemon(server, event, 'another secret')).toBe(401);
  const headers = { 'x-signature': createHmac('sha1', providerSecret).update(JSON.stringify(event)).digest('hex') };
  const { status } = await server.request('POST', '/api/v1/billing/lemonsqueezy', {
    body: JSON.stringify(event),
    headers,
  });
  expect(status).toBe(401);
  await expect(server.services.accounts.getByEmail(purchase.email)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
});
