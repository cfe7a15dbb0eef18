/** Builds the licensing client: every module from top to bottom, and the verbs over them. */
import type { FeatureFlag } from '../../shared/api/features.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type Done, type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { settings } from '../../shared/ipc/settings.ts';
import { createAccountDoor } from './account-door.ts';
import { createActivation } from './activation.ts';
import { createActivityLog } from './activity-log.ts';
import { createApiClient } from './api-client.ts';
import { createApiKey } from './api-key.ts';
import { createCancelSource } from './cancel-source.ts';
import { createCheckRound } from './check-round.ts';
import { createCheckSchedule } from './check-schedule.ts';
import { describeState, featuresNow, licenseNow, type StateParts } from './describe-state.ts';
import { loadDeviceId } from './device-id.ts';
import { createDeviceList } from './device-list.ts';
import { failureNow, instantOf } from './failure.ts';
import { createHeartbeat } from './heartbeat.ts';
import { writeHistoryCsv } from './history-csv.ts';
import { createInstaller } from './installer.ts';
import { createLicenseCheck } from './license-check.ts';
import type { LicensingClient, LicensingClientOptions } from './licensing-client.ts';
import type { Platform } from './platform.ts';
import { loadPreferences, type Preferences, savePreferences } from './preferences.ts';
import { createReachability } from './reachability.ts';
import { createSavedState } from './saved-state.ts';
import { normaliseServerAddress } from './server-address.ts';
import { createSession } from './session.ts';
import { createStatePublisher } from './state-publisher.ts';
import { createTrustedTime } from './trusted-time.ts';

/**
 * The client of one machine and one app. Call `start` before anything else.
 * @example const client = createLicensingClient({ platform, app, defaultServerAddress: 'https://license.example.org' });
 */
export function createLicensingClient(
  options: LicensingClientOptions & { readonly platform: Platform },
): LicensingClient {
  const { platform, app } = options;
  const { clock, random, log, secrets, plain, machine } = platform;
  const defaultAddress = normaliseServerAddress(options.defaultServerAddress) ?? options.defaultServerAddress;
  const stopping = createCancelSource();
  const publisher = createStatePublisher(clock, log, getState);
  const onChange = publisher.changed;

  let preferences: Preferences = { serverAddress: defaultAddress, settings: settings.parse({}) };
  let ownDeviceId: string | null = null;
  const deviceId = () => ownDeviceId ?? '';

  const activity = createActivityLog(clock);
  const trustedTime = createTrustedTime(clock);
  const reachability = createReachability((to, failure) => {
    activity.add(to === 'online' ? 'back-online' : 'went-offline', failure?.code ?? null);
  });
  const api = createApiClient({
    http: platform.http,
    clock,
    random,
    serverAddress: () => preferences.serverAddress,
    signal: stopping.signal,
    onOutcome: (outcome) => {
      reachability.note(outcome);
      onChange();
    },
  });
  const session = createSession({ api, secrets, clock, random, log, onEnded: (because) => door.endSession(because) });
  const saved = createSavedState({ secrets, log });
  const check = createLicenseCheck({ session, saved, clock, trustedTime, deviceId, onChange });
  const devices = createDeviceList({ session, deviceId, onChange });
  const activation = createActivation({ session, saved, check, devices, machine, clock, deviceId });
  const heartbeat = createHeartbeat({ session, clock, activity, deviceId, onChange });
  const apiKey = createApiKey({ session, saved, activity, onChange });
  const installer = createInstaller({ api, files: platform.files, clock, activity, onChange });
  const schedule = createCheckSchedule({
    clock,
    random,
    log,
    power: platform.power,
    round: createCheckRound({ heartbeat, check, devices, saved, activity, trustedTime }),
    intervalSeconds: () => preferences.settings.heartbeatIntervalSeconds,
    onChange: () => {
      reachability.expectNextTry(schedule.nextAtMs());
      onChange();
    },
  });
  let lastAccount: string | null = null;
  const door = createAccountDoor({
    api,
    session,
    saved,
    secrets,
    clock,
    log,
    serverAddress: () => preferences.serverAddress,
    deviceId,
    onEntered: (user, how) => {
      if (lastAccount !== user.id) activity.clear();
      lastAccount = user.id;
      trustedTime.restore(saved.facts().highestWallMs);
      if (how === 'signed-in') activity.add('signed-in', user.email);
      schedule.start(how === 'signed-in' ? 0 : Math.round(200 + 1800 * random.fraction()));
      onChange();
    },
    onLeft: (because) => {
      if (lastAccount !== null) activity.add(because === null ? 'signed-out' : 'session-ended', because);
      schedule.stop();
      heartbeat.forget();
      devices.forget();
      apiKey.forgetUnsaved();
      reachability.expectNextTry(null);
      onChange();
    },
  });

  let starting: Promise<void> | null = null;

  async function load(): Promise<void> {
    preferences = await loadPreferences(plain, log, defaultAddress);
    ownDeviceId = await loadDeviceId({ machine, plain, random, log });
    await door.resume();
  }

  function stateParts(): StateParts {
    return {
      app,
      serverAddress: preferences.serverAddress,
      reachability: reachability.now(),
      deviceList: devices.capability(),
      user: session.user(),
      absent: door.absent(),
      facts: saved.facts(),
      nowMs: trustedTime.nowMs(),
      deviceId: ownDeviceId,
      machine,
      keyUnsaved: apiKey.unsaved() !== null,
      devices: devices.devices(),
      heartbeat: { lastAt: heartbeat.lastAt(), nextAt: nextAt(), lastFailure: heartbeat.lastFailure() },
      installer: installer.state(),
      warnings: heartbeat.warnings(),
      activity: activity.entries(),
      secretStorage: secrets.storage(),
      settings: preferences.settings,
      checking: schedule.checking(),
    };
  }

  function getState(): AppState {
    return describeState(stateParts());
  }

  function nextAt(): string | null {
    const atMs = schedule.nextAtMs();
    return atMs === null ? null : instantOf(atMs);
  }

  function feature(flag: FeatureFlag): Result<true> {
    const parts = stateParts();
    const license = licenseNow(parts);
    if (featuresNow(parts, license).some((state) => state.feature === flag && state.on)) return succeed(true);
    return fail(failureNow(clock, 'FEATURE_OFF', `The feature ${flag} is off.`, { feature: flag }));
  }

  function notSignedIn(): { ok: false; failure: Failure } | null {
    return session.user() ? null : fail(failureNow(clock, 'NOT_SIGNED_IN', 'Nobody is signed in.'));
  }

  async function keepPreferences(next: Preferences): Promise<Done> {
    preferences = next;
    onChange();
    try {
      await savePreferences(plain, preferences, defaultAddress);
      return succeed(null);
    } catch {
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The setting could not be kept.'));
    }
  }

  async function setServerAddress({ address }: { readonly address: string }): Promise<Done> {
    const serverAddress = normaliseServerAddress(address);
    if (serverAddress === null) {
      return fail(failureNow(clock, 'SERVER_ADDRESS_INVALID', 'The address must be https, or http on this machine.'));
    }
    if (serverAddress === preferences.serverAddress) return succeed(null);
    await door.leaveServer();
    api.forgetServer();
    reachability.forget();
    devices.forgetServer();
    return keepPreferences({ ...preferences, serverAddress });
  }

  async function releaseDevice({ activationId }: { readonly activationId: string }): Promise<Done> {
    const parts = stateParts();
    const released = parts.devices.value?.find((device) => device.activationId === activationId);
    const own = released?.isThisDevice || activationId === parts.facts.activationId;
    const done = await devices.release(activationId);
    if (!done.ok) return done;
    activity.add('device-released', released?.name ?? null);
    const answer = saved.facts().validation?.answer;
    if (own && answer?.valid) {
      await check.saveVerdict({ ...answer, already_activated_on_device: false });
      await saved.update({ activationId: null });
    }
    await devices.load();
    await check.status();
    return done;
  }

  return {
    start: () => {
      starting ??= load();
      return starting;
    },
    stop: async () => {
      schedule.dispose();
      installer.cancel();
      stopping.cancel();
      publisher.stop();
      await Promise.all([session.settled(), saved.settled()]);
    },
    getState,
    subscribe: publisher.subscribe,
    feature,
    signIn: async (input) => {
      await starting;
      return door.signIn(input);
    },
    signUp: async (input) => {
      await starting;
      return door.signUp(input);
    },
    signOut: ({ allDevices }) => door.signOut(allDevices),
    setServerAddress,
    chooseSecretStorage: async ({ keep }) => {
      try {
        await secrets.choose(keep);
      } catch {
        return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The way of keeping secrets could not be changed.'));
      }
      if (keep) await Promise.all([session.keep(), saved.keep()]);
      onChange();
      return succeed(null);
    },
    checkNow: async () => {
      const refusal = notSignedIn();
      if (refusal) return refusal;
      const failure = await schedule.checkNow();
      return failure ? fail(failure) : succeed(null);
    },
    activateLicense: async (input) => {
      const refusal = notSignedIn();
      if (refusal) return refusal;
      const result = await activation(input);
      if (result.ok && result.value.kind === 'activated') {
        activity.add('device-activated', machine.deviceName);
        schedule.checkSoon();
      }
      onChange();
      return result;
    },
    listDevices: async () => notSignedIn() ?? devices.load(),
    releaseDevice: async (input) => notSignedIn() ?? releaseDevice(input),
    generateApiKey: async ({ replace }) => {
      const gate = notSignedIn() ?? feature('api_access');
      return gate.ok ? apiKey.generate(replace) : gate;
    },
    unsavedApiKey: apiKey.unsaved,
    confirmApiKeySaved: async () => {
      apiKey.forgetUnsaved();
      return succeed(null);
    },
    verifyInstaller: ({ path }) => installer.verify(path),
    verifyInstallation: installer.verifyOwn,
    cancelVerification: async () => {
      installer.cancel();
      return succeed(null);
    },
    changeSettings: async (change) => {
      const done = await keepPreferences({ ...preferences, settings: { ...preferences.settings, ...change } });
      schedule.repace();
      return done;
    },
    dismissWarning: async ({ id }) => {
      heartbeat.dismiss(id);
      return succeed(null);
    },
    historyCsv: async () => {
      const gate = feature('csv_export');
      if (!gate.ok) return gate;
      return succeed(writeHistoryCsv(devices.devices().value ?? [], activity.entries()));
    },
    noteHistoryExported: (fileName) => {
      activity.add('history-exported', fileName);
      onChange();
    },
    setForeground: schedule.setForeground,
  };
}
