/** The whole service on a SQLite file of its own, with a clock that the test moves; requests are injected. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { type Config, type Environment, readConfig } from '../../server/config.ts';
import type { Database } from '../../server/database/database.ts';
import { openSqlite } from '../../server/database/sqlite-database.ts';
import { systemRandom } from '../../server/random.ts';
import { openSecrets, type Secrets } from '../../server/secrets.ts';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

/** Every limit off: for tests in which the limit is not the subject. */
const limitsOff: Environment = {
  LATCHKEY_RATE_LOGIN: '0',
  LATCHKEY_RATE_SIGNUP: '0',
  LATCHKEY_RATE_LICENSE: '0',
  LATCHKEY_RATE_KEY_VALIDATE: '0',
  LATCHKEY_RATE_DEFAULT: '0',
};

/** Every limit at its default. */
export const limitsOn: Environment = Object.fromEntries(Object.keys(limitsOff).map((name) => [name, undefined]));

export type TestAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  /** The parsed JSON. */
  readonly body: Readonly<Record<string, unknown>>;
};

export type CallOptions = {
  /** Sent as JSON, a string as it is; nothing sends no body. */
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's address. */
  readonly from?: string;
};

export type SignedUp = {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
};

export type TestApp = {
  readonly app: FastifyInstance;
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: FakeClock;
  readonly folder: string;
  /** Calls a path below `/api/v1`. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, options?: CallOptions): Promise<TestAnswer>;
  /** Creates an account, with an email of its own where none is given, and signs in. */
  signUp(email?: string): Promise<SignedUp>;
  /** Everything that was logged so far, one JSON line each. */
  logText(): string;
  close(): Promise<void>;
};

/** Starts an app; `environment` has more settings, `clock` and `folder` continue where another app stopped. */
export async function startTestApp(
  environment: Environment = {},
  { clock = createFakeClock(), folder = mkdtempSync(join(tmpdir(), 'latchkey-server-')) } = {},
): Promise<TestApp> {
  const config = readConfig({ ...limitsOff, LATCHKEY_DATA: folder, ...environment });
  const log: string[] = [];
  const database = await openSqlite(config.databaseFile, clock);
  const secrets = await openSecrets(config.secretsFile, database, systemRandom);
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  const app = await buildApp({ config, database, secrets, clock, random: systemRandom, logger });
  const call: TestApp['call'] = async (method, path, options = {}) => {
    const response = await app.inject(toInjection(method, path, options));
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: isJson ? response.json() : {},
    };
  };
  let signedUp = 0;
  return {
    app,
    config,
    database,
    secrets,
    clock,
    folder,
    call,
    async signUp(email = `person-${++signedUp}@example.com`) {
      const password = 'violet tram at nine';
      const { body } = await call('POST', '/auth/signup', { body: { email, password } });
      const user = body.user as { id: string };
      return {
        id: user.id,
        email,
        password,
        accessToken: String(body.access_token),
        refreshToken: String(body.refresh_token),
      };
    },
    logText: () => log.join(''),
    async close() {
      await app.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toInjection(method: 'GET' | 'POST' | 'DELETE', path: string, options: CallOptions): InjectOptions {
  const { body, token, headers, from } = options;
  return {
    method,
    url: apiRoot + path,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(from === undefined ? {} : { remoteAddress: from }),
  };
}
