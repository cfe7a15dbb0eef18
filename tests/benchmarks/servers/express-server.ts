/**
 * The same service as tutorials write it: Express, better-sqlite3, jsonwebtoken and bcrypt, with queries in the
 * handlers and the default database options, which are durable. Its command line names a folder, to which it writes the
 * tokens, and the number of users to create.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deviceIdOf, emailOf, licenseKeyOf, seededPassword } from '../seed/seeded-accounts.ts';
import { type BetterSqliteModule, loadCompared } from './compared-packages.ts';

type Claims = { readonly userId: number };
type Request = {
  readonly headers: { readonly authorization?: string };
  readonly body: Record<string, string>;
  user?: Claims;
};
type Response = { status(code: number): Response; json(body: object): void };
type Handler = (request: Request, response: Response, next: () => void) => unknown;
type Express = {
  use(handler: Handler): void;
  get(path: string, ...handlers: Handler[]): void;
  post(path: string, ...handlers: Handler[]): void;
  listen(port: number, host: string, done: () => void): { address(): AddressInfo; close(): void };
};
type JsonWebToken = {
  sign(claims: object, secret: string, options: { expiresIn: string; jwtid?: string }): string;
  verify(token: string, secret: string): Claims;
};
type Bcrypt = {
  hash(password: string, rounds: number): Promise<string>;
  compare(password: string, hash: string): Promise<boolean>;
};

const { default: Database } = await loadCompared<BetterSqliteModule>('better-sqlite3');
const { default: jwt } = await loadCompared<{ default: JsonWebToken }>('jsonwebtoken');
const { default: bcrypt } = await loadCompared<{ default: Bcrypt }>('bcrypt');
const { default: express } = await loadCompared<{ default: (() => Express) & { json(): Handler } }>('express');

const [folder = '', count = ''] = process.argv.slice(2);
const accessSecret = randomUUID();
const refreshSecret = randomUUID();

const db = new Database(join(folder, 'app.db'));
db.exec(`
  create table users (id integer primary key, email text unique not null, password_hash text not null);
  create table subscriptions (user_id integer primary key, plan text not null, status text not null, ends_at text not null);
  create table licenses (id integer primary key, user_id integer unique not null, license_key text unique not null, status text not null, max_activations integer not null);
  create table activations (license_id integer not null, device_id text not null, primary key (license_id, device_id));
  create table devices (user_id integer not null, device_id text not null, last_seen text not null, primary key (user_id, device_id));
  create table refresh_tokens (token text primary key, user_id integer not null);
`);
await makeUsers(Number(count));

const app = express();
app.use(express.json());

app.post('/login', async (request, response) => {
  const { email, password = '' } = request.body;
  const user = db.prepare('select * from users where email = ?').get(email);
  if (!user || !(await bcrypt.compare(password, String(user.password_hash)))) {
    return response.status(401).json({ error: 'Invalid credentials' });
  }
  response.json(newTokens(Number(user.id)));
});

app.post('/refresh', (request, response) => {
  const { refresh_token = '' } = request.body;
  const known = db.prepare('select * from refresh_tokens where token = ?').get(refresh_token);
  if (!known) return response.status(401).json({ error: 'Invalid token' });
  const { userId } = jwt.verify(refresh_token, refreshSecret);
  db.prepare('delete from refresh_tokens where token = ?').run(refresh_token);
  response.json(newTokens(userId));
});

app.get('/status', authenticate, (request, response) => {
  const userId = request.user?.userId;
  const subscription = db.prepare('select * from subscriptions where user_id = ?').get(userId);
  const license = db.prepare('select * from licenses where user_id = ?').get(userId);
  response.json({ has_subscription: subscription !== undefined, subscription, license });
});

app.post('/license/validate', authenticate, (request, response) => {
  const { license_key, device_id } = request.body;
  const license = db
    .prepare('select * from licenses where license_key = ? and user_id = ?')
    .get(license_key, request.user?.userId);
  if (license?.status !== 'active') return response.json({ valid: false });
  const devices = db.prepare('select * from activations where license_id = ?').all(license.id);
  response.json({
    valid: true,
    activations: devices.length,
    max_activations: license.max_activations,
    already_activated_on_device: devices.some((device) => device.device_id === device_id),
  });
});

app.post('/heartbeat', authenticate, (request, response) => {
  db.prepare(
    'insert into devices values (?, ?, ?) on conflict (user_id, device_id) do update set last_seen = excluded.last_seen',
  ).run(request.user?.userId, request.body.device_id, new Date().toISOString());
  response.json({ success: true });
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
process.once('SIGTERM', () => process.exit(0));

function authenticate(request: Request, response: Response, next: () => void): void {
  const token = request.headers.authorization?.split(' ')[1];
  try {
    request.user = jwt.verify(token ?? '', accessSecret);
    next();
  } catch {
    response.status(401).json({ error: 'Invalid token' });
  }
}

function newTokens(userId: number) {
  const access_token = jwt.sign({ userId }, accessSecret, { expiresIn: '1h' });
  const refresh_token = jwt.sign({ userId }, refreshSecret, { expiresIn: '7d', jwtid: randomUUID() });
  db.prepare('insert into refresh_tokens values (?, ?)').run(refresh_token, userId);
  return { access_token, refresh_token };
}

async function makeUsers(users: number): Promise<void> {
  const passwordHash = await bcrypt.hash(seededPassword, 10);
  const lines: string[] = [];
  db.exec('begin');
  for (let number = 0; number < users; number++) {
    const id = number + 1;
    db.prepare('insert into users values (?, ?, ?)').run(id, emailOf(number), passwordHash);
    db.prepare('insert into subscriptions values (?, ?, ?, ?)').run(id, 'standard', 'active', '2100-01-01');
    db.prepare('insert into licenses values (?, ?, ?, ?, ?)').run(id, id, licenseKeyOf(number), 'active', 5);
    db.prepare('insert into activations values (?, ?)').run(id, deviceIdOf(number));
    const { access_token, refresh_token } = newTokens(id);
    lines.push(`${access_token}\t${refresh_token}`);
  }
  db.exec('commit');
  writeFileSync(join(folder, 'tokens'), lines.join('\n'));
}
