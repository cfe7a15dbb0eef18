/** A browser that signs staff in through an identity provider, with cookies of the server and the provider. */
import { expect } from 'vitest';
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import { readOutcome, type SingleSignOnOutcome } from '../../shared/api/admin/single-sign-on-outcome.ts';
import { fromPage } from './staff.ts';
import type { EndpointCall, TestResponse } from './test-client.ts';
import type { TestServer } from './test-server.ts';

type Jar = Map<string, string>;

export class SingleSignOnBrowser {
  readonly #server: Pick<TestServer, 'call' | 'request'>;
  /** Cookies of the server. */
  readonly cookies: Jar = new Map();
  readonly #providerCookies: Jar = new Map();

  constructor(server: Pick<TestServer, 'call' | 'request'>) {
    this.#server = server;
  }

  /** Calls an endpoint as the admin page does. */
  readonly call = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse> => {
    const headers = { ...fromPage, ...cookieHeader(this.cookies), ...options.headers };
    const response = await this.#server.call(name, { ...options, headers });
    keep(this.cookies, response.headers);
    return response;
  };

  readonly expectOk = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse['body']> => {
    const response = await this.call(name, options);
    expect(response.status, `${name}: ${response.text}`).toBe(200);
    return response.body;
  };

  /** Deletes the provider's cookies, so that another person can sign in there. */
  readonly leaveProvider = (): void => this.#providerCookies.clear();

  /** Starts a sign-in or confirmation; returns the provider's URL. */
  readonly start = async (name: 'startSingleSignOn' | 'confirmBySingleSignOn' = 'startSingleSignOn'): Promise<URL> =>
    new URL(String((await this.expectOk(name)).url));

  /** Signs in at the provider; returns the server's URL to which it sends the browser. */
  readonly visit = async (url: URL): Promise<URL> => {
    let next = url;
    while (next.origin === url.origin) {
      const response = await fetch(next, { redirect: 'manual', headers: cookieHeader(this.#providerCookies) });
      keep(this.#providerCookies, response.headers);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next.pathname} responded ${response.status}: ${await response.text()}`);
      next = new URL(location, next);
    }
    return next;
  };

  /**
   * Follows the provider's redirect to the server like a link on another site: without the `SameSite=Strict` session.
   */
  readonly return = async ({ pathname, search }: URL): Promise<SingleSignOnOutcome | undefined> => {
    const sent = new Map([...this.cookies].filter(([name]) => !name.endsWith('latchkey_staff')));
    const headers = { ...cookieHeader(sent), 'sec-fetch-site': 'cross-site' };
    const response = await this.#server.request('GET', `${pathname}${search}`, { headers });
    expect(response.status, response.text).toBe(303);
    keep(this.cookies, response.headers);
    const location = new URL(response.headers.get('location') ?? '', `http://localhost${pathname}`);
    expect(location.pathname).toBe('/admin');
    return readOutcome(location.hash);
  };

  /** Signs in, from the button on the page until the page is open again; returns the result. */
  readonly signIn = async (): Promise<SingleSignOnOutcome['result'] | undefined> =>
    (await this.return(await this.visit(await this.start())))?.result;

  readonly confirm = async (): Promise<SingleSignOnOutcome['result'] | undefined> =>
    (await this.return(await this.visit(await this.start('confirmBySingleSignOn'))))?.result;
}

function cookieHeader(jar: Jar): Readonly<Record<string, string>> {
  if (jar.size === 0) return {};
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
}

function keep(jar: Jar, headers: Headers): void {
  for (const header of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (/; Max-Age=0|; expires=Thu, 01 Jan 1970/i.test(header)) jar.delete(name);
    else jar.set(name, value);
  }
}
