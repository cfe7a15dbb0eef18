/** Passkeys of staff: adding, using to sign in and to confirm, and removing them; and everything that is rejected. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { attestAsAndroid } from '../../harness/android-attestation.ts';
import { Authenticator } from '../../harness/authenticator.ts';
import { hasOpenssl } from '../../harness/certificate-authority.ts';
import { limitsOn } from '../../harness/environment.ts';
import { minute } from '../../harness/fake-clock.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { auditActions, newStaff, StaffBrowser } from '../../harness/staff.ts';
import { sharedApp, startApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { goodPassword } from '../../harness/users.ts';

const host = 'licenses.example.com';
const origin = `https://${host}`;
const server = sharedApp({ LATCHKEY_PUBLIC_URL: origin });

type Options = Readonly<Record<string, unknown>>;

const optionsOf = async (
  browser: StaffBrowser,
  name: 'addPasskeyOptions' | 'staffPasskeyOptions' | 'staffConfirmPasskeyOptions',
) => (await browser.expectOk(name)).options as Options;

async function addPasskey(browser: StaffBrowser, authenticator = new Authenticator({ origin })) {
  const credential = authenticator.register(await optionsOf(browser, 'addPasskeyOptions'));
  const response = await browser.call('addPasskey', { body: { name: 'Laptop', credential } });
  return { authenticator, credential, response };
}

async function member(app: TestApp = server) {
  const staff = await newStaff(app, 'viewer');
  const { authenticator, response } = await addPasskey(staff.browser);
  expect(response.status, response.text).toBe(200);
  return { ...staff, authenticator };
}

const signIn = (browser: StaffBrowser, credential: object) =>
  browser.call('staffPasskeySignIn', { body: { credential } });

describe('a passkey', () => {
  it('is added with a name, and appears in the list of its member', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const { authenticator, response } = await addPasskey(browser);
    const passkey = { id: authenticator.id, name: 'Laptop', created_at: timestamp, last_used_at: null };
    expect(response.body).toStrictEqual(passkey);
    expect(await browser.expectOk('passkeys')).toStrictEqual({ passkeys: [passkey] });
    expect(await browser.expectOk('staffSession')).toMatchObject({ passkeys: 1, can_use_passkeys: true });
  });

  it('cannot have a name that PostgreSQL is unable to store', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const credential = new Authenticator({ origin }).register(await optionsOf(browser, 'addPasskeyOptions'));
    for (const name of ['a\0b', '\ud800']) {
      const { status, body } = await browser.call('addPasskey', { body: { name, credential } });
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('cannot have a name that adds lines to mails containing it', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const credential = new Authenticator({ origin }).register(await optionsOf(browser, 'addPasskeyOptions'));
    for (const name of ['Laptop” was removed.\n\nAll is well.', 'a\r', 'a\u2028b', 'a\u202eb']) {
      const { status, body } = await browser.call('addPasskey', { body: { name, credential } });
      expect([status, body.code], JSON.stringify(name)).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('cannot have an id longer than browsers create, which would not fit into an index of PostgreSQL', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const { response } = await addPasskey(browser, new Authenticator({ origin, idBytes: 1023 }));
    expect(response.status, response.text).toBe(200);
    const { response: refused } = await addPasskey(browser, new Authenticator({ origin, idBytes: 1024 }));
    expect([refused.status, refused.body]).toEqual([400, envelope('VALIDATION_ERROR')]);
  });

  it.skipIf(!hasOpenssl)('cannot make the server send a request to an address in its certificate', async () => {
    const requests: unknown[] = [];
    const inside = createServer((request, response) => {
      requests.push(request.url);
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void inside.close());
    await once(inside, 'listening');
    const revocationList = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/list`;
    const { browser } = await newStaff(server, 'viewer');
    const options = await optionsOf(browser, 'addPasskeyOptions');
    const credential = new Authenticator({ origin }).register(options, (key, clientDataHash) =>
      attestAsAndroid({ key, clientDataHash, revocationList, folder: temporaryFolder() }),
    );
    const { status } = await browser.call('addPasskey', { body: { credential } });
    expect({ requests, status }).toEqual({ requests: [], status: 200 });
  });

  it('is not added in a session that a new password has just ended', async () => {
    const { id, email, browser } = await newStaff(server, 'owner');
    const credential = new Authenticator({ origin }).register(await optionsOf(browser, 'addPasskeyOptions'));
    const write = vi.spyOn(server.database, 'write');
    onTestFinished(() => write.mockRestore());
    write.mockImplementationOnce(async (work) => {
      await server.services.passwords.set(email, 'another quiet lantern 12', byCommand);
      return server.database.write(work);
    });
    const { status, body } = await browser.call('addPasskey', { body: { credential } });
    expect([status, body]).toEqual([401, envelope('INVALID_TOKEN')]);
    expect(await server.services.passkeys.list(id)).toStrictEqual([]);
  });

  it('is made with an algorithm that Node does not call experimental, and found without an email address', async () => {
    const { browser } = await newStaff(server, 'viewer');
    expect(await optionsOf(browser, 'addPasskeyOptions')).toMatchObject({
      rp: { id: host },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
  });

  it('signs in without an email address, which is recorded', async () => {
    const { email, authenticator } = await member();
    const browser = new StaffBrowser(server);
    const credential = authenticator.authenticate(await optionsOf(browser, 'staffPasskeyOptions'));
    expect((await signIn(browser, credential)).body).toMatchObject({ staff: { email, role: 'viewer' } });
    expect(await browser.expectOk('staffSession')).toMatchObject({ confirmed_until: timestamp });
    const { rows } = await server.services.auditList.readPage({ action: 'staff.sign_in', actor: email }, { limit: 1 });
    expect(rows[0]?.details).toStrictEqual({ method: 'passkey' });
  });

  it('makes the network of a sign-in known, from which a flood of wrong passwords does not keep the member', async () => {
    const own = await startTestApp({ ...limitsOn, LATCHKEY_PUBLIC_URL: origin });
    const { email, authenticator } = await member(own);
    const browser = new StaffBrowser(own);
    const credential = authenticator.authenticate(await optionsOf(browser, 'staffPasskeyOptions'));
    const from = '10.1.2.3';
    expect((await browser.call('staffPasskeySignIn', { body: { credential }, from })).status).toBe(200);
    const logIn = (address: string, password: string) =>
      own.call('login', { body: { email, password }, from: address });
    for (let index = 0; index < 22; index++) await logIn(`10.9.${index}.1`, 'not the password');
    expect((await logIn('10.8.0.1', goodPassword)).status).toBe(429);
    expect((await logIn(from, goodPassword)).status).toBe(200);
  });

  it('confirms actions that cannot be undone, and the cookie changes', async () => {
    const { browser, authenticator, email } = await member();
    server.clock.advance(5 * minute);
    expect((await browser.call('addPasskeyOptions')).body).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
    const before = browser.cookie;
    const options = await optionsOf(browser, 'staffConfirmPasskeyOptions');
    expect(options.allowCredentials).toStrictEqual([
      { id: authenticator.id, transports: ['internal'], type: 'public-key' },
    ]);
    const credential = authenticator.authenticate(options);
    await browser.expectOk('staffConfirmPasskey', { body: { credential } });
    expect(browser.cookie).not.toBe(before);
    const { rows } = await server.services.auditList.readPage({ action: 'staff.confirm', actor: email }, { limit: 5 });
    expect(rows.map(({ details }) => details)).toStrictEqual([{ method: 'passkey' }]);
    expect((await browser.call('addPasskeyOptions')).status).toBe(200);
  });

  it('no longer works once it is removed', async () => {
    const { browser, authenticator } = await member();
    await browser.expectOk('removePasskey', { at: authenticator.id });
    expect(await browser.expectOk('passkeys')).toStrictEqual({ passkeys: [] });
    const other = new StaffBrowser(server);
    const credential = authenticator.authenticate(await optionsOf(other, 'staffPasskeyOptions'));
    expect((await signIn(other, credential)).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await browser.call('removePasskey', { at: authenticator.id })).status).toBe(404);
  });

  it('ends the sessions of its member when it is removed, except the session that removes it', async () => {
    const { browser, authenticator } = await member();
    const other = new StaffBrowser(server);
    const credential = authenticator.authenticate(await optionsOf(other, 'staffPasskeyOptions'));
    expect((await signIn(other, credential)).status).toBe(200);
    await browser.expectOk('removePasskey', { at: authenticator.id });
    expect((await other.call('staffSession')).status).toBe(401);
    expect((await browser.call('staffSession')).status).toBe(200);

    const [owner, someone] = [await newStaff(server, 'owner'), await member()];
    await owner.browser.expectOk('removePasskey', { at: someone.authenticator.id });
    expect((await someone.browser.call('staffSession')).status).toBe(401);
    expect((await owner.browser.call('staffSession')).status).toBe(200);
  });

  it('signs nobody in if it is removed while its assertion is verified', async () => {
    const { browser, authenticator } = await member();
    const other = new StaffBrowser(server);
    const credential = authenticator.authenticate(await optionsOf(other, 'staffPasskeyOptions'));
    const write = vi.spyOn(server.database, 'write');
    onTestFinished(() => write.mockRestore());
    write.mockImplementationOnce(async (work) => {
      await browser.expectOk('removePasskey', { at: authenticator.id });
      return server.database.write(work);
    });
    expect((await signIn(other, credential)).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await other.call('staffSession')).status).toBe(401);
  });

  it('of another member can be listed and removed by an owner only', async () => {
    const [owner, viewer, other] = [await newStaff(server, 'owner'), await member(), await member()];
    const list = { at: other.id };
    expect((await viewer.browser.call('memberPasskeys', list)).body).toStrictEqual(envelope('FORBIDDEN'));
    expect((await viewer.browser.call('removePasskey', { at: other.authenticator.id })).status).toBe(404);
    const { passkeys } = await owner.browser.expectOk('memberPasskeys', list);
    expect(passkeys).toStrictEqual((await other.browser.expectOk('passkeys')).passkeys);
    await owner.browser.expectOk('removePasskey', { at: other.authenticator.id });
    expect(await owner.browser.expectOk('memberPasskeys', list)).toStrictEqual({ passkeys: [] });
    const { rows } = await server.services.auditList.readPage({ action: 'staff.passkey_remove' }, { limit: 1 });
    expect(rows[0]).toMatchObject({ actor: owner.email, target: `account ${other.email}` });
    expect((await owner.browser.call('memberPasskeys', { at: 'nobody' })).body).toStrictEqual(envelope('NOT_FOUND'));
  });

  it('of another member is not removed by an owner who has just lost the role', async () => {
    const [owner, other] = [await newStaff(server, 'owner'), await member()];
    await newStaff(server, 'owner');
    const write = vi.spyOn(server.database, 'write');
    onTestFinished(() => write.mockRestore());
    write.mockImplementationOnce(async (work) => {
      await server.services.staffAdmin.setRole(owner.id, 'support', byCommand);
      return server.database.write(work);
    });
    const { body } = await owner.browser.call('removePasskey', { at: other.authenticator.id });
    expect(body).toStrictEqual(envelope('FORBIDDEN'));
    expect((await other.browser.expectOk('passkeys')).passkeys).toHaveLength(1);
  });

  it('of another member can neither be removed nor used to confirm', async () => {
    const [one, other] = [await member(), await member()];
    expect((await one.browser.call('removePasskey', { at: other.authenticator.id })).status).toBe(404);
    const options = await optionsOf(one.browser, 'staffConfirmPasskeyOptions');
    const credential = other.authenticator.authenticate(options);
    const { body } = await one.browser.call('staffConfirmPasskey', { body: { credential } });
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    const refusals = async () => {
      const filter = { action: 'staff.sign_in_refused', actor: one.email };
      return (await server.services.auditList.readPage(filter, { limit: 5 })).rows.map(({ details }) => details);
    };
    await expect.poll(refusals).toStrictEqual([{ reason: 'passkey not accepted' }]);
  });

  it('can only be added once', async () => {
    const { browser, authenticator } = await member();
    const { response } = await addPasskey(browser, authenticator);
    expect(response.body).toStrictEqual(envelope('CONFLICT'));
  });
});

describe('an assertion', () => {
  const refused = async (credential: object) => {
    const { status, body } = await signIn(new StaffBrowser(server), credential);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  };
  const options = () => optionsOf(new StaffBrowser(server), 'staffPasskeyOptions');

  it('is accepted only once', async () => {
    const { authenticator } = await member();
    const credential = authenticator.authenticate(await options());
    expect((await signIn(new StaffBrowser(server), credential)).status).toBe(200);
    await refused(credential);
  });

  it('is accepted only once, even when sent several times at once', async () => {
    const { authenticator } = await member();
    const credential = authenticator.authenticate(await options());
    const responses = await Promise.all([1, 2, 3].map(() => signIn(new StaffBrowser(server), credential)));
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 401, 401]);
  });

  it('that is refused is in the audit log, even if another request has used it at the same time', async () => {
    const app = await startTestApp({ LATCHKEY_PUBLIC_URL: origin });
    const { authenticator } = await member(app);
    const credential = authenticator.authenticate(await optionsOf(new StaffBrowser(app), 'staffPasskeyOptions'));
    await Promise.all([1, 2, 3].map(() => signIn(new StaffBrowser(app), credential)));
    await expect
      .poll(() => auditActions(app, 'staff.sign_in_refused'))
      .toMatchObject([{ actor: 'anonymous', details: { reason: 'passkey not accepted', count: 2 } }]);
  });

  it('is refused after five minutes', async () => {
    const { authenticator } = await member();
    const credential = authenticator.authenticate(await options());
    server.clock.advance(5 * minute);
    await refused(credential);
  });

  it('to a challenge for another purpose, of another server or made up is refused', async () => {
    const { browser, authenticator } = await member();
    await refused(authenticator.authenticate(await optionsOf(browser, 'staffConfirmPasskeyOptions')));
    const other = await startTestApp({ LATCHKEY_PUBLIC_URL: origin });
    await refused(authenticator.authenticate(await optionsOf(new StaffBrowser(other), 'staffPasskeyOptions')));
    await refused(authenticator.authenticate({ challenge: 'AAAA', rpId: host }));
    await refused(authenticator.authenticate({ challenge: '', rpId: host }));
  });

  it('from another page or for another host is refused', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const phished = new Authenticator({ origin: 'https://licenses.example.org' });
    expect((await addPasskey(browser, phished)).response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
    const { authenticator } = await member();
    await refused(authenticator.authenticate({ ...(await options()), rpId: 'example.com' }));
  });

  it('without user verification is refused', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const unverified = new Authenticator({ origin, isVerified: false });
    expect((await addPasskey(browser, unverified)).response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('from a cloned authenticator, whose counter went back, is refused', async () => {
    const { authenticator } = await member();
    for (let use = 0; use < 2; use++) {
      const credential = authenticator.authenticate(await options());
      expect((await signIn(new StaffBrowser(server), credential)).status).toBe(200);
    }
    authenticator.resetCounter();
    await refused(authenticator.authenticate(await options()));
  });

  it('with the signature of another key is refused', async () => {
    const { authenticator } = await member();
    const credential = authenticator.authenticate(await options());
    const forged = new Authenticator({ origin }).authenticate(await options());
    const { response } = forged as { response: { signature: string } };
    await refused({ ...credential, response: { ...credential.response, signature: response.signature } });
  });
});

describe('a passkey without LATCHKEY_PUBLIC_URL', () => {
  const home = 'http://localhost:8470';
  const elsewhere = 'http://localhost:9999';
  const open = sharedApp();
  const at = (page: string) => ({ host: page.replace('http://', '') });

  /** Adds a passkey on the page at home; returns the member with the authenticator that holds it. */
  async function memberAtHome() {
    const staff = await newStaff(open, 'viewer');
    const headers = at(home);
    const authenticator = new Authenticator({ origin: home });
    const { options } = await staff.browser.expectOk('addPasskeyOptions', { headers });
    const credential = authenticator.register(options as Options);
    await staff.browser.expectOk('addPasskey', { body: { name: 'Laptop', credential }, headers });
    return { ...staff, authenticator };
  }

  /** Signs in with the passkey, with a challenge that is requested and answered under the Host of `page`. */
  async function signInAt(page: string, authenticator: Authenticator) {
    const browser = new StaffBrowser(open);
    const { options } = await browser.expectOk('staffPasskeyOptions', { headers: at(page) });
    const credential = authenticator.authenticate(options as Options);
    return browser.call('staffPasskeySignIn', { body: { credential }, headers: at(page) });
  }

  it('signs in on the page where it was added', async () => {
    const { authenticator, email } = await memberAtHome();
    expect((await signInAt(home, authenticator)).body).toMatchObject({ staff: { email } });
  });

  it('is refused on a page at another port of the same machine, even if that page sends its own Host', async () => {
    const { authenticator } = await memberAtHome();
    for (const page of [elsewhere, home]) {
      const response = await signInAt(page, authenticator.onPage(elsewhere));
      expect([page, response.status, response.body]).toStrictEqual([page, 401, envelope('INVALID_CREDENTIALS')]);
    }
  });

  it('is refused under a Host other than the one where it was added', async () => {
    const { authenticator } = await memberAtHome();
    const response = await signInAt(elsewhere, authenticator);
    expect([response.status, response.body]).toStrictEqual([401, envelope('INVALID_CREDENTIALS')]);
    expect(response.body.error).toContain(home);
  });

  it('cannot be used to confirm elsewhere, and is not offered there', async () => {
    const { browser, authenticator } = await memberAtHome();
    const { options } = await browser.expectOk('staffConfirmPasskeyOptions', { headers: at(elsewhere) });
    expect(options).not.toMatchObject({ allowCredentials: [{ id: authenticator.id }] });
    const credential = authenticator.onPage(elsewhere).authenticate(options as Options);
    const { body } = await browser.call('staffConfirmPasskey', { body: { credential }, headers: at(elsewhere) });
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });

  it('belongs to the address in LATCHKEY_PUBLIC_URL once that is set, whatever the Host is', async () => {
    const { authenticator, email } = await memberAtHome();
    const settings = { LATCHKEY_PUBLIC_URL: 'https://localhost:8443' };
    const { clock, dataFolder } = open;
    const behindProxy = await startApp(settings, { clock, dataFolder });
    onTestFinished(() => behindProxy.stop());
    const browser = new StaffBrowser(behindProxy);
    const { options } = await browser.expectOk('staffPasskeyOptions');
    const credential = authenticator.onPage('https://localhost:8443').authenticate(options as Options);
    const { body } = await browser.call('staffPasskeySignIn', { body: { credential }, headers: at(home) });
    expect(body).toMatchObject({ staff: { email } });
    const stale = authenticator
      .onPage(home)
      .authenticate((await browser.expectOk('staffPasskeyOptions')).options as Options);
    expect((await signIn(browser, stale)).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });
});

describe('a new passkey', () => {
  it('for the challenge of another session is refused', async () => {
    const [one, other] = [await newStaff(server, 'viewer'), await newStaff(server, 'viewer')];
    const credential = new Authenticator({ origin }).register(await optionsOf(one.browser, 'addPasskeyOptions'));
    const { body } = await other.browser.call('addPasskey', { body: { name: '', credential } });
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('cannot be added under an address without a host name', async () => {
    const own = await startTestApp();
    const { browser } = await newStaff(own, 'viewer');
    const headers = { host: '192.0.2.1:8470' };
    expect((await browser.expectOk('staffSession', { headers })).can_use_passkeys).toBe(false);
    expect((await browser.call('addPasskeyOptions', { headers })).body).toStrictEqual(envelope('FORBIDDEN'));
    const local = { host: 'localhost:8470' };
    expect((await browser.expectOk('staffSession', { headers: local })).can_use_passkeys).toBe(true);
    const { options } = await browser.expectOk('addPasskeyOptions', { headers: local });
    expect(options).toMatchObject({ rp: { id: 'localhost' } });
  });
});
