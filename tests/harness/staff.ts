/** Staff with a browser that has their session cookie and states where its requests come from. */
import { expect } from 'vitest';
import { byCommand } from '../../server/audit/audit-event.ts';
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import { createFirstLink } from '../../server/staff/staff-link.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { TestApp } from './start-app.ts';
import type { EndpointCall, TestResponse } from './test-client.ts';
import type { TestServer } from './test-server.ts';
import { goodPassword, newEmail } from './users.ts';

/** Header that a browser adds to requests of the page itself. */
export const fromPage = { 'sec-fetch-site': 'same-origin' } as const;

export class StaffBrowser {
  readonly #server: Pick<TestServer, 'call'>;
  /** The cookie as `name=value`, from the last response that set it; empty if it was removed. */
  cookie = '';

  constructor(server: Pick<TestServer, 'call'>) {
    this.#server = server;
  }

  /** Calls an endpoint as the page does. `headers` are added to, or replace, those of the page. */
  readonly call = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse> => {
    const headers = { ...fromPage, ...(this.cookie === '' ? {} : { cookie: this.cookie }), ...options.headers };
    const response = await this.#server.call(name, { ...options, headers });
    const setCookie = response.headers.getSetCookie().find((each) => each.includes('latchkey_staff='));
    if (setCookie !== undefined) this.cookie = setCookie.includes('Max-Age=0') ? '' : (setCookie.split(';')[0] ?? '');
    return response;
  };

  /** Makes a call that must succeed, and returns the response body. */
  readonly expectOk = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse['body']> => {
    const response = await this.call(name, options);
    expect(response.status, `${name}: ${response.text}`).toBe(200);
    return response.body;
  };

  readonly signIn = (email: string, password = goodPassword): Promise<TestResponse> =>
    this.call('staffSignIn', { body: { email, password } });
}

export type Staff = { readonly id: string; readonly email: string; readonly browser: StaffBrowser };

/** Creates an account as an admin, with a role, and signs it in to the admin page. */
export async function newStaff(server: TestApp, role: StaffRole, email = newEmail()): Promise<Staff> {
  const { id } = await server.services.accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
  await server.services.staffAdmin.add(email, role, byCommand);
  return { id, email, browser: await signInStaff(server, email) };
}

/** Adds a member with commands, who chooses `goodPassword` with the link; returns the email. */
export async function addStaffByLink(server: TestServer, role: StaffRole): Promise<string> {
  const email = newEmail();
  await server.admin('staff', 'add', email, '--role', role);
  const { url } = await server.admin('staff', 'link', email);
  const token = /token=([\w-]+)/.exec(String(url))?.[1] ?? '';
  await new StaffBrowser(server).expectOk('redeemWelcome', { body: { token, password: goodPassword } });
  return email;
}

/** Returns a browser that is signed in as this member. */
export async function signInStaff(server: Pick<TestServer, 'call'>, email: string): Promise<StaffBrowser> {
  const browser = new StaffBrowser(server);
  const response = await browser.signIn(email);
  expect(response.status, response.text).toBe(200);
  return browser;
}

/** Returns the token of a new link for the first administrator. */
export async function firstToken(server: TestApp): Promise<string> {
  const { database, clock } = server;
  const { systemRandom } = await import('../../server/system-random.ts');
  const link = await createFirstLink({ database, clock, random: systemRandom });
  return link?.token ?? '';
}

/** Returns audit log entries of an action. Those about refused requests are written within a second. */
export async function auditActions(server: TestApp, action: string): Promise<readonly object[]> {
  const { auditList } = server.services;
  const { rows } = await auditList.readPage({ action }, { limit: 200 });
  return rows;
}
