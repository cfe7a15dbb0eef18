/** Webhooks: an endpoint from its secret to its removal, and a billing event that is applied later. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { test as sampleTest } from './page-fixture.ts';
import { sampleWebhooks } from './sample-webhooks.ts';
import { expect, test } from './staff-fixture.ts';

const billingSecret = `whsec_${Buffer.from('a secret of 32 bytes for a spec!').toString('base64')}`;

test.use({ settings: { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1', LATCHKEY_BILLING_SECRET: billingSecret } });

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

/** Starts a receiver that responds 200 to every request. */
async function startReceiver() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/events`, received, stop: () => server.close() };
}

test('an endpoint is added, receives a signed event, receives it again, and is removed', async ({
  signedIn: page,
  server,
}) => {
  const receiver = await startReceiver();
  await page.goto(`${server.url}/admin#/webhooks`);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('hooks');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await expect(dialog.getByText('Enter a URL that begins with')).toBeVisible();
  await dialog.getByLabel('URL').fill('https://ada:secret@hooks.lab.example/');
  await expect(dialog.getByText('must not contain a user name or a password')).toBeVisible();
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('checkbox', { name: 'All events' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'License activated on a device' }).check();
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  const secret = await dialog.getByLabel('Signing secret').innerText();
  await page.keyboard.press('Escape');
  await expect(dialog.getByLabel('Signing secret')).toHaveText(secret);
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(secret)).toHaveCount(0);

  await server.seedUser('ada@lab.example');
  await page.getByRole('link', { name: receiver.url }).click();
  const deliveries = page.getByRole('list', { name: 'Deliveries' });
  await expect(deliveries.getByRole('listitem')).toHaveCount(1);
  await expect(deliveries.getByRole('listitem')).toContainText('Delivered');
  await deliveries.getByRole('button', { name: 'Replay' }).click();
  await expect(page.getByText('The event is sent again, with the same ID.')).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(2);
  const ids = receiver.received.map(({ headers, body }) => {
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'license.activated', data: { email: 'ada@lab.example' } });
    return headers['webhook-id'];
  });
  expect(ids[1]).toBe(ids[0]);
  await expect(deliveries.getByRole('listitem')).toContainText('Delivered');
  const record = page.getByRole('complementary', { name: 'Details' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    record.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain('license.activated');
  await record.getByLabel('Status').selectOption('failed');
  await expect(record.getByText('Nothing found')).toBeVisible();

  await page.getByRole('button', { name: 'Remove' }).click();
  const confirm = page.getByRole('alertdialog');
  await expect(confirm.getByRole('button', { name: 'Remove' })).toBeDisabled();
  await confirm.getByLabel(`Type ${receiver.host} to confirm`).fill(receiver.host);
  await confirm.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No endpoints yet')).toBeVisible();
  expect(await server.admin(['webhook', 'list'])).toEqual([]);
  receiver.stop();
});

test('deliveries can be filtered by event and status, and searched by event ID; the address keeps this, and columns can be chosen', async ({
  signedIn: page,
  server,
}) => {
  const receiver = await startReceiver();
  await server.admin(['webhook', 'add', receiver.url]);
  await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/webhooks`);
  await page.getByRole('link', { name: receiver.url }).click();
  const record = page.getByRole('complementary', { name: 'Details' });
  const items = record.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
  const activated = items.filter({ hasText: 'license.activated' });
  await expect(activated).toContainText('Delivered');
  await record.getByLabel('Event', { exact: true }).selectOption('Subscription changed');
  await expect(activated).toHaveCount(0);
  await record.getByLabel('Event', { exact: true }).selectOption('License activated on a device');
  await record.getByLabel('Status').selectOption('Delivered');
  await expect(items).toHaveCount(1);
  await record.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Event ID' }).check();
  await page.getByRole('checkbox', { name: 'Attempts' }).uncheck();
  await page.keyboard.press('Escape');
  // Events that are due at the same time are sent at the same time, so they may arrive in any order.
  const sent = receiver.received.find(({ body }) => JSON.parse(body).type === 'license.activated');
  const id = String(sent?.headers['webhook-id']);
  await expect(items).toContainText(id);
  await expect(items).not.toContainText('1 attempt');
  await record.getByLabel('Event ID').fill(id);
  await expect(page).toHaveURL(new RegExp(`type=license\\.activated&state=delivered&event=${id}$`));
  await page.reload();
  await expect(items).toHaveCount(1);
  await expect(record.getByLabel('Event ID')).toHaveValue(id);
  await expect(record.getByRole('link', { name: 'CSV', exact: true })).toHaveAttribute(
    'href',
    new RegExp(`search=${id}`),
  );
  await record.getByLabel('Event ID').fill('no-such-event');
  await record.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(activated).toHaveCount(1);
  await expect(page).toHaveURL(/#\/webhooks\?open=[\w-]+$/);
  await expect(page.getByRole('table', { name: 'Webhooks' }).getByRole('link')).toHaveCount(1);
  receiver.stop();
});

test('endpoints can be searched by host, filtered, and saved as a CSV file', async ({ signedIn: page, server }) => {
  for (const host of ['hooks.lab.example', 'tickets.lab.example']) {
    await server.admin(['webhook', 'add', `https://${host}/a-secret-path`]);
  }
  await page.goto(`${server.url}/admin#/webhooks`);
  const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('link');
  await expect(rows).toHaveCount(2);
  await page.getByLabel('Search').fill('https://tickets.lab.example/a-secret-path');
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/#\/webhooks\?search=tickets\.lab\.example$/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('tickets.lab.example');
  await page.getByLabel('Status').selectOption('disabled');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Waiting' }).uncheck();
  await expect(page.getByRole('columnheader', { name: 'Waiting' })).toHaveCount(0);
});

test('a billing event that could not be applied is applied once its plan exists', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  await sendBillingEvent(server.url);
  await page.goto(`${server.url}/admin#/webhooks`);
  await page.getByRole('link', { name: 'Billing events' }).click();
  const rows = page.getByRole('table', { name: 'Billing events' }).getByRole('link');
  await page.getByLabel('Status').selectOption('Not applied');
  await page.getByLabel('Search').fill('ada@');
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/billing-events\?state=dead_letter&search=ada%40$/);
  await rows.click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record).toContainText('"plan": "campus"');
  await record.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('The event still cannot be applied.')).toBeVisible();
  await server.admin(['plan', 'set', 'campus']);
  await record.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('The event was applied.')).toBeVisible();
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByLabel('Status').selectOption('Applied');
  await expect(rows).toHaveCount(1);
  expect(await server.admin(['user', 'show', 'ada@lab.example'])).toMatchObject({ subscription: { plan: 'campus' } });
});

test('a billing event that could not be applied is dismissed after a confirmation that explains the effect', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  await sendBillingEvent(server.url);
  await page.goto(`${server.url}/admin#/webhooks/billing-events`);
  await page.getByRole('link', { name: 'ada@lab.example' }).click();
  const event = page.getByRole('complementary', { name: 'Details' });
  await event.getByRole('button', { name: 'Dismiss' }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Dismiss this event?' });
  await expect(dialog).toContainText('subscription.updated for ada@lab.example is ignored for good');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(event.getByRole('button', { name: 'Dismiss' })).toBeFocused();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await expect(page.getByText('The event was dismissed.')).toBeVisible();
  await expect(event.getByText('Ignored')).toBeVisible();
  await expect(event.getByRole('button', { name: 'Retry' })).toHaveCount(0);
  expect(await server.admin(['billing', 'list'])).toMatchObject([{ state: 'ignored', payload: null }]);
});

async function sendBillingEvent(url: string): Promise<void> {
  const now = new Date();
  const body = JSON.stringify({
    type: 'subscription.updated',
    timestamp: now.toISOString(),
    data: {
      email: 'ada@lab.example',
      plan: 'campus',
      status: 'active',
      current_period_start: '2026-01-01T00:00:00.000Z',
      current_period_end: '2126-01-01T00:00:00.000Z',
      cancel_at_period_end: false,
    },
  });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'msg_campus',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(billingSecret).sign('msg_campus', now, body),
  };
  const response = await fetch(`${url}/api/v1/billing/webhook`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
}

sampleTest('a delivery names the account that its event is about, and links to it', async ({ page, open }) => {
  const webhooks = sampleWebhooks();
  await open({ hash: `#/webhooks?open=${webhooks.webhooks[0]?.id}&state=failed` });
  const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first();
  await delivery.getByRole('link', { name: 'ada-0@lab.example' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible();
});
