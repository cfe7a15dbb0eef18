/** Everything that a history happens to, and what its people and machines were promised. */
import { createHash } from 'node:crypto';
import type { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import { type LeaseClaims, leaseClaims } from '../../shared/lease.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedMachine } from './simulated-machine.ts';
import type { Exchange, NetworkQuality } from './simulated-network.ts';
import { SimulatedServer } from './simulated-server.ts';
import { VirtualTime } from './virtual-time.ts';

export const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];
const startMs = Date.UTC(2026, 2, 3, 4, 5, 6, 789);
/** How long a person waits for an act. */
const maxWaitMs = 5 * minuteMs;

export type License = { readonly id: string; readonly key: string; readonly maxActivations: number };

/** A customer, and what was last acknowledged about the account. */
export type Account = {
  readonly email: string;
  readonly id: string;
  password: string;
  passwordChanges: number;
  /** How many mails about them a backup had in its queue that was restored: those are sent again. */
  repeatedMails: number;
  /** The newest is the one that the person uses. */
  readonly licenses: License[];
  /** When staff or a provider last changed what the account may do. */
  changedAtMs: number;
  /** What the provider has decided, in its order; not necessarily what has reached the server. */
  lastBilling: BillingEvent | undefined;
  billingEvents: number;
};

export type BillingEvent = { readonly atMs: number; readonly plan: string; readonly status: 'active' | 'expired' };

/** Somebody's computer, and what that person may expect of it. */
export type Seat = {
  readonly machine: SimulatedMachine;
  readonly account: Account;
  /**
   * Whether anybody has ended the session, a change of the password elsewhere included; `unknown` after a sign-in of which
   * the person has not heard. An open one was renewed at that time.
   */
  session: { readonly kind: 'open' | 'ended' | 'unknown'; readonly atMs: number };
  /** When the server made the refresh token that has not arrived yet. */
  rotatedAtMs: number | undefined;
  /** Whether the app knows that this server signs leases. Until then it goes by what the server says of the license. */
  knowsLeases: boolean;
  /** The same disk is in use twice: the server has to take the one for a thief of the other's tokens. */
  isCopied: boolean;
  /** When something last kept it from the server, or its clock from being right. */
  disturbedAtMs: number;
  quality: NetworkQuality;
};

/** What an act in the app came to. */
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
  readonly accounts: Account[] = [];
  readonly seats: Seat[] = [];
  /** Every lease that the server has signed. */
  readonly leases: LeaseClaims[] = [];
  /** The devices that the server has said to have activated, by the ids of their activations. */
  readonly activated = new Map<string, string>();
  /** When staff last freed the place of a device, which may still have a lease. */
  readonly freedAtMs = new Map<string, number>();
  /** Tokens, passwords and keys, wherever they came up. */
  readonly secrets = new Set<string>();
  /** What happened, for a person to read. */
  readonly story: string[] = [];
  /** Whether the story tells every exchange with the server. */
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
  }

  /** Two customers, each with a license for two devices and a share of the machines, on all of which they are signed in. */
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

  /** The same for two runs in which the same happened. */
  traceHash(): string {
    return this.#hash.copy().digest('hex');
  }

  async startServer(): Promise<void> {
    await this.server.start();
    this.#serverUpSinceMs = this.time.nowMs;
  }

  /** What a person does in the app of a machine, and what it came to. */
  async act(seat: Seat, what: string, work: (client: LicensingClient) => Promise<Done>): Promise<boolean> {
    const done = await this.time.finish(work(seat.machine.client), maxWaitMs);
    this.tell(`${seat.machine.name} ${what}: ${done.ok ? 'done' : (done.failure?.code ?? 'failed')}`);
    return done.ok;
  }

  async signIn(seat: Seat): Promise<void> {
    const isDone = await this.act(seat, 'signs in', (client) => client.signIn(seat.account));
    if (isDone) seat.session = { kind: 'open', atMs: this.time.nowMs };
  }

  /** Since when nothing has kept this machine from the server. */
  calmSinceMs(seat: Seat): number {
    return Math.max(seat.disturbedAtMs, this.#serverUpSinceMs);
  }

  endSession(seat: Seat): void {
    seat.session = { kind: 'ended', atMs: this.time.nowMs };
  }

  disturb(seat: Seat): void {
    seat.disturbedAtMs = this.time.nowMs;
  }

  /** What the server knew then comes back with the backup, and nothing of what was acknowledged since. */
  async backUp(): Promise<void> {
    const file = await this.server.backUp();
    const accounts = this.accounts.map((account) => {
      const { password, licenses, passwordChanges, repeatedMails } = account;
      const unsentMails = passwordChanges + repeatedMails - this.passwordMailsOf(account);
      return { password, licenses: [...licenses], unsentMails };
    });
    this.#backup = { file, activated: new Map(this.activated), accounts };
  }

  /** Resolves with whether there is a backup. */
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
      // Until its next event, what the provider has said since is lost: `admin billing reconcile` finds it.
      account.lastBilling = undefined;
      account.changedAtMs = this.time.nowMs;
    }
    // Tokens that were exchanged since count as stolen, and what was signed since goes on.
    for (const seat of this.seats) seat.session = { kind: 'unknown', atMs: this.time.nowMs };
    for (const { device_id } of this.leases) this.freedAtMs.set(device_id, this.time.nowMs + secondMs);
    return true;
  }

  /** How many mails have told that account of a new password. */
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
      address: `198.51.100.${index + 1}`,
      onExchange: (exchange) => this.#noteExchange(seat, exchange),
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
    if (route === 'POST /license/lease') this.leases.push(readClaims(body.lease));
    if (route === 'POST /license/activate') this.activated.set(body.activation_id, JSON.parse(requestBody).device_id);
    if (route === 'POST /auth/login' && seat.session.kind === 'ended') {
      seat.session = { kind: 'unknown', atMs: this.time.nowMs };
    }
    if (route === 'POST /auth/refresh') this.#noteRefresh(seat, isDelivered);
    if (route === 'POST /auth/password') this.#notePasswordChange(seat, JSON.parse(requestBody).new_password);
  }

  /** Where answers are lost, the token that arrives at last is as old as the first of them. */
  #noteRefresh(seat: Seat, isDelivered: boolean): void {
    seat.rotatedAtMs ??= this.time.nowMs;
    if (!isDelivered) return;
    if (seat.session.kind === 'open') seat.session = { kind: 'open', atMs: seat.rotatedAtMs };
    seat.rotatedAtMs = undefined;
  }

  /** It ends every other session of the account. */
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
