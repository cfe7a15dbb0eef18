/** The licensing client: its commands over the modules, and the state that follows from them. */
import type { FeatureFlag } from '../../shared/api/features.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type Done, type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { buildModules } from './build-modules.ts';
import { describeState, featuresNow, licenseNow, type StateParts } from './describe-state.ts';
import { loadDeviceId } from './device-id.ts';
import { failureNow, instantOf } from './failure.ts';
import { writeHistoryCsv } from './history-csv.ts';
import type { LicensingClient, LicensingClientOptions } from './licensing-client.ts';
import type { Platform } from './platform.ts';
import { normaliseServerAddress } from './server-address.ts';
import { createStatePublisher } from './state-publisher.ts';

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
  const stopping = new AbortController();
  const publisher = createStatePublisher(clock, log, getState);
  const onChange = publisher.changed;
  let ownDeviceId: string | null = null;
  const deviceId = () => ownDeviceId ?? '';
  const modules = buildModules({ platform, defaultAddress, deviceId, stopping, onChange });
  const { preferences, activity, reachability, session, saved, devices, apiKey, installer, schedule, door } = modules;
  let starting: Promise<void> | null = null;

  async function load(): Promise<void> {
    await preferences.load();
    ownDeviceId = await loadDeviceId({ machine, plain, random, log });
    await door.resume();
  }

  function stateParts(): StateParts {
    const { heartbeat, trustedTime } = modules;
    const { serverAddress, settings } = preferences.current();
    const nextAtMs = schedule.nextAtMs();
    return {
      app,
      serverAddress,
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
      heartbeat: {
        lastAt: heartbeat.lastAt(),
        nextAt: nextAtMs === null ? null : instantOf(nextAtMs),
        lastFailure: heartbeat.lastFailure(),
      },
      installer: installer.state(),
      warnings: heartbeat.warnings(),
      activity: activity.entries(),
      secretStorage: secrets.storage(),
      settings,
      syncing: schedule.checking(),
    };
  }

  function getState(): AppState {
    return describeState(stateParts());
  }

  function feature(flag: FeatureFlag): Result<true> {
    const parts = stateParts();
    const states = featuresNow(parts, licenseNow(parts));
    if (states.some((state) => state.feature === flag && state.on)) return succeed(true);
    return fail(failureNow(clock, 'FEATURE_OFF', `The feature ${flag} is off.`, { feature: flag }));
  }

  function refusalWhenSignedOut(): { readonly ok: false; readonly failure: Failure } | null {
    return session.user() ? null : fail(failureNow(clock, 'NOT_SIGNED_IN', 'Nobody is signed in.'));
  }

  async function setServerAddress(typed: string): Promise<Done> {
    const serverAddress = normaliseServerAddress(typed);
    if (serverAddress === null) {
      return fail(failureNow(clock, 'SERVER_ADDRESS_INVALID', 'The address must be https, or http on this machine.'));
    }
    if (serverAddress === preferences.current().serverAddress) return succeed(null);
    await door.leaveServer();
    modules.api.forgetServer();
    reachability.forget();
    devices.forgetServer();
    return preferences.change({ serverAddress });
  }

  async function chooseSecretStorage(keep: boolean): Promise<Done> {
    try {
      await secrets.choose(keep);
    } catch {
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The way of keeping secrets could not be changed.'));
    }
    if (keep) await Promise.all([session.keep(), saved.keep()]);
    onChange();
    return succeed(null);
  }

  const activateLicense: LicensingClient['activateLicense'] = async (input) => {
    const refusal = refusalWhenSignedOut();
    if (refusal) return refusal;
    const result = await modules.activate(input);
    if (result.ok && result.value.kind === 'activated') {
      activity.add('device-activated', machine.deviceName);
      modules.heartbeat.clearWarnings();
      schedule.checkSoon();
    }
    onChange();
    return result;
  };

  return {
    start: () => {
      starting ??= load();
      return starting;
    },
    stop: async () => {
      schedule.dispose();
      installer.cancel();
      stopping.abort();
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
    setServerAddress: async ({ address }) => {
      await starting;
      return setServerAddress(address);
    },
    chooseSecretStorage: ({ keep }) => chooseSecretStorage(keep),
    syncNow: async () => {
      const refusal = refusalWhenSignedOut();
      if (refusal) return refusal;
      const failure = await schedule.syncNow();
      return failure ? fail(failure) : succeed(null);
    },
    runDoctor: async () => {
      await starting;
      return succeed(await modules.examine());
    },
    activateLicense,
    listDevices: async () => refusalWhenSignedOut() ?? devices.load(),
    releaseDevice: async ({ activationId }) => refusalWhenSignedOut() ?? modules.release(activationId),
    generateApiKey: async ({ replace }) => {
      const gate = refusalWhenSignedOut() ?? feature('api_access');
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
      await starting;
      const done = await preferences.change({ settings: { ...preferences.current().settings, ...change } });
      schedule.repace();
      return done;
    },
    dismissWarning: async ({ id }) => {
      modules.heartbeat.dismiss(id);
      return succeed(null);
    },
    historyCsv: async () => {
      const gate = feature('csv_export');
      if (!gate.ok) return gate;
      return succeed(writeHistoryCsv(devices.devices().value ?? [], activity.entries()));
    },
    recordHistoryExport: (fileName) => {
      activity.add('history-exported', fileName);
      onChange();
    },
    setForeground: schedule.setForeground,
  };
}
