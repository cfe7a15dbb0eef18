/** Builds every module of the client from top to bottom, by hand. */
import type { User } from '../../shared/api/auth.ts';
import type { SignedOutReason } from '../../shared/ipc/app-state.ts';
import { createAccountDoor } from './account-door.ts';
import { createActivation } from './activation.ts';
import { createActivityLog } from './activity-log.ts';
import { createApiClient } from './api-client.ts';
import { createApiKey } from './api-key.ts';
import { createCheckRound } from './check-round.ts';
import { createCheckSchedule } from './check-schedule.ts';
import { createDeviceList } from './device-list.ts';
import { createDoctor } from './doctor.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createInstaller } from './installer.ts';
import { createLicenseCheck } from './license-check.ts';
import type { Platform } from './platform.ts';
import { createReachability } from './reachability.ts';
import { createRelease } from './release.ts';
import { createSavedState } from './saved-state.ts';
import { createSession } from './session.ts';
import { createStoredPreferences } from './stored-preferences.ts';
import { createTrustedTime } from './trusted-time.ts';

export type ModuleOptions = {
  readonly platform: Platform;
  readonly defaultAddress: string;
  readonly deviceId: () => string;
  /** Ends all requests when the client stops. */
  readonly stopping: AbortController;
  readonly onChange: () => void;
};

/** All modules, wired; nothing runs yet. */
export function buildModules({ platform, defaultAddress, deviceId, stopping, onChange }: ModuleOptions) {
  const { clock, random, log, secrets, plain, machine, http, files, power } = platform;

  const preferences = createStoredPreferences({ plain, log, clock, defaultAddress, onChange });
  const serverAddress = () => preferences.current().serverAddress;
  const activity = createActivityLog(clock);
  const trustedTime = createTrustedTime(clock);
  const reachability = createReachability((to, failure) => {
    activity.add(to === 'online' ? 'back-online' : 'went-offline', failure?.code ?? null);
  });
  const api = createApiClient({
    http,
    clock,
    random,
    serverAddress,
    signal: stopping.signal,
    onOutcome: (outcome) => {
      reachability.note(outcome);
      onChange();
    },
  });
  const session = createSession({ api, secrets, clock, random, log, onEnded: (reason) => door.endSession(reason) });
  const saved = createSavedState({ secrets, log });
  const check = createLicenseCheck({ session, saved, clock, trustedTime, deviceId, onChange });
  const devices = createDeviceList({ session, deviceId, onChange });
  const activate = createActivation({ session, saved, check, devices, machine, clock, deviceId });
  const release = createRelease({ devices, saved, check, activity });
  const heartbeat = createHeartbeat({ session, clock, activity, deviceId, onChange });
  const apiKey = createApiKey({ session, saved, activity, onChange });
  const installer = createInstaller({ api, files, clock, activity, onChange });
  const examine = createDoctor({
    http,
    clock,
    serverAddress,
    signal: stopping.signal,
    askSession: async () => (session.user() ? check.status() : null),
  });
  const schedule = createCheckSchedule({
    clock,
    random,
    log,
    power,
    round: createCheckRound({
      heartbeat,
      check,
      devices,
      saved,
      activity,
      trustedTime,
      isSignedIn: () => session.user() !== null,
    }),
    intervalSeconds: () => preferences.current().settings.heartbeatIntervalSeconds,
    onChange: () => {
      reachability.expectNextTry(schedule.nextAtMs());
      onChange();
    },
  });
  const door = createAccountDoor({
    api,
    session,
    saved,
    secrets,
    clock,
    log,
    serverAddress,
    deviceId,
    onEntered,
    onLeft,
  });
  let lastAccount: string | null = null;

  function onEntered(user: User, how: 'signed-in' | 'resumed'): void {
    if (lastAccount !== user.id) activity.replace(saved.facts().activity);
    lastAccount = user.id;
    trustedTime.restore(saved.facts().highestWallMs);
    if (how === 'signed-in') activity.add('signed-in', user.email);
    schedule.start(how === 'signed-in' ? 0 : Math.round(200 + 1800 * random.fraction()));
    onChange();
  }

  function onLeft(reason: SignedOutReason | null): void {
    if (lastAccount !== null) activity.add(reason === null ? 'signed-out' : 'session-ended', reason);
    schedule.stop();
    heartbeat.forget();
    devices.forget();
    apiKey.forgetUnsaved();
    installer.forget();
    reachability.expectNextTry(null);
    onChange();
  }

  return {
    preferences,
    activity,
    trustedTime,
    reachability,
    api,
    session,
    saved,
    devices,
    activate,
    release,
    heartbeat,
    apiKey,
    installer,
    examine,
    schedule,
    door,
  };
}
