/** The real server on a real SQLite file in virtual time: requests are injected, mails and events are collected. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { PasswordHasher } from '../../server/accounts/password-hasher.ts';
import { buildApp } from '../../server/app.ts';
import { type CheckReport, checkDatabase } from '../../server/backup/check-database.ts';
import type { Clock } from '../../server/clock.ts';
import type { Database } from '../../server/database/database.ts';
import { openSqlite } from '../../server/database/sqlite-database.ts';
import type { Message } from '../../server/mail/mail.ts';
import { openSecrets } from '../../server/secrets/secrets.ts';
import { createServices, type Services } from '../../server/services.ts';
import { readConfig } from '../../server/settings/config.ts';
import { runCommandHere } from '../harness/admin.ts';
import { runAdmin } from '../harness/run-admin.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import type { Json } from '../harness/test-server.ts';
import type { SeededRandom } from './seeded-random.ts';
import { ProcessTimers, type VirtualTime } from './virtual-time.ts';

export const serverAddress = 'http://127.0.0.1:8470';
export const billingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const eventReceiver = 'http://127.0.0.1:9/events';

/** Jobs that run every second run only every 20 seconds, see `ProcessTimers`. */
const jobStretch = 20;

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Request = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The address of the client. */
  readonly from: string;
};

export type ReceivedEvent = { readonly id: string; readonly type: string; readonly data: Json };

type Process = {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly services: Services;
  readonly timers: ProcessTimers;
  /** Resolves when the process is killed, so that waiting clients get no response. */
  readonly killed: PromiseWithResolvers<undefined>;
};

export class SimulatedServer {
  readonly folder = makeTemporaryFolder();
  readonly log: string[] = [];
  readonly mails: Message[] = [];
  readonly events: ReceivedEvent[] = [];
  /** True if the receiver of events responds. */
  isReceiverUp = true;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #clock: Clock = { now: () => this.#time.nowMs, monotonic: () => this.#time.nowMs };
  readonly #config = readConfig({
    LATCHKEY_DATA: this.folder,
    LATCHKEY_PORT: '0',
    LATCHKEY_PUBLIC_URL: serverAddress,
    LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
    LATCHKEY_MAIL_FROM: 'licenses@example.org',
    LATCHKEY_BILLING_SECRET: billingSecret,
    LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1',
  });
  #backups = 0;
  #process: Process | undefined;
  #kill: { readonly path: string; readonly turns: number } | undefined;

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** The services of the running process. */
  get services(): Services {
    return this.#running.services;
  }

  get database(): Database {
    return this.#running.database;
  }

  async start(): Promise<void> {
    await this.#time.track(this.#start());
  }

  /** Ends the process without notice: nothing is flushed, and waiting clients get no response. */
  async kill(): Promise<void> {
    const process = this.#running;
    const files = this.#keepFiles();
    this.#process = undefined;
    this.#kill = undefined;
    process.timers.kill();
    process.killed.resolve(undefined);
    process.app.server.close();
    // What the killed process would still have done affects files that are then discarded.
    await this.#time.track(process.database.close());
    files.putBack();
  }

  /**
   * Kills the process that many turns of the event loop after the next request for the path has arrived, that is,
   * during its work, for example between the commit and the response.
   */
  killDuring(path: string, turns: number): void {
    this.#kill = { path, turns };
  }

  remove(): void {
    removeFolder(this.folder);
  }

  /** Returns the response to one request, or `undefined` while the server is down. */
  async handle({ method, path, headers, body, from }: Request): Promise<Answer | undefined> {
    if (!this.#process) return undefined;
    const { app, killed } = this.#process;
    const answering = app.inject({
      method: method as 'GET',
      url: path,
      headers: { ...headers, host: '127.0.0.1:8470' },
      remoteAddress: from,
      ...(body === undefined ? {} : { payload: body }),
    });
    if (path === this.#kill?.path) void this.#time.track(this.#killAfter(this.#kill.turns));
    const response = await this.#time.track(Promise.race([answering, killed.promise]));
    if (!response) return undefined;
    const answerHeaders = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    // Node's own header has the real time.
    const date = new Date(this.#time.nowMs).toUTCString();
    return {
      status: response.statusCode,
      headers: { ...Object.fromEntries(answerHeaders), date },
      body: response.body,
    };
  }

  /** Runs an admin command in the server's process. */
  admin(...words: string[]): Promise<Json> {
    return this.#time.track(runAdmin(words, this.services, this.folder));
  }

  /** Writes a backup while the server runs. */
  async backUp(): Promise<string> {
    const file = join(this.folder, `backup-${this.#backups++}.tar`);
    await this.admin('backup', file);
    return file;
  }

  /** Restores a backup while the server is stopped. */
  async restore(file: string): Promise<void> {
    const settings = { LATCHKEY_DATA: this.folder };
    const { code, stderr } = await this.#time.track(runCommandHere(['restore', file], { settings }));
    if (code !== 0) throw new Error(`the restore failed: ${stderr}`);
  }

  /** Returns what `admin check` finds. */
  check(): Promise<CheckReport> {
    return this.#time.track(checkDatabase({ config: this.#config, clock: this.#clock }));
  }

  get #running(): Process {
    if (!this.#process) throw new Error('the server is down');
    return this.#process;
  }

  async #killAfter(turns: number): Promise<void> {
    this.#kill = undefined;
    for (let count = 0; count < turns; count++) await turn();
    await this.kill();
  }

  /** Saves the current files, since a killed process writes nothing more. */
  #keepFiles(): { putBack(): void } {
    const copies = join(this.folder, 'at-the-kill');
    const list = () =>
      readdirSync(this.folder, { withFileTypes: true }).filter(
        (entry) => entry.isFile() && !entry.name.endsWith('.tar'),
      );
    mkdirSync(copies);
    for (const { name } of list()) copyFileSync(join(this.folder, name), join(copies, name));
    return {
      putBack: () => {
        for (const { name } of list()) rmSync(join(this.folder, name));
        for (const name of readdirSync(copies)) copyFileSync(join(copies, name), join(this.folder, name));
        rmSync(copies, { recursive: true });
      },
    };
  }

  async #start(): Promise<void> {
    const timers = new ProcessTimers(this.#time, jobStretch);
    const [config, clock, random] = [this.#config, this.#clock, this.#random.bytes];
    // A commit is on the disk one turn later. No checkpoints, because their thread would write while files are copied.
    const sync = () => timers.nextTurn();
    const options = { scheduler: timers, sync, checkpointBytes: Number.POSITIVE_INFINITY };
    const database = await openSqlite(config.databaseFile, clock, options);
    const secrets = await openSecrets(config.secretsFile, database, random);
    const logger = pino({ level: 'info' }, { write: (line: string) => void (timers.isAlive && this.log.push(line)) });
    const base = { config, database, secrets, clock, random, scheduler: timers, passwordHasher: new QuickHasher() };
    const collectors = this.#collectors(timers);
    const app = await buildApp({ ...base, ...collectors, logger });
    const services = createServices({ ...base, ...collectors });
    // Jobs start once the server listens. Nobody connects.
    await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => 'listening' });
    this.#process = { app, database, services, timers, killed: Promise.withResolvers<undefined>() };
    if (database.isNew) await runAdmin(['webhook', 'add', eventReceiver], services, this.folder);
  }

  #collectors(timers: ProcessTimers) {
    return {
      mailer: {
        send: async (message: Message) => void (timers.isAlive && this.mails.push(message)),
        close: () => undefined,
      },
      sendEvent: async ({ headers, body }: { headers: Readonly<Record<string, string>>; body: string }) => {
        if (!this.isReceiverUp || !timers.isAlive) return { kind: 'response', status: 503 } as const;
        const { type, data } = JSON.parse(body);
        this.events.push({ id: headers['webhook-id'] ?? '', type, data });
        return { kind: 'response', status: 200 } as const;
      },
    };
  }
}

/** Replaces argon2id, which finishes in any order and takes most of the time. */
class QuickHasher extends PasswordHasher {
  override async hash(password: string): Promise<string> {
    return `$argon2id$v=19$m=19456,t=2,p=1$c2ltdWxhdGlvbg$${Buffer.from(password).toString('base64url')}`;
  }

  override async verify(password: string, hashed: string): Promise<boolean> {
    return hashed === (await this.hash(password));
  }

  override async verifyNothing(): Promise<void> {}

  override isOutdated(): boolean {
    return false;
  }
}
