/** Webhooks on the admin page: endpoints, deliveries to them, and events from billing providers. Transport: inject. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startEventReceiver } from '../../harness/event-receiver.ts';
import { uuid } from '../../harness/response-shapes.ts';
import { auditActions, newStaff, type StaffBrowser } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json } from '../../harness/test-server.ts';
import { issueLicense, newEmail, subscriber } from '../../harness/users.ts';
import { billingSecret, newEventId, sendEvent, subscriptionEvent } from '../billing/billing-events.ts';

const server = sharedApp({ LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1', LATCHKEY_BILLING_SECRET: billingSecret });
let owner: StaffBrowser;
let support: StaffBrowser;
let viewer: StaffBrowser;
let supportEmail: string;

beforeAll(async () => {
  owner = (await newStaff(server, 'owner')).browser;
  viewer = (await newStaff(server, 'viewer')).browser;
  ({ browser: support, email: supportEmail } = await newStaff(server, 'support'));
});

const rowsOf = (body: Json, name: string) => body[name] as readonly Json[];

describe('the endpoints on the admin page', () => {
  it('are added with a secret that is shown only once, listed and removed', async () => {
    const url = 'https://example.com/events/secret?token=1';
    const added = await owner.expectOk('addWebhook', { body: { url, events: ['license.revoked'] } });
    expect(added).toMatchObject({
      id: uuid,
      url,
      events: ['license.revoked'],
      secret: expect.stringMatching(/^whsec_/),
    });
    const listedFor = async (browser: StaffBrowser) =>
      rowsOf(await browser.expectOk('webhooks'), 'webhooks').find(({ id }) => id === added.id);
    const { secret: _secret, is_blocked: _isBlocked, ...rest } = added;
    expect(await listedFor(owner)).toStrictEqual(rest);
    // The path and the query may contain a secret of the receiver.
    for (const browser of [support, viewer]) {
      expect(await listedFor(browser)).toStrictEqual({ ...rest, url: 'https://example.com' });
      const csv = await browser.call('webhooks', { query: { format: 'csv' } });
      expect(csv.text).toContain('https://example.com,');
      const searched = await browser.expectOk('webhooks', { query: { search: 'https://example.com/events' } });
      expect(rowsOf(searched, 'webhooks')).toStrictEqual([]);
    }
    expect(await owner.expectOk('removeWebhook', { at: [stringIn(added, 'id')] })).toStrictEqual(rest);
    expect((await owner.call('removeWebhook', { at: [stringIn(added, 'id')] })).body.code).toBe('NOT_FOUND');
  });

  it.each([
    { what: 'no URL', body: { url: 'example' } },
    { what: 'an unknown type', body: { url: 'https://example.com/', events: ['license.lost'] } },
  ])('with $what get VALIDATION_ERROR', async ({ body }) => {
    const response = await owner.call('addWebhook', { body });
    expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('can be searched by host or URL, filtered by status, read page by page, and downloaded as CSV', async () => {
    const urls = ['https://one.list.example/a', 'https://two.list.example/b', 'http://one.list.example:8080/c'];
    const ids: string[] = [];
    for (const url of urls) {
      server.clock.advance(1);
      ids.push(stringIn(await owner.expectOk('addWebhook', { body: { url } }), 'id'));
    }
    const find = async (query: Record<string, string>) => owner.expectOk('webhooks', { query });
    const urlsOf = async (query: Record<string, string>) => rowsOf(await find(query), 'webhooks').map(({ url }) => url);
    expect(await urlsOf({ search: 'ONE.list' })).toEqual([urls[0], urls[2]]);
    expect(await urlsOf({ search: 'https://two.list.example/' })).toEqual([urls[1]]);
    expect(await urlsOf({ search: 'list.example' })).toEqual([]);
    expect(await urlsOf({ search: 'one.list', status: 'disabled' })).toEqual([]);
    expect(await urlsOf({ search: 'two.list', status: 'enabled' })).toEqual([urls[1]]);
    const first = await find({ search: 'one.list', limit: '1' });
    expect(first).toMatchObject({ webhooks: [{ url: urls[0] }], total: { count: 2, is_exact: true } });
    const second = await find({ search: 'one.list', limit: '1', after: String(first.next) });
    expect(second).toMatchObject({ webhooks: [{ url: urls[2] }], next: null });
    const csv = await owner.call('webhooks', { query: { search: 'two.list', format: 'csv' } });
    expect(csv.text.split('\r\n')).toEqual([
      '\ufeffid,url,events,created_at,disabled_at,disabled_reason,waiting',
      expect.stringContaining(`${ids[1]},https://two.list.example/b,`),
      '',
    ]);
    for (const id of ids) await owner.expectOk('removeWebhook', { at: [id] });
  });

  it('show their deliveries by event type, state and the beginning of the event id, and as CSV', async () => {
    const { id } = await owner.expectOk('addWebhook', { body: { url: 'https://deliveries.example/' } });
    const at = [String(id)];
    const { email } = await subscriber(server);
    const license = await issueLicense(server, '--email', email);
    await owner.expectOk('revokeLicense', { at: [license.id] });
    const find = async (query: Record<string, string>) =>
      rowsOf(await viewer.expectOk('webhookDeliveries', { at, query }), 'deliveries');
    const all = await find({});
    expect(all.length).toBeGreaterThan(1);
    const revoked = all.filter(({ type }) => type === 'license.revoked');
    expect(revoked).toHaveLength(1);
    expect(await find({ type: 'license.revoked' })).toEqual(revoked);
    expect(await find({ type: 'license.revoked', state: 'pending' })).toEqual(revoked);
    expect(await find({ type: 'license.revoked', state: 'failed' })).toEqual([]);
    expect(await find({ type: 'device.suspicious' })).toEqual([]);
    const eventId = String(revoked[0]?.event_id);
    expect(await find({ search: eventId.toUpperCase() })).toEqual(revoked);
    expect(await find({ search: eventId.slice(0, 8), type: 'license.revoked' })).toEqual(revoked);
    expect(await find({ search: eventId.slice(1) })).toEqual([]);
    const csv = await viewer.call('webhookDeliveries', { at, query: { type: 'license.revoked', format: 'csv' } });
    expect(csv.text.trim().split('\r\n')).toEqual([
      expect.stringContaining('event_id,type'),
      expect.stringContaining(`,${eventId},license.revoked,`),
    ]);
    expect((await auditActions(server, 'staff.download'))[0]).toMatchObject({
      target: 'list deliveries',
      target_id: id,
      details: { type: 'license.revoked' },
    });
    const unknown = await viewer.call('webhookDeliveries', { at, query: { type: 'license.lost' } });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    await owner.expectOk('removeWebhook', { at });
  });

  it('show their deliveries page by page and by state, and can repeat one', async () => {
    const receiver = await startEventReceiver();
    const body = { url: receiver.url, events: ['subscription.changed'] };
    const { id } = await owner.expectOk('addWebhook', { body });
    const at = [String(id)];
    const { deliveries } = server.services;
    const deliver = async () => {
      await deliveries.begin((error) => {
        throw error;
      });
      await deliveries.idle();
    };
    await subscriber(server);
    await deliver();
    await subscriber(server);
    const all = await support.expectOk('webhookDeliveries', { at });
    expect(all).toMatchObject({ next: null, total: { count: 2, is_exact: true } });
    const first = await support.expectOk('webhookDeliveries', { at, query: { limit: '1' } });
    const second = await support.expectOk('webhookDeliveries', {
      at,
      query: { limit: '1', after: String(first.next) },
    });
    expect([...rowsOf(first, 'deliveries'), ...rowsOf(second, 'deliveries')]).toEqual(rowsOf(all, 'deliveries'));
    const delivered = rowsOf(
      await support.expectOk('webhookDeliveries', { at, query: { state: 'delivered' } }),
      'deliveries',
    );
    expect(delivered).toMatchObject([{ state: 'delivered', response_status: 200 }]);
    // Entries of two writers in the same millisecond, here the app and the commands, are in no particular order.
    server.clock.advance(1000);
    await support.expectOk('replayDelivery', { at: [String(delivered[0]?.id)] });
    await deliver();
    expect(receiver.received).toHaveLength(3);
    const [entry] = (await server.admin('audit', 'list', '--limit', '1')) as unknown as readonly Json[];
    const { id: delivery_id, event_id, type } = delivered[0] ?? {};
    expect(entry).toMatchObject({
      action: 'webhook.replay',
      address: '127.0.0.1',
      details: { delivery_id, event_id, type },
    });
  });
});

describe('the events of billing providers on the admin page', () => {
  it('can be filtered by state and email, and retried', async () => {
    const email = newEmail();
    const [kept, unknown] = [newEventId(), newEventId()];
    await sendEvent(server, subscriptionEvent(server.now(), { email, plan: 'admin-page-plan' }), { id: kept });
    await sendEvent(server, { type: 'other' }, { id: unknown });
    await sendEvent(server, subscriptionEvent(server.now(), { email: newEmail() }));
    const read = async (query: Readonly<Record<string, string>>) => {
      const found = rowsOf(await support.expectOk('billingEvents', { query }), 'billing_events');
      return found.map(({ event_id }) => event_id);
    };
    expect((await read({ state: 'dead_letter' })).sort()).toEqual([kept, unknown].sort());
    expect(await read({ search: email.toUpperCase() })).toEqual([kept]);
    expect(await read({ provider: 'stripe' })).toEqual([]);
    expect(await read({})).toHaveLength(3);
    await server.admin('plan', 'set', 'admin-page-plan');
    const [event] = rowsOf(await support.expectOk('billingEvents', { query: { search: email } }), 'billing_events');
    expect(event).toMatchObject({ payload: { data: { email } } });
    const [seen] = rowsOf(await viewer.expectOk('billingEvents', { query: { search: email } }), 'billing_events');
    expect(seen).toStrictEqual({ ...event, payload: null });
    expect(await support.expectOk('retryBillingEvent', { at: [String(event?.id)] })).toMatchObject({
      state: 'applied',
    });
    expect(await auditActions(server, 'billing.retry')).toMatchObject([
      { actor: supportEmail, target: `billing_event ${kept}`, address: '127.0.0.1' },
    ]);
    expect(await read({ state: 'dead_letter' })).toEqual([unknown]);
    expect((await support.call('retryBillingEvent', { at: ['none'] })).body.code).toBe('NOT_FOUND');
  });

  it('can be dismissed once, as by command: they are ignored, lose their payload, and are not retried', async () => {
    const eventId = newEventId();
    const email = newEmail();
    await sendEvent(server, subscriptionEvent(server.now(), { email, plan: 'plan-of-nobody' }), { id: eventId });
    const find = async () =>
      rowsOf(await support.expectOk('billingEvents', { query: { search: email } }), 'billing_events')[0];
    const kept = await find();
    const at = [stringIn(kept ?? {}, 'id')];
    const refused = await viewer.call('dismissBillingEvent', { at });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(await find()).toStrictEqual(kept);
    const dismissed = { ...kept, state: 'ignored', payload: null };
    expect(await support.expectOk('dismissBillingEvent', { at })).toStrictEqual(dismissed);
    expect(await support.expectOk('dismissBillingEvent', { at }), 'again').toStrictEqual(dismissed);
    await server.admin('plan', 'set', 'plan-of-nobody');
    expect(await support.expectOk('retryBillingEvent', { at })).toStrictEqual(dismissed);
    expect(await find()).toStrictEqual(dismissed);
    expect(await auditActions(server, 'billing.dismiss')).toMatchObject([
      { actor: supportEmail, target: `billing_event ${eventId}`, address: '127.0.0.1' },
    ]);
    const unknown = await support.call('dismissBillingEvent', { at: ['none'] });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a search in a list of the admin page', () => {
  it('ignores spaces around its text, which are easily pasted with it', async () => {
    const { id } = await owner.expectOk('addWebhook', { body: { url: 'https://spaces.example/' } });
    const { email } = await subscriber(server);
    await sendEvent(server, subscriptionEvent(server.now(), { email }));
    const [delivery] = rowsOf(await viewer.expectOk('webhookDeliveries', { at: [String(id)] }), 'deliveries');
    const search = ` ${delivery?.event_id} `;
    const deliveries = await viewer.expectOk('webhookDeliveries', { at: [String(id)], query: { search } });
    expect(rowsOf(deliveries, 'deliveries')).toEqual([delivery]);
    for (const [list, field] of [
      ['billingEvents', 'billing_events'],
      ['audit', 'events'],
      ['accounts', 'accounts'],
    ] as const) {
      const found = await support.expectOk(list, { query: { search: `\t${email} ` } });
      expect([list, rowsOf(found, field).length > 0]).toEqual([list, true]);
    }
    await owner.expectOk('removeWebhook', { at: [String(id)] });
  });
});
