/** Transport `http`: the real server as a separate process, reached over real sockets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { Admin, type CommandResult } from './admin.ts';
import { limitsOff, type Settings } from './environment.ts';
import { type Exit, type ServerProcess, startServer } from './start-server.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';
import { httpTransport, TestClient } from './test-client.ts';
import { type Json, onceStarted, type TestServer } from './test-server.ts';

/** A server on SQLite notices changes by another process after at most 10 ms (`server/docs/database.md`). */
const noticedOnSqliteMs = 12;
/** However late a notification of PostgreSQL arrives, nothing older than this is served (`server/docs/postgresql.md`). */
export const noticedOnPostgresMs = 1000;

export class HttpServer implements TestServer {
  readonly process: ServerProcess;
  readonly dataFolder: string;
  readonly call: TestClient['call'];
  readonly request: TestClient['request'];
  readonly #admin: Admin;

  constructor(process: ServerProcess, admin: Admin) {
    const client = new TestClient(httpTransport(process.url));
    this.process = process;
    this.dataFolder = admin.folder;
    this.call = client.call;
    this.request = client.request;
    this.#admin = admin;
  }

  get url(): string {
    return this.process.url;
  }

  readonly now = (): number => Date.now();

  readonly admin = (...words: string[]): Promise<Json> => this.#noticed(this.#admin.json<Json>(words));

  /** Runs an admin command in the test's process, separate from the server's; it may fail. */
  readonly run = (words: readonly string[], stdin?: string | Buffer): Promise<CommandResult> =>
    this.#noticed(this.#admin.runHere(words, stdin));

  /** Runs an admin command as a separate process; it may fail. */
  readonly runProcess = (words: readonly string[], stdin?: string | Buffer): Promise<CommandResult> =>
    this.#noticed(this.#admin.run(words, stdin));

  readonly stop = (): Promise<Exit> => this.process.stop();

  /** Waits until the server sees the changes of the command. */
  async #noticed<T>(command: Promise<T>): Promise<T> {
    const result = await command;
    await waitUntilNoticed(this.#admin);
    return result;
  }
}

/** Waits for as long as a running server may take to notice what an admin command has changed. */
export async function waitUntilNoticed({ settings }: Admin): Promise<void> {
  await sleep(settings.DATABASE_URL === undefined ? noticedOnSqliteMs : noticedOnPostgresMs);
}

/**
 * Starts a server with the data folder and settings of `admin`; rate limits are off unless these
 * set them. The caller stops it.
 */
export async function openHttpServer(admin: Admin): Promise<HttpServer> {
  return new HttpServer(await startServer({ ...limitsOff, ...admin.settings }), admin);
}

/** Starts a server like `openHttpServer`, and stops it when the test ends. */
export async function startHttpServer(admin: Admin): Promise<HttpServer> {
  const server = await openHttpServer(admin);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

/**
 * Starts the server of a test file or block before its cases and stops it after. Rate limits are
 * off unless `settings` set them.
 */
export function sharedHttpServer(settings: Settings = {}): HttpServer {
  const dataFolder = makeTemporaryFolder();
  let running: HttpServer | undefined;
  beforeAll(async () => {
    running = await openHttpServer(new Admin(dataFolder, settings));
  });
  afterAll(async () => {
    await running?.stop();
    removeFolder(dataFolder);
  });
  return onceStarted(() => running);
}
