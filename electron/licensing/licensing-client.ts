/** The licensing client: commands in, `AppState` out. Builds all of its modules. */
/// <reference path="./latchkey-client.d.ts" />
import type { OwnFeatures } from 'latchkey-client';
import type { AppInfo, AppState } from '../../shared/ipc/app-state.ts';
import type { FeatureDecision } from '../../shared/ipc/decision.ts';
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import type { CommandInput, CommandName, CommandOutput } from '../../shared/ipc/ipc-schema.ts';
import { type Done, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { PublicJwk } from '../../shared/jws.ts';
import { Account } from './account.ts';
import { Activation } from './activation.ts';
import { ActivityLog } from './activity-log.ts';
import { ApiClient } from './api-client.ts';
import { ApiKey } from './api-key.ts';
import { AppStateSource } from './app-state-source.ts';
import { Auth } from './auth.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { DeviceIdentity } from './device-id.ts';
import { DeviceLicense } from './device-license.ts';
import { DeviceName } from './device-name.ts';
import { DeviceRename } from './device-rename.ts';
import { Devices } from './devices.ts';
import { ConnectionDoctor } from './doctor.ts';
import { createEndedSession } from './ended-session.ts';
import { failureNow, toTimestamp } from './failure.ts';
import { FeatureGate } from './feature-gate.ts';
import { FeatureTexts } from './feature-texts.ts';
import { Heartbeat } from './heartbeat.ts';
import { History } from './history.ts';
import { InstallerVerifier } from './installer.ts';
import type { ScanInput } from './key-scan.ts';
import { describeKnown } from './known-facts.ts';
import { LeakedKeys, type ScanOptions } from './leaked-keys.ts';
import { Lease, type VerifiedLease } from './lease.ts';
import { createLeaseAccount } from './lease-account.ts';
import { LeaseEnd } from './lease-end.ts';
import { LeaseKeys, type PinnedLeaseKeys } from './lease-keys.ts';
import { LeaseRequest, type MadeLeaseRequest } from './lease-request.ts';
import { LicenseKeyReplacement } from './license-key-replacement.ts';
import { LicenseStore } from './license-store.ts';
import type { Machine, Platform } from './platform.ts';
import { Preferences } from './preferences.ts';
import { ReachabilityTracker } from './reachability.ts';
import { ServerAbout } from './server-about.ts';
import { Session } from './session.ts';
import { formatSupportFile } from './support-file.ts';
import { Sync } from './sync.ts';
import { type CommandNote, Timeline } from './timeline.ts';
import { TrustedTime } from './trusted-time.ts';
import { Updates } from './updates.ts';

/** A name that `OwnFeatures` declares; any name if it declares none. */
export type FeatureName = keyof OwnFeatures extends never ? string : keyof OwnFeatures;

export type LicensingClientDeps = {
  readonly platform: Platform;
  readonly app: AppInfo;
  /** How the app names itself to the server; `Latchkey` by default. */
  readonly clientName?: string;
  /**
   * The server's address until the user sets another: https, or http on loopback; otherwise the constructor throws.
   * With `null` there is none until then, and every command that needs a server fails with SERVER_ADDRESS_INVALID.
   */
  readonly defaultServerAddress: string | null;
  /** The server of this client, whatever the user has set; not stored. */
  readonly serverAddress?: string;
  /** The only server keys to trust for leases; by default, those that the server publishes at the first sign-in. */
  readonly trustedLeaseKeys?: PinnedLeaseKeys;
  /** Public keys of the app's publisher. Without them no update is installed; an empty list trusts none. */
  readonly updateKeys?: readonly PublicJwk[];
  /** System language as a BCP 47 tag, in which feature names and warnings are requested; `en` by default. */
  readonly systemLocale?: string;
};

/**
 * The client of one machine and one app. Every command resolves: a failure is a value, never a rejection.
 * @example
 * const client = new LicensingClient({ platform, app, defaultServerAddress: 'https://license.example.org' });
 * await client.start();
 */
export class LicensingClient {
  readonly #stopping = new AbortController();
  readonly #modules: Modules;
  #started: Promise<void> | null = null;

  constructor(deps: LicensingClientDeps) {
    this.#modules = buildModules(deps, this.#stopping.signal);
  }

  /** Reads what is stored, restores the session and starts the sync. Can be called more than once. */
  start(): Promise<void> {
    this.#started ??= this.#load();
    return this.#started;
  }

  /** Cancels timers and requests and waits for writes in progress; stored data is kept. */
  async stop(): Promise<void> {
    const { auth, sync, leaseEnd, installer, leakedKeys, changes, session, endedSession, store, timeline, updates } =
      this.#modules;
    leaseEnd.dispose();
    const ending = [this.#started, sync.dispose(), auth.idle()];
    updates.stop();
    installer.cancel();
    leakedKeys.cancel();
    this.#stopping.abort();
    changes.stop();
    await Promise.allSettled(ending);
    await Promise.all([session.flush(), endedSession.flush(), store.flush(), timeline.stop()]);
  }

  /** Calls back after every change, at most once per turn of the event loop; returns a function to unsubscribe. */
  subscribe(listener: (state: AppState) => void): () => void {
    return this.#modules.appState.subscribe(listener);
  }

  getState(): AppState {
    return this.#modules.appState.current;
  }

  /**
   * Succeeds if the feature is on for this device now; otherwise fails with FEATURE_OFF and the reason. Takes any name,
   * unless names are declared: `admin feature types` prints the declaration.
   */
  feature(name: FeatureName): Result<true> {
    return this.#modules.features.check(name);
  }

  /** Explains why each feature is on or off, in display order. */
  async explainFeatures(): Promise<Result<readonly FeatureDecision[]>> {
    await this.start();
    return succeed(this.#modules.features.why());
  }

  async signIn(input: CommandInput<'signIn'>): Promise<Done> {
    await this.start();
    return this.#recordCommand('signIn', this.#modules.auth.signIn(input));
  }

  async signUp(input: CommandInput<'signUp'>): Promise<Done> {
    await this.start();
    const { auth, serverAbout } = this.#modules;
    const done = await this.#recordCommand('signUp', auth.signUp(input));
    if (!done.ok && done.failure.code === 'SIGN_UP_CLOSED') void serverAbout.refreshIfDue(true);
    return done;
  }

  /** Cancels the sign-in or sign-up that waits for the server. */
  async cancelSignIn(): Promise<Done> {
    this.#modules.auth.cancelSignIn();
    return succeed(null);
  }

  async signOut({ allDevices }: CommandInput<'signOut'>): Promise<Done> {
    await this.start();
    return this.#recordCommand('signOut', this.#modules.auth.signOut(allDevices));
  }

  /** Has the server mail a link to set a new password. */
  async requestPasswordReset(input: CommandInput<'requestPasswordReset'>): Promise<Done> {
    await this.start();
    return this.#modules.account.requestPasswordReset(input);
  }

  changePassword(input: CommandInput<'changePassword'>): Promise<Done> {
    return this.#modules.account.changePassword(input);
  }

  /** Loads the account's email address and whether it is confirmed. */
  loadEmail(): Promise<Done> {
    return this.#modules.account.loadEmail();
  }

  changeEmail(input: CommandInput<'changeEmail'>): Promise<Done> {
    return this.#modules.account.changeEmail(input);
  }

  sendEmailConfirmation(input: CommandInput<'sendEmailConfirmation'>): Promise<Done> {
    return this.#modules.account.sendEmailConfirmation(input);
  }

  /** Deletes the account and then signs out. */
  deleteAccount(input: CommandInput<'deleteAccount'>): Promise<Done> {
    const { account, auth, session } = this.#modules;
    const userId = session.user?.id;
    const deleting = account.delete(input);
    return this.#recordCommand(
      'deleteAccount',
      deleting.then((deleted) => (deleted.ok ? auth.closeDeletedAccount(userId) : deleted)),
    );
  }

  /** Returns what the server stores about the account, as JSON text. */
  accountJson(): Promise<Result<string>> {
    return this.#modules.account.exportData();
  }

  listSessions(): Promise<Done> {
    return this.#modules.account.loadSessions();
  }

  endSession({ sessionId }: CommandInput<'endSession'>): Promise<Done> {
    return this.#modules.account.endSession(sessionId);
  }

  async setServerAddress({ address }: CommandInput<'setServerAddress'>): Promise<Done> {
    await this.start();
    const changed = await this.#recordCommand('setServerAddress', this.#modules.auth.changeServer(address));
    // The answer decides what is shown next; without one, everything is.
    if (changed.ok) void this.#modules.serverAbout.refreshIfDue();
    return changed;
  }

  chooseSecretStorage({ keep }: CommandInput<'chooseSecretStorage'>): Promise<Done> {
    return this.#modules.auth.chooseSecretStorage(keep);
  }

  /** True if the session is on disk, where the next start finds it. */
  get isSessionStored(): boolean {
    return this.#modules.session.isStored;
  }

  syncNow(): Promise<Done> {
    return this.#recordCommand('syncNow', this.#modules.sync.runNow());
  }

  /** Syncs with the server or, without a session, sends a test request; fails if it cannot be reached. */
  async checkServer(): Promise<Done> {
    await this.start();
    const { session, sync, api } = this.#modules;
    if (session.user) return sync.runNow();
    const result = await api.call('installerHashes');
    return result.kind === 'inconclusive' ? fail(result.failure) : succeed(null);
  }

  /** Returns the names of stored documents that are unreadable or were set aside. */
  async listUnreadable(): Promise<readonly string[]> {
    const { secrets, plain } = this.#modules.platform;
    return [...((await secrets.unreadable?.()) ?? []), ...((await plain.unreadable?.()) ?? [])];
  }

  /** Returns recent events, and how often the server answered in each hour. */
  async loadDiagnostics(): Promise<CommandOutput<'loadDiagnostics'>> {
    await this.start();
    const { timeline } = this.#modules;
    return succeed({ timeline: timeline.entries, connection: timeline.connection });
  }

  /** Returns the text of the support file, which contains no secrets; runs the doctor for it. */
  async supportFile({ days, includeNames }: CommandInput<'supportFile'>): Promise<CommandOutput<'supportFile'>> {
    await this.start();
    const { platform, appState, lease, features, timeline, doctor, session, store, apiKey, leaseRequest } =
      this.#modules;
    const { log, machine, clock } = platform;
    const { licenseKey, lease: jws, unknownKeyLease, pendingApiKey } = store.facts;
    const ofStore = [licenseKey, jws, unknownKeyLease, pendingApiKey?.idempotencyKey ?? null];
    const held = [...session.secrets, ...ofStore, apiKey.unsaved, await leaseRequest.readKey()];
    const report = await this.#timed('supportFile', doctor.run(), () => ({ outcome: 'done' }));
    const text = formatSupportFile({
      madeAt: toTimestamp(clock.now()),
      state: appState.current,
      lease: lease.claims,
      decisions: features.why(),
      timeline: timeline.entries,
      connection: timeline.connection,
      doctor: report,
      log: (await log.recent?.(500)) ?? [],
      system: machine.versions ?? {},
      hostName: machine.deviceName,
      unreadable: await this.listUnreadable(),
      secrets: held.filter((secret) => secret !== null),
      days,
      includeNames,
    });
    return succeed({ text });
  }

  /** Diagnoses the connection between this device and the server; fails with CANCELED if `cancelDoctor` ended it. */
  async runDoctor(): Promise<Result<DoctorReport>> {
    await this.start();
    const describe = (made: DoctorReport | null) => ({ outcome: made ? 'done' : 'CANCELED' });
    const report = await this.#timed('runDoctor', this.#modules.doctor.run(), describe);
    return report ? succeed(report) : fail(failureNow(this.#modules.clock, 'CANCELED', 'The check was canceled.'));
  }

  async cancelDoctor(): Promise<Done> {
    this.#modules.doctor.cancel();
    return succeed(null);
  }

  /** Returns what a lease in a file or text says, without importing it. Fails with LEASE_REFUSED and the problem. */
  async readLease({ text }: CommandInput<'readLease'>): Promise<CommandOutput<'readLease'>> {
    await this.start();
    return describeRead(await this.#modules.lease.read(text));
  }

  /** Imports such a lease, signed in or not. */
  async importLease({ text }: CommandInput<'importLease'>): Promise<CommandOutput<'importLease'>> {
    await this.start();
    const describe = (read: Result<VerifiedLease>) =>
      read.ok ? { outcome: 'done', lease: { kid: read.value.kid, claims: read.value.claims } } : outcomeOf(read);
    return describeRead(await this.#timed('importLease', this.#modules.auth.importLease(text), describe));
  }

  /**
   * Returns the request from which staff sign a lease for this device, and its file name. `licenseKey` is as typed;
   * without it the request has this device's key, and fails with LICENSE_NOT_FOUND if there is none.
   */
  async requestLease({ licenseKey = '' }: { readonly licenseKey?: string } = {}): Promise<Result<MadeLeaseRequest>> {
    await this.start();
    return this.#modules.leaseRequest.make(licenseKey);
  }

  /** Asks the server for the next lease now. */
  async renewLease(): Promise<Done> {
    await this.start();
    const signedOut = this.#modules.session.signedOutFailure();
    if (signedOut) return fail(signedOut);
    const renewing = this.#modules.lease.renew();
    return this.#recordCommand(
      'renewLease',
      renewing.then((result) => (result.kind === 'success' ? succeed(null) : fail(result.failure))),
    );
  }

  async activateLicense(input: CommandInput<'activateLicense'>): Promise<CommandOutput<'activateLicense'>> {
    await this.start();
    return this.#recordCommand('activateLicense', this.#modules.activation.activate(input));
  }

  async listDevices(): Promise<Done> {
    return this.#modules.devices.refresh();
  }

  async releaseDevice({ activationId }: CommandInput<'releaseDevice'>): Promise<Done> {
    const { devices } = this.#modules;
    const this_device = devices.isThisDevice(activationId);
    const describe = (done: Done) => ({ ...outcomeOf(done), this_device });
    return this.#timed('releaseDevice', devices.release(activationId), describe);
  }

  /** Renames this device only: stored, and sent to the server as soon as it can be reached. */
  async renameDevice({ name }: CommandInput<'renameDevice'>): Promise<Done> {
    await this.start();
    return this.#modules.deviceRename.rename(name);
  }

  generateApiKey({ replace }: CommandInput<'generateApiKey'>): Promise<CommandOutput<'generateApiKey'>> {
    return this.#modules.apiKey.generate(replace);
  }

  /** Asks the server whether the API key was revoked. */
  checkApiKey(): Promise<Done> {
    return this.#modules.apiKey.check();
  }

  replaceLicenseKey(input: CommandInput<'replaceLicenseKey'>): Promise<CommandOutput<'replaceLicenseKey'>> {
    return this.#recordCommand('replaceLicenseKey', this.#modules.licenseKeyReplacement.replace(input));
  }

  /** Returns the key just generated, until the user confirms having saved it. */
  unsavedApiKey(): string | null {
    return this.#modules.apiKey.unsaved;
  }

  async confirmApiKeySaved(): Promise<Done> {
    this.#modules.apiKey.forgetUnsaved();
    return succeed(null);
  }

  /** Looks for leaked keys in a text, files and folders, or a stream; sends nothing. A later scan cancels this one. */
  scanForKeys(input: ScanInput, options?: ScanOptions): Promise<CommandOutput<'scanForKeys'>> {
    return this.#modules.leakedKeys.scan(input, options);
  }

  async cancelKeyScan(): Promise<Done> {
    this.#modules.leakedKeys.cancel();
    return succeed(null);
  }

  /** Reports an API key of the last scan by its `id`: the server revokes it if it is one of its own. */
  async reportLeakedKey({ id }: CommandInput<'reportLeakedKey'>): Promise<Done> {
    await this.start();
    return this.#modules.leakedKeys.report(id);
  }

  verifyInstaller({ path }: CommandInput<'verifyInstaller'>): Promise<Done> {
    return this.#modules.installer.verify(path);
  }

  verifyInstallation(): Promise<Done> {
    return this.#modules.installer.verifyOwn();
  }

  /** Asks the server for a newer version of the app. */
  async checkForUpdates(): Promise<Done> {
    await this.start();
    return this.#modules.updates.check();
  }

  /** Installs the available version; without `restart` it runs from the next start. */
  async installUpdate({ restart }: { readonly restart: boolean } = { restart: true }): Promise<Done> {
    await this.start();
    return this.#modules.updates.install({ restart });
  }

  /** Update functions for the window only. */
  get updates(): Pick<Updates, 'downloadAddress' | 'cancel'> {
    return this.#modules.updates;
  }

  async cancelVerification(): Promise<Done> {
    this.#modules.installer.cancel();
    return succeed(null);
  }

  async changeSettings(change: CommandInput<'changeSettings'>): Promise<Done> {
    await this.start();
    const done = await this.#modules.preferences.changeSettings(change);
    this.#modules.sync.updatePace();
    return done;
  }

  async dismissWarning({ id }: CommandInput<'dismissWarning'>): Promise<Done> {
    this.#modules.heartbeat.dismissWarning(id);
    return succeed(null);
  }

  /** Returns devices and activity as CSV text; requires `csv_export`. */
  async historyCsv(): Promise<Result<string>> {
    return this.#modules.history.csv();
  }

  /** Adds an export of the history to the activity list. */
  recordHistoryExport(fileName: string): void {
    this.#modules.history.recordExport(fileName);
  }

  /** Sets whether the window is in the foreground (syncs each minute) or hidden (at the interval of the settings). */
  readonly setForeground = (foreground: boolean): void => {
    const { sync, session, serverAbout } = this.#modules;
    sync.setForeground(foreground);
    if (foreground && !session.user) void this.#started?.then(() => serverAbout.refreshIfDue());
  };

  /** Adds the user's command and its outcome to the timeline. */
  #recordCommand<T>(command: CommandName, result: Promise<Result<T>>): Promise<Result<T>> {
    return this.#timed(command, result, outcomeOf);
  }

  async #timed<T>(command: CommandName, result: Promise<T>, describe: (result: T) => Outcome): Promise<T> {
    const { clock, timeline } = this.#modules;
    const beganAtMs = clock.monotonic();
    const settled = await result;
    timeline.addCommand({ command, took_ms: Math.round(clock.monotonic() - beganAtMs), ...describe(settled) });
    return settled;
  }

  async #load(): Promise<void> {
    const { preferences, deviceIdentity, deviceName, featureTexts, leaseKeys, leaseAccount } = this.#modules;
    const { timeline, serverAbout, session, endedSession, auth, updates } = this.#modules;
    const own = [preferences, deviceIdentity, deviceName, timeline, updates];
    const parts = [...own, featureTexts, leaseKeys, leaseAccount, endedSession, serverAbout];
    await Promise.all(parts.map((part) => part.load()));
    await auth.restore();
    timeline.recordKnown(() => describeKnown(this.#modules));
    updates.start();
    // With a session the first sync asks.
    if (!session.user) void serverAbout.refreshIfDue();
  }
}

type Outcome = Omit<CommandNote, 'command' | 'took_ms'>;

function outcomeOf<T>(result: Result<T>): Outcome {
  return { outcome: result.ok ? 'done' : result.failure.code };
}

function describeRead(read: Result<VerifiedLease>): CommandOutput<'readLease'> {
  if (!read.ok) return read;
  const { license, plan, device_id: deviceId, exp } = read.value.claims;
  return succeed({ license, plan, deviceId, expiresAt: toTimestamp(exp * 1000) });
}

type Modules = ReturnType<typeof buildModules>;

/** A header is limited to ASCII. */
function formatUserAgent(name: string, version: string, { platform, deviceName }: Machine): string {
  const about = [platform, deviceName]
    .filter((text) => /^[ -~]+$/.test(text))
    .map((text) => text.replace(/[()\\;]/g, ' '));
  return `${toToken(name)}/${toToken(version)} (${about.join('; ')})`;
}

/** Makes a valid product name or version (RFC 9110 §10.1.5). */
function toToken(text: string): string {
  return text.replace(/[^\w.+-]+/g, '-');
}

/** Builds each module from those above it; starts nothing. */
function buildModules(deps: LicensingClientDeps, signal: AbortSignal) {
  const { platform, app, clientName = 'Latchkey', defaultServerAddress, serverAddress, systemLocale = 'en' } = deps;
  const { clock, random, log, secrets, plain, machine, http, network, files, power, subtle = crypto.subtle } = platform;
  const changes = new ChangeNotifier({ clock, log });
  const base = { clock, random, log, secrets, plain, machine, http, network, files, power, changes };
  const preferences = new Preferences({
    ...base,
    systemLocale,
    defaultServerAddress,
    ...(serverAddress === undefined ? {} : { serverAddress }),
  });
  const deviceIdentity = new DeviceIdentity({ ...base, subtle });
  const deviceName = new DeviceName(base);
  const activity = new ActivityLog(base);
  const trustedTime = new TrustedTime(base);
  const reachability = new ReachabilityTracker({ ...base, activity });
  const userAgent = formatUserAgent(clientName, app.version, machine);
  const timeline = new Timeline({ ...base, version: app.version });
  const api = new ApiClient({ ...base, timeline, userAgent, preferences, reachability, trustedTime, signal });
  const session = new Session({ ...base, api });
  const endedSession = createEndedSession(base);
  const account = new Account({ ...base, api, session, activity, trustedTime });
  const store = new LicenseStore({ ...base, subtle });
  const featureTexts = new FeatureTexts({ ...base, api, preferences });
  const leaseKeys = new LeaseKeys({ ...base, api, session, pinned: deps.trustedLeaseKeys ?? null });
  const leaseAccount = createLeaseAccount(base);
  const leaseParts = { leaseKeys, leaseAccount, deviceIdentity, trustedTime, activity };
  const serverAbout = new ServerAbout({ ...base, api, preferences });
  const lease = new Lease({ ...base, ...leaseParts, preferences, session, store, subtle, serverAbout });
  const features = new FeatureGate({ ...base, session, store, lease, trustedTime, reachability, featureTexts });
  const deviceLicense = new DeviceLicense({ ...base, session, store, deviceIdentity, deviceName, trustedTime });
  const leaseRequest = new LeaseRequest({ ...base, store, deviceIdentity, deviceName, deviceLicense });
  const devices = new Devices({ ...base, session, store, deviceLicense, deviceIdentity, deviceName, activity });
  const heartbeat = new Heartbeat({ ...base, preferences, session, store, deviceIdentity, activity, trustedTime });
  const licenseKeyReplacement = new LicenseKeyReplacement({ ...base, session, store, deviceLicense, activity });
  const apiKey = new ApiKey({ ...base, session, store, features, activity });
  const leakedKeys = new LeakedKeys({ ...base, api, apiKey, activity });
  const installer = new InstallerVerifier({ ...base, api, activity });
  const updateParts = { updater: platform.updater ?? null, updateKeys: deps.updateKeys ?? null, subtle };
  const updates = new Updates({ ...base, ...updateParts, userAgent, signal, preferences, lease, current: app.version });
  const history = new History({ ...base, features, devices, activity });
  const ofLicense = { store, deviceLicense, lease, leaseKeys, devices, heartbeat, apiKey };
  const core = { ...ofLicense, session, activity, preferences, trustedTime, reachability };
  const deviceRename = new DeviceRename({ ...base, store, deviceName, deviceLicense, devices, activity });
  const sync = new Sync({ ...base, ...core, deviceRename, featureTexts, serverAbout });
  const activation = new Activation({ ...base, ...core, deviceIdentity, deviceName, sync });
  const auth = new Auth({
    ...base,
    ...core,
    api,
    endedSession,
    leaseAccount,
    leaseRequest,
    deviceIdentity,
    sync,
    accountData: [heartbeat, devices, apiKey, leakedKeys, installer, account],
    account,
  });
  const signedOutReason = () => auth.signedOutReason;
  const doctorParts = { preferences, session, deviceLicense, trustedTime, signedOutReason, signal };
  const doctor = new ConnectionDoctor({ ...base, ...doctorParts });
  const shown = {
    ...core,
    doctor,
    leaseAccount,
    account,
    deviceIdentity,
    deviceName,
    features,
    featureTexts,
    serverAbout,
    leakedKeys,
    installer,
    updates,
    sync,
    auth,
  };
  const appState = new AppStateSource({ ...base, ...shown, app });
  const leaseEnd = new LeaseEnd({ ...base, lease, store, trustedTime, sync });
  changes.subscribe(() => {
    const license = features.license();
    const on = features.features(license).flatMap((feature) => (feature.on ? [feature.feature] : []));
    timeline.recordDecision(license, on);
  });
  const ownParts = { history, leaseRequest, licenseKeyReplacement, deviceRename, activation, endedSession };
  return { ...shown, ...ownParts, appState, leaseEnd, platform, clock, api, timeline, changes };
}
