/** The server of somebody else, to which a user may switch: it knows nobody, lets everybody sign in, and grants nothing. */
import { noFeatures } from '../../shared/seeded-features.ts';
import type { Answer, Request } from './simulated-server.ts';
import type { VirtualTime } from './virtual-time.ts';

export const otherAddress = 'https://licenses.elsewhere.example';

type Body = Readonly<Record<string, unknown>>;

export class OtherServer {
  /** All tokens that it has issued. */
  readonly tokens = new Set<string>();
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  readonly handle = ({ method, path, headers, body = '{}' }: Omit<Request, 'from'>): Answer => {
    const route = `${method} ${path.replace('/api/v1', '')}`;
    const given: Body = JSON.parse(body);
    if (route === 'POST /auth/login') return this.#signIn(String(given.email));
    if (route === 'POST /auth/refresh') {
      return this.tokens.has(String(given.refresh_token)) ? this.#reply(200, this.#issue()) : this.#refuse(401);
    }
    if (route === 'POST /auth/logout') return this.#reply(200, { success: true });
    const answer = this.#answers[route];
    if (answer === undefined) return this.#refuse(404);
    return this.tokens.has(headers.authorization?.replace('Bearer ', '') ?? '') ? answer() : this.#refuse(401);
  };

  readonly #answers: Readonly<Record<string, () => Answer>> = {
    'POST /heartbeat': () => this.#reply(200, { success: true, timestamp: this.#at(0) }),
    'POST /license/lease': () => this.#refuse(403),
    'GET /subscription/status': () => {
      const nothing = { has_subscription: false, subscription: null, license: null };
      return this.#reply(200, { ...nothing, features: noFeatures });
    },
  };

  #signIn(email: string): Answer {
    const user = { id: `elsewhere-${email}`, email, full_name: '' };
    return this.#reply(200, { ...this.#issue(), user });
  }

  #issue(): Body {
    const number = this.tokens.size;
    const [access_token, refresh_token] = [`elsewhere-access-${number}`, `v1.elsewhere-${number}`];
    this.tokens.add(access_token).add(refresh_token);
    return { access_token, refresh_token, expires_at: this.#at(3_600_000) };
  }

  #refuse(status: 401 | 403 | 404): Answer {
    const codes = { 401: 'INVALID_TOKEN', 403: 'LICENSE_INACTIVE', 404: 'NOT_FOUND' };
    return this.#reply(status, { error: 'This server does not know that.', code: codes[status] });
  }

  #reply(status: number, json: Body): Answer {
    const headers = { 'content-type': 'application/json', date: new Date(this.#time.nowMs).toUTCString() };
    return { status, headers, body: JSON.stringify(json) };
  }

  #at(afterMs: number): string {
    return new Date(this.#time.nowMs + afterMs).toISOString();
  }
}
