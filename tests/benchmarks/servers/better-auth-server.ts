/**
 * better-auth with its API-key plugin on SQLite: a route that verifies a key. Its command line names a folder, to which
 * it writes the keys, and the number of keys to create.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { type BetterSqliteModule, loadCompared } from './compared-packages.ts';
import { listen } from './listen.ts';

type Auth = {
  readonly options: object;
  readonly api: {
    signUpEmail(request: { body: object }): Promise<{ user: { id: string } }>;
    createApiKey(request: { body: object }): Promise<{ key: string }>;
    verifyApiKey(request: { body: object }): Promise<{ valid: boolean }>;
  };
};

type Migrations = { getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }> };

const [folder = '', count = ''] = process.argv.slice(2);
const { default: Database } = await loadCompared<BetterSqliteModule>('better-sqlite3');
const { betterAuth } = await loadCompared<{ betterAuth(options: object): Auth }>('better-auth');
const { apiKey } = await loadCompared<{ apiKey(options: object): object }>('@better-auth/api-key');
const { getMigrations } = await loadCompared<Migrations>('better-auth/db/migration');

const database = new Database(join(folder, 'auth.db'));
database.pragma('journal_mode = WAL');
const auth = betterAuth({
  database,
  secret: 'benchmark '.repeat(4),
  baseURL: 'http://127.0.0.1',
  emailAndPassword: { enabled: true },
  // It counts each use, like the service, and rejects none.
  plugins: [apiKey({ rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 100_000_000 } })],
  telemetry: { enabled: false },
  logger: { disabled: true },
});
await (await getMigrations(auth.options)).runMigrations();

const { user } = await auth.api.signUpEmail({
  body: { email: 'user@example.com', password: 'quiet harbour lantern 47', name: 'User' },
});
const keys: string[] = [];
for (let made = 0; made < Number(count); made++) {
  keys.push((await auth.api.createApiKey({ body: { userId: user.id, name: `key ${made}` } })).key);
}
writeFileSync(join(folder, 'keys'), keys.join('\n'));

const app = fastify();
app.post('/', async (request) => {
  const { api_key } = request.body as { api_key: string };
  const { valid } = await auth.api.verifyApiKey({ body: { key: api_key } });
  return { valid };
});
await listen(app);
