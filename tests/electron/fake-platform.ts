/** The fake platform of all tests: a clock that the test advances, stores in memory, and scripted HTTP. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type {
  Clock,
  Files,
  Http,
  HttpRequest,
  HttpResponse,
  HttpResult,
  Log,
  Network,
  PlainStore,
  Platform,
  Random,
  SecretStore,
  StoreRead,
  Subtle,
} from '../../electron/licensing/platform.ts';

export type FakeClock = Clock & {
  /** Lets time pass: timers run in order, and everything they start is awaited. */
  readonly advance: (ms: number) => Promise<void>;
  /** Sets only the wall clock, as a user would. */
  readonly setWall: (epochMs: number) => void;
  /** Puts the machine to sleep, during which its monotonic clock stands still. */
  readonly sleep: (ms: number) => void;
  /** Turns the machine off for that long, and boots it. */
  readonly reboot: (offMs?: number) => void;
  readonly pendingTimers: () => number;
  /** The number of moments at which a timer has run so far. */
  readonly wakeUps: () => number;
};

/** Waits for every promise that needs no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const startOfTime = Date.parse('2026-03-03T09:00:00.000Z');

/**
 * Creates a clock. `namesBoot`: whether the system identifies each boot; `null` if it does not even report the uptime.
 */
export function createFakeClock({ namesBoot = true as boolean | null } = {}): FakeClock {
  let wallMs = startOfTime;
  let monotonicMs = 1000;
  let nextId = 1;
  let boots = 1;
  let sinceBootMs = 50_000;
  const wokenAtMs = new Set<number>();
  const timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>();

  function nextTimer(untilMs: number) {
    const due = [...timers].filter(([, timer]) => timer.atMs <= untilMs);
    return due.sort(([idA, a], [idB, b]) => a.atMs - b.atMs || idA - idB)[0];
  }

  function moveTo(targetMs: number): void {
    wallMs += Math.max(0, targetMs - monotonicMs);
    sinceBootMs += Math.max(0, targetMs - monotonicMs);
    monotonicMs = Math.max(monotonicMs, targetMs);
  }

  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    sinceBoot: () => (namesBoot === null ? null : { id: namesBoot ? `boot-${boots}` : null, ms: sinceBootMs }),
    setTimer: (delayMs, callback) => {
      const id = nextId++;
      timers.set(id, { atMs: monotonicMs + delayMs, callback });
      return () => void timers.delete(id);
    },
    advance: async (ms) => {
      const untilMs = monotonicMs + ms;
      await settle();
      for (let next = nextTimer(untilMs); next; next = nextTimer(untilMs)) {
        const [id, timer] = next;
        timers.delete(id);
        moveTo(timer.atMs);
        wokenAtMs.add(monotonicMs);
        timer.callback();
        await settle();
      }
      moveTo(untilMs);
    },
    setWall: (epochMs) => {
      wallMs = epochMs;
    },
    sleep: (ms) => {
      wallMs += ms;
      sinceBootMs += ms;
    },
    reboot: (offMs = 0) => {
      wallMs += offMs;
      boots++;
      sinceBootMs = 0;
    },
    pendingTimers: () => timers.size,
    wakeUps: () => wokenAtMs.size,
  };
}

type FakeStore = SecretStore &
  PlainStore & {
    readonly values: Map<string, string>;
    /** Every write in order, as `name` and `value`; a removal has the value `null`. */
    readonly writes: { readonly name: string; readonly value: string | null }[];
    /** Sets whether writes fail from now on, as on a full disk. */
    readonly setFailing: (failing: boolean) => void;
    /** Makes a stored value unreadable, or readable again. */
    readonly breakRead: (name: string, broken: boolean) => void;
    readonly setStorage: (storage: ReturnType<SecretStore['storage']>) => void;
  };

function createFakeStore(values = new Map<string, string>()): FakeStore {
  const writes: { name: string; value: string | null }[] = [];
  const broken = new Set<string>();
  let failing = false;
  let setAside = 0;
  let storage: ReturnType<SecretStore['storage']> = 'keyring';

  async function change(name: string, value: string | null): Promise<void> {
    await Promise.resolve();
    if (failing) throw new Error('ENOSPC');
    writes.push({ name, value });
    if (value === null) values.delete(name);
    else values.set(name, value);
  }

  return {
    values,
    writes,
    setFailing: (next) => {
      failing = next;
    },
    breakRead: (name, isBroken) => void (isBroken ? broken.add(name) : broken.delete(name)),
    setStorage: (next) => {
      storage = next;
    },
    read: async (name): Promise<StoreRead> => {
      if (broken.has(name)) return { kind: 'unreadable', message: 'the keyring is locked' };
      const value = values.get(name);
      return value === undefined ? { kind: 'absent' } : { kind: 'value', value };
    },
    write: change,
    remove: (name) => change(name, null),
    setAside: async (name) => {
      if (failing) throw new Error('ENOSPC');
      const value = values.get(name);
      if (value !== undefined) values.set(`${name}.unreadable-${++setAside}`, value);
      values.delete(name);
    },
    storage: () => storage,
    choose: async (keep) => {
      storage = keep ? 'file' : 'memory';
      if (!keep) values.clear();
    },
  };
}

/** The reply of a script: an HTTP response, or a failure without one. */
export type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly text: string }
  | { readonly fails: Extract<HttpResult, { ok: false }>['reason']; readonly message?: string };

type Script = (request: HttpRequest & { readonly json: Record<string, unknown> }) => Reply | Promise<Reply>;

export type FakeHttp = Http & {
  readonly requests: HttpRequest[];
  /** Requests to one path below `/api/v1`, in order. */
  readonly to: (path: string) => HttpRequest[];
  /** Sets the reply to `METHOD /path` below `/api/v1`. */
  readonly on: (route: string, script: Script | Reply) => void;
  /** Makes requests to `METHOD /path` wait until the returned function gives them their reply. */
  readonly hold: (route: string) => (reply: Reply) => void;
  /** Sets the reply to every request; `null` ends that. */
  readonly cut: (reply: Reply | null) => void;
  /** Sends a `Date` header by this clock from now on. */
  readonly sendDate: (serverNow: () => number) => void;
};

function createFakeHttp(): FakeHttp {
  const requests: HttpRequest[] = [];
  const routes = new Map<string, Script>();
  let forAll: Reply | null = null;
  let serverNow: (() => number) | null = null;

  const pathOf = ({ url }: HttpRequest) => url.replace(/^.*?\/api\/v1|^https?:\/\/[^/]+(?=\/\.well-known)/, '');

  return {
    requests,
    to: (path) => requests.filter((request) => pathOf(request) === path),
    on: (route, script) => void routes.set(route, typeof script === 'function' ? script : () => script),
    hold: (route) => {
      const { promise, resolve } = Promise.withResolvers<Reply>();
      routes.set(route, () => promise);
      return resolve;
    },
    cut: (reply) => {
      forAll = reply;
    },
    sendDate: (now) => {
      serverNow = now;
    },
    send: async (request) => {
      requests.push(request);
      const route = routes.get(`${request.method} ${pathOf(request)}`);
      const unknown: Reply = { status: 404, json: { error: 'There is nothing at this address.', code: 'NOT_FOUND' } };
      const json = JSON.parse(request.body ?? '{}') as Record<string, unknown>;
      const reply = forAll ?? (await route?.({ ...request, json })) ?? unknown;
      if ('fails' in reply) {
        const { fails: reason, message = `fake ${reason}` } = reply;
        return { ok: false, reason, message };
      }
      const body = 'json' in reply ? JSON.stringify(reply.json) : reply.text;
      const headers: Record<string, string> = { ...reply.headers };
      if (serverNow !== null) headers.date ??= new Date(serverNow()).toUTCString();
      const response: HttpResponse = { status: reply.status ?? 200, headers, body };
      return { ok: true, response };
    },
  };
}

/** A network without a proxy on which everything succeeds, and whose server has the time of this clock. */
export function createFakeNetwork(clock: Clock): Network {
  return {
    findProxy: async () => ({ route: { kind: 'direct' }, pacUrl: null }),
    resolveHost: async () => ({ kind: 'found', addresses: ['192.0.2.7'] }),
    connect: async () => ({ kind: 'connected', address: '192.0.2.7' }),
    secure: async () => ({
      kind: 'secured',
      problem: null,
      issuer: 'Lab CA',
      validFromMs: clock.now() - 86_400_000,
      expiresAtMs: clock.now() + 86_400_000,
      protocol: 'TLSv1.3',
    }),
    readDate: async () => clock.now(),
  };
}

export type FakePlatform = Platform & {
  readonly subtle: Subtle;
  readonly clock: FakeClock;
  readonly http: FakeHttp;
  readonly secrets: FakeStore;
  readonly plain: FakeStore;
  /** Every log line, as text. */
  readonly logged: string[];
  /** Announces sleep, as the system's power management does. */
  readonly suspend: () => void;
  readonly wake: () => void;
  readonly listensForWaking: () => boolean;
  /** The content of files by path; any other path is unreadable. */
  readonly contents: Map<string, Uint8Array>;
};

export type FakePlatformOptions = {
  /** The machine's own id; `null` if it has none. */
  readonly machineId?: string | null;
  readonly deviceName?: string;
  /** Values stored by an earlier run. */
  readonly secretValues?: Map<string, string>;
  readonly plainValues?: Map<string, string>;
  readonly clock?: FakeClock;
  readonly http?: FakeHttp;
};

export function createFakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const { machineId = '0123456789abcdef0123456789abcdef', deviceName = 'Studio Mac' } = options;
  const clock = options.clock ?? createFakeClock();
  return {
    clock,
    network: createFakeNetwork(clock),
    http: options.http ?? createFakeHttp(),
    secrets: createFakeStore(options.secretValues),
    plain: createFakeStore(options.plainValues),
    random: createFakeRandom(),
    subtle: synchronousSubtle,
    machine: { readMachineId: async () => toRead(machineId), deviceName, platform: 'linux x64' },
    ...createFakeFiles(),
    ...createFakePower(),
    ...createFakeLog(),
  };
}

function toRead(value: string | null): StoreRead {
  return value === null ? { kind: 'absent' } : { kind: 'value', value };
}

/** Hashes and verifies synchronously, so that `settle` covers it; Web Crypto takes a turn of its own. */
export const synchronousSubtle: Subtle = {
  digest: async (_algorithm: 'SHA-256', data: Uint8Array) =>
    new Uint8Array(createHash('sha256').update(data).digest()).buffer,
  importKey: async (_format: 'jwk', { kty, crv, x }: { kty: string; crv: string; x: string }) =>
    createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
  verify: async (_algorithm: 'Ed25519', key: unknown, signature: Uint8Array, data: Uint8Array) =>
    verify(null, data, key as KeyObject, signature),
};

/** Counts across all fake platforms: no UUID repeats one of an earlier start of the app. */
let uuids = 0;

/** Never repeats bytes or UUIDs; jitter is always in the middle. */
function createFakeRandom(): Random {
  let calls = 0;
  return {
    fraction: () => 0.5,
    bytes: (count) => new Uint8Array(count).fill(++calls),
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
  };
}

function createFakeFiles(): Pick<FakePlatform, 'files' | 'contents'> {
  const contents = new Map<string, Uint8Array>();
  const hashFile: Files['hashFile'] = async (path, { signal, onProgress }) => {
    const content = contents.get(path);
    if (!content) return { kind: 'unreadable', message: 'ENOENT' };
    onProgress(content.length / 2, content.length);
    await settle();
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: 'hashed', sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
  };
  const findOwnInstaller = async () => (contents.has('/own/installer') ? '/own/installer' : null);
  const walk: Files['walk'] = async function* (paths) {
    for (const path of paths) {
      const below = [...contents.keys()].filter((each) => each === path || each.startsWith(`${path}/`));
      if (below.length === 0) yield { kind: 'unreadable', path, error: 'ENOENT' };
      for (const each of below) yield { kind: 'file', path: each };
    }
  };
  const readFile: Files['readFile'] = async (path, { signal, onBytes }) => {
    await settle();
    if (signal.aborted) return { kind: 'canceled' };
    return { kind: onBytes(contents.get(`${path}`) ?? new Uint8Array()) ? 'read' : 'ended' };
  };
  return { files: { hashFile, findOwnInstaller, walk, readFile }, contents };
}

function createFakePower(): Pick<FakePlatform, 'power' | 'suspend' | 'wake' | 'listensForWaking'> {
  const listeners = new Set<() => void>();
  const suspendListeners = new Set<() => void>();
  return {
    power: {
      onSuspend: (listener) => {
        suspendListeners.add(listener);
        return () => void suspendListeners.delete(listener);
      },
      onResume: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    suspend: () => {
      for (const listener of suspendListeners) listener();
    },
    wake: () => {
      for (const listener of listeners) listener();
    },
    listensForWaking: () => listeners.size + suspendListeners.size > 0,
  };
}

function createFakeLog(): Pick<FakePlatform, 'log' | 'logged'> {
  const logged: string[] = [];
  const note: Log['info'] = (message, facts) => void logged.push(`${message} ${JSON.stringify(facts ?? {})}`);
  return { log: { info: note, warn: note }, logged };
}
