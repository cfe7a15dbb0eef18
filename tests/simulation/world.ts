/** Everything that a history affects, and what its users and machines were promised. */
import { createHash } from 'node:crypto';
import type { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import type { HttpRequest } from '../../electron/licensing/platform.ts';
import { byCommand } from '../../server/audit/audit-event.ts';
import type { LeaseRequestFile } from '../../shared/api/lease.ts';
import { type LeaseClaims, leaseClaims } from '../../shared/lease.ts';
import { OtherServer, otherAddress } from './other-server.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedMachine } from './simulated-machine.ts';
import type { Exchange, NetworkQuality } from './simulated-network.ts';
import { SimulatedServer, serverAddress } from './simulated-server.ts';
import { VirtualTime } from './virtual-time.ts';

export const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];
const startMs = Date.UTC(2026, 2, 3, 4, 5, 6, 789);
/** How long a person waits for an action. */
const maxWaitMs = 5 * minuteMs;

export type License = { readonly id: string; readonly key: string; readonly maxActivations: number };

/** A customer, and what was last acknowledged about the account. */
export type Account = {
  readonly email: string;
  readonly id: string;
  password: string;
  passwordChanges: number;
  /** Number of queued mails about them in restored backups, which are sent again. */
  repeatedMails: number;
  /** The user uses the newest one. */
  readonly licenses: License[];
  /** When staff or a provider last changed what the account may do. */
  changedAtMs: number;
  /** The last decision of the provider, which may not have reached the server yet. */
  lastBilling: BillingEvent | undefined;
  billingEvents: number;
};

export type BillingEvent = { readonly atMs: number; readonly plan: string; readonly status: 'active' | 'expired' };

/** A user's computer, and what that user may expect of it. */
export type Seat = {
  readonly machine: SimulatedMachine;
  readonly account: Account;
  /**
   * Whether anybody has ended the session, for example by changing the password elsewhere; `unknown` after a sign-in
   * whose outcome the user did not see. For an open one, `atMs` is the time of its last renewal.
   */
  session: { readonly kind: 'open' | 'ended' | 'unknown'; readonly atMs: number };
  /** When the server issued the refresh token that has not arrived yet. */
  rotatedAtMs: number | undefined;
  /**
   * True once the app knows that this server signs leases. Until then, what the server says about the license counts.
   */
  knowsLeases: boolean;
  /** True if the same disk is in use twice: the server must treat one of them as a thief of the other's tokens. */
  isCopied: boolean;
  /** When it was last unable to reach the server, or had a wrong clock. */
  disturbedAtMs: number;
  quality: NetworkQuality;
};

/** The outcome of an action in the app. */
export type Done = { readonly ok: boolean; readonly failure?: { readonly code: string } };

type AccountBackup = {
  readonly password: string;
  readonly licenses: readonly License[];
  readonly unsentMails: number;
};

export type WorldOptions = { readonly seed: number; readonly devices: number };

export class World {
  readonly time = new VirtualTime(startMs);
  readonly server: SimulatedServer;
  readonly other: OtherServer;
  readonly accounts: Account[] = [];
  readonly seats: Seat[] = [];
  /** Every lease that the server has signed. */
  readonly leases: LeaseClaims[] = [];
  /** The devices whose activation the server has confirmed, by activation id. */
  readonly activated = new Map<string, string>();
  /** When staff last freed the place of a device, which may still have a lease. */
  readonly freedAtMs = new Map<string, number>();
  /** All tokens, passwords and keys that have occurred. */
  readonly secrets = new Set<string>();
  /** What a machine has sent to one server though it is only for the other. */
  readonly leaks: string[] = [];
  /** What happened, for a human reader. */
  readonly story: string[] = [];
  /** True if the story includes every exchange with the server. */
  tellsExchanges = false;
  #backup:
    | { readonly file: string; readonly activated: Map<string, string>; readonly accounts: AccountBackup[] }
    | undefined;
  readonly #seed: number;
  readonly #hash = createHash('sha256');
  #serverUpSinceMs = startMs;

  private constructor({ seed }: WorldOptions) {
    this.#seed = seed;
    this.server = new SimulatedServer(this.time, new SeededRandom(seed, 'server'));
    this.other = new OtherServer(this.time);
  }

  /**
   * Creates two customers, each with a license for two devices and a share of the machines, on which they are signed
   * in.
   */
  static async create(options: WorldOptions): Promise<World> {
    const world = new World(options);
    await world.startServer();
    for (const name of ['ada', 'bob']) await world.#addAccount(`${name}@example.org`);
    for (let index = 0; index < options.devices; index++) {
      const account = world.accounts[index % world.accounts.length] as Account;
      const seat = world.#addSeat(account, `machine-${index}`);
      await seat.machine.boot();
      await world.signIn(seat);
    }
    return world;
  }

  random(name: string): SeededRandom {
    return new SeededRandom(this.#seed, name);
  }

  readonly tell = (text: string): void => {
    const line = `${describeTime(this.time.nowMs - startMs)}  ${text}`;
    this.story.push(line);
    this.#hash.update(`${line}\n`);
  };

  /** Returns a hash that is equal for two runs in which the same happened. */
  traceHash(): string {
    return this.#hash.copy().digest('hex');
  }

  async startServer(): Promise<void> {
    await this.server.start();
    this.#serverUpSinceMs = this.time.nowMs;
  }

  /** Performs an action of the user in the app of a machine, and tells its outcome. */
  async act(seat: Seat, what: string, work: (client: LicensingClient) => Promise<Done>): Promise<boolean> {
    const done = await this.time.finish(work(seat.machine.client), maxWaitMs);
    this.tell(`${seat.machine.name} ${what}: ${done.ok ? 'done' : (done.failure?.code ?? 'failed')}`);
    return done.ok;
  }

  async signIn(seat: Seat): Promise<void> {
    if (seat.machine.isElsewhere) {
      const there = { email: seat.account.email, password: 'another password' };
      await this.act(seat, 'signs in at the other server', (client) => client.signIn(there));
      return;
    }
    const isDone = await this.act(seat, 'signs in', (client) => client.signIn(seat.account));
    if (isDone) seat.session = { kind: 'open', atMs: this.time.nowMs };
  }

  /** Switches to the other server, or back, which ends the session. */
  async changeServer(seat: Seat): Promise<void> {
    const address = seat.machine.isElsewhere ? serverAddress : otherAddress;
    this.disturb(seat);
    this.leaveSession(seat);
    await this.act(seat, `changes the server to ${address}`, (client) => client.setServerAddress({ address }));
  }

  /** Signs the lease of a request file as staff do. `undefined` if the license does not allow it. */
  async signLease(request: LeaseRequestFile, account: Account): Promise<string | undefined> {
    const signing = this.server.services.leases.issueOffline(request, byCommand);
    const signed = await this.time.track(signing.catch(() => undefined));
    if (!signed) return undefined;
    this.#noteLease(signed.lease);
    account.changedAtMs = this.time.nowMs;
    return signed.lease;
  }

  /** Returns since when nothing has kept this machine from the server. */
  calmSinceMs(seat: Seat): number {
    return Math.max(seat.disturbedAtMs, this.#serverUpSinceMs);
  }

  endSession(seat: Seat): void {
    seat.session = { kind: 'ended', atMs: this.time.nowMs };
  }

  /** The user ends the session here; a full disk keeps it, and the server may not have heard of it. */
  leaveSession(seat: Seat): void {
    seat.session = { kind: seat.machine.isDiskFull ? 'unknown' : 'ended', atMs: this.time.nowMs };
  }

  disturb(seat: Seat): void {
    seat.disturbedAtMs = this.time.nowMs;
  }

  /** Writes a backup. A restore brings back what the server knew now, and nothing acknowledged later. */
  async backUp(): Promise<void> {
    const file = await this.server.backUp();
    const accounts = this.accounts.map((account) => {
      const { password, licenses, passwordChanges, repeatedMails } = account;
      const unsentMails = passwordChanges + repeatedMails - this.passwordMailsOf(account);
      return { password, licenses: [...licenses], unsentMails };
    });
    this.#backup = { file, activated: new Map(this.activated), accounts };
  }

  /** Restores the last backup. Resolves with false if there is none. */
  async restore(): Promise<boolean> {
    const backup = this.#backup;
    if (!backup) return false;
    await this.server.kill();
    await this.server.restore(backup.file);
    await this.startServer();
    this.activated.clear();
    for (const [id, device] of backup.activated) this.activated.set(id, device);
    for (const [index, account] of this.accounts.entries()) {
      const { password, licenses, unsentMails } = backup.accounts[index] as AccountBackup;
      account.password = password;
      account.repeatedMails += unsentMails;
      account.licenses.splice(0, account.licenses.length, ...licenses);
      // What the provider has said since then is lost until its next event; `admin billing reconcile` finds it.
      account.lastBilling = undefined;
      account.changedAtMs = this.time.nowMs;
    }
    // Tokens exchanged since the backup count as stolen, and leases signed since then remain valid.
    for (const seat of this.seats) seat.session = { kind: 'unknown', atMs: this.time.nowMs };
    for (const { device_id } of this.leases) this.freedAtMs.set(device_id, this.time.nowMs + secondMs);
    return true;
  }

  /** Returns the number of mails that have told the account about a new password. */
  passwordMailsOf({ email }: Account): number {
    return this.server.mails.filter(({ to, subject }) => to === email && /password was changed/i.test(subject)).length;
  }

  license(account: Account): License {
    return account.licenses.at(-1) as License;
  }

  async issueLicense(account: Account): Promise<void> {
    const words = ['--email', account.email, '--plan', 'standard', '--max-activations', '2', '--with-subscription'];
    const issued = await this.server.admin('license', 'issue', ...words);
    const key = String(issued.license_key);
    this.secrets.add(key);
    account.licenses.push({ id: String((issued.license as { id: string }).id), key, maxActivations: 2 });
    account.changedAtMs = this.time.nowMs;
  }

  async setSubscription(account: Account, plan: string, status: string): Promise<void> {
    const end = new Date(startMs + 400 * dayMs).toISOString();
    await this.server.admin(
      'subscription',
      'set',
      account.email,
      '--plan',
      plan,
      '--status',
      status,
      '--period-end',
      end,
    );
    account.changedAtMs = this.time.nowMs;
  }

  copy(seat: Seat): Seat {
    const copied = this.#addSeat(seat.account, `${seat.machine.name}-copy`, seat.machine);
    copied.isCopied = true;
    copied.knowsLeases = seat.knowsLeases;
    seat.isCopied = true;
    return copied;
  }

  async close(): Promise<void> {
    for (const { machine } of this.seats) machine.crash();
    if (this.server.isUp) await this.server.kill();
    this.server.remove();
  }

  async #addAccount(email: string): Promise<void> {
    const password = `the password of ${email}`;
    const body = JSON.stringify({ email, password, full_name: '' });
    const headers = { 'content-type': 'application/json' };
    const answer = await this.server.handle({
      method: 'POST',
      path: '/api/v1/auth/signup',
      headers,
      body,
      from: '192.0.2.1',
    });
    const { user } = JSON.parse(answer?.body ?? '{}');
    const account: Account = {
      email,
      id: user.id,
      password,
      passwordChanges: 0,
      repeatedMails: 0,
      licenses: [],
      changedAtMs: this.time.nowMs,
      lastBilling: undefined,
      billingEvents: 0,
    };
    this.secrets.add(password);
    this.accounts.push(account);
    await this.setSubscription(account, 'standard', 'active');
    await this.issueLicense(account);
  }

  #addSeat(account: Account, name: string, original?: SimulatedMachine): Seat {
    const index = this.seats.length;
    const machine = new SimulatedMachine({
      name,
      hardwareId: original?.hardwareId ?? createHash('sha256').update(`machine ${index}`).digest('hex').slice(0, 32),
      system: { countsSleep: index % 3 === 1, namesBoots: index % 3 === 0 },
      time: this.time,
      random: this.random(`${name} ${index}`),
      server: this.server,
      other: this.other,
      address: `198.51.100.${index + 1}`,
      onExchange: (exchange) => this.#noteExchange(seat, exchange),
      onSend: (request) => this.#noteSent(seat, request),
      onSessionLost: () => {
        if (seat.session.kind === 'open') seat.session = { kind: 'unknown', atMs: this.time.nowMs };
      },
      ...(original ? { disk: original.copyDisk() } : {}),
    });
    const seat: Seat = {
      machine,
      account,
      session: { kind: 'ended', atMs: this.time.nowMs },
      rotatedAtMs: undefined,
      knowsLeases: false,
      isCopied: false,
      disturbedAtMs: this.time.nowMs,
      quality: 'good',
    };
    this.seats.push(seat);
    return seat;
  }

  #noteExchange(seat: Seat, { method, path, answer, requestBody, isDelivered }: Exchange): void {
    const { status } = answer;
    const line = `${seat.machine.name} ${method} ${path}: ${status}${isDelivered ? '' : ', and the answer is lost'}`;
    this.#hash.update(`${this.time.nowMs} ${line}\n`);
    if (this.tellsExchanges) this.tell(`  ${line}`);
    const body = answer.headers['content-type']?.startsWith('application/json') ? JSON.parse(answer.body || '{}') : {};
    for (const secret of [body.access_token, body.refresh_token, body.api_key]) if (secret) this.secrets.add(secret);
    const route = `${method} ${path.replace('/api/v1', '')}`;
    if (route === 'POST /license/lease' && isDelivered && status < 500) seat.knowsLeases = true;
    if (status !== 200) return;
    if (route === 'POST /license/lease') this.#noteLease(body.lease);
    if (route === 'POST /license/activate') this.activated.set(body.activation_id, JSON.parse(requestBody).device_id);
    if (route === 'POST /auth/login' && seat.session.kind === 'ended') {
      seat.session = { kind: 'unknown', atMs: this.time.nowMs };
    }
    if (route === 'POST /auth/refresh') this.#noteRefresh(seat, isDelivered);
    if (route === 'POST /auth/password') this.#notePasswordChange(seat, JSON.parse(requestBody).new_password);
  }

  #noteLease(lease: string): void {
    this.leases.push(readClaims(lease));
    this.secrets.add(lease);
  }

  /** Tokens, keys and leases are only for the server that they are from. */
  #noteSent({ machine }: Seat, { method, url, headers, body }: HttpRequest): void {
    const isForOther = url.startsWith(otherAddress);
    const sent = JSON.stringify([url, headers, body]);
    for (const secret of isForOther ? this.secrets : this.other.tokens) {
      if (sent.includes(secret))
        this.leaks.push(`${machine.name} sends a secret of one server to another: ${method} ${url}`);
    }
  }

  /** If responses are lost, the token that arrives at last dates from the first of them. */
  #noteRefresh(seat: Seat, isDelivered: boolean): void {
    seat.rotatedAtMs ??= this.time.nowMs;
    if (!isDelivered) return;
    if (seat.session.kind === 'open') seat.session = { kind: 'open', atMs: seat.rotatedAtMs };
    seat.rotatedAtMs = undefined;
  }

  /** A password change ends every other session of the account. */
  #notePasswordChange(changing: Seat, password: string): void {
    const { account } = changing;
    if (account.password === password) return;
    account.password = password;
    account.passwordChanges += 1;
    this.secrets.add(password);
    for (const seat of this.seats) if (seat.account === account && seat !== changing) this.endSession(seat);
  }
}

function readClaims(jws: string): LeaseClaims {
  return leaseClaims.parse(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()));
}

function describeTime(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `day ${two(ms / dayMs)} ${two((ms % dayMs) / hourMs)}:${two((ms % hourMs) / minuteMs)}:${two((ms % minuteMs) / secondMs)}`;
}
