/**
 * Staff issue a license for an address with which somebody else has signed up. When that account changes its address,
 * the unused license belongs to the person who has its key, which was sent to the address; everything else is unchanged.
 */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import type { SmtpServer } from '../../harness/smtp-server.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { activate, goodPassword, issueLicense, newEmail, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase, listEntries } from '../audit/databases.ts';
import { newStripePurchase, providerSettings, sendAllToStripe, stripeEvents } from '../billing/provider-events.ts';

type SignedIn = Pick<User, 'token' | 'password'>;

async function signIn(server: TestServer, email: string): Promise<SignedIn> {
  const { body } = await server.call('login', { body: { email, password: goodPassword } });
  return { token: stringIn(body, 'access_token'), password: goodPassword };
}

function ask(server: TestServer, { token, password }: SignedIn, email: string) {
  return server.call('changeEmail', { token, body: { email, password } });
}

/** Opens the link that was mailed to the new address. */
async function confirm(server: TestServer, smtp: SmtpServer, email: string): Promise<void> {
  const mails = smtp.mails.filter(({ to, text }) => to === email && text.includes('/confirm#token='));
  const token = /\/confirm#token=([\w-]+)/.exec(mails.at(-1)?.text ?? '')?.[1];
  expect((await server.call('confirmEmail', { body: { token } })).status).toBe(200);
}

function replaceKey(server: TestServer, { token, password }: User) {
  return server.call('replaceLicenseKey', { token, body: { password } });
}

describeEachDatabase((database) => {
  it('a key that was issued for an address works for the person who receives it', async () => {
    const smtp = await startSmtpServer();
    const admin = await database.createAdmin();
    Object.assign(admin.settings, { LATCHKEY_SMTP_URL: smtp.url });
    const server = await startHttpServer(admin);
    const [squatter, other] = [await signUp(server), newEmail()];
    const { key, id } = await issueLicense(server, '--email', squatter.email);
    await ask(server, squatter, other);
    await smtp.waitFor(other);
    await confirm(server, smtp, other);
    expect((await replaceKey(server, squatter)).body).toMatchObject({ code: 'LICENSE_NOT_FOUND' });
    expect(await server.admin('license', 'list')).toMatchObject([{ id, email: null, status: 'active' }]);
    const owner = await signUp(server, squatter.email);
    expect((await activate(server, owner, key)).response.body).toMatchObject({ success: true });
    const entries = (await listEntries(admin)).filter(({ action }) => action === 'license.change');
    expect(entries).toMatchObject([{ actor: other, details: { account_id: null, account_id_before: squatter.id } }]);
  });
});

describe('changing the address of an account', () => {
  async function start() {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ ...providerSettings, LATCHKEY_BILLING_ISSUE: '1', LATCHKEY_SMTP_URL: smtp.url });
    /** Changes the address of the account and returns the emails of the owners of all licenses. */
    const changeEmail = async (user: SignedIn) => {
      const next = newEmail();
      await ask(app, user, next);
      await sendMails(app);
      await confirm(app, smtp, next);
      const licenses = (await app.admin('license', 'list')) as unknown as readonly { readonly email: string | null }[];
      return { next, owners: licenses.map(({ email }) => email) };
    };
    return { app, changeEmail };
  }

  it('leaves an unused license for the old address without an owner', async () => {
    const { app, changeEmail } = await start();
    const user = await signUp(app);
    await issueLicense(app, '--email', user.email);
    expect((await changeEmail(user)).owners).toEqual([null]);
  });

  it('keeps a license that was activated, even on a device that has since been released', async () => {
    const { app, changeEmail } = await start();
    const user = await signUp(app);
    const first = await issueLicense(app, '--email', user.email);
    const second = await issueLicense(app, '--email', user.email);
    await activate(app, user, first.key);
    const { deviceId } = await activate(app, user, second.key);
    await app.admin('license', 'release', second.id, deviceId);
    const { next, owners } = await changeEmail(user);
    expect(owners).toEqual([next, next]);
  });

  it('keeps a license that was bought or that depends on the subscription', async () => {
    const { app, changeEmail } = await start();
    const user = await signUp(app);
    const purchase = newStripePurchase(user.email);
    await app.database.write((transaction) => app.services.accounts.confirmEmail(transaction, user.id));
    await sendAllToStripe(app, [stripeEvents(purchase).subscription('created', app.now())]);
    await app.database.write(async (transaction) => {
      await transaction.updateTable('users').set({ email_confirmed_at_ms: null }).where('id', '=', user.id).execute();
      await transaction.updateTable('licenses').set({ with_subscription: 0 }).execute();
    });
    await issueLicense(app, '--email', user.email, '--with-subscription');
    const { next, owners } = await changeEmail(user);
    expect(owners).toEqual([next, next]);
  });

  it('keeps the licenses of an account whose address was confirmed, by an admin or by a link', async () => {
    const { app, changeEmail } = await start();
    const email = newEmail();
    await app.services.accounts.create({ email, full_name: '', password: goodPassword }, byCommand);
    await issueLicense(app, '--email', email);
    const first = await changeEmail(await signIn(app, email));
    expect(first.owners).toEqual([first.next]);
    const second = await changeEmail(await signIn(app, first.next));
    expect(second.owners).toEqual([second.next]);
  });
});
