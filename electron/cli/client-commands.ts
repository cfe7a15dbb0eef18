/** The commands of the command line, run on the licensing client by the process that holds the profile. */
import { z } from 'zod';
import type { AppState, Device } from '../../shared/ipc/app-state.ts';
import type { KeyScanReport, LeakedKey } from '../../shared/ipc/key-scan.ts';
import { type Done, type Failure, succeed } from '../../shared/ipc/result.ts';
import type { LicensingClient } from '../licensing/licensing-client.ts';
import type { Log } from '../licensing/platform.ts';
import { normalizeServerAddress } from '../licensing/server-address.ts';
import { parseDeepLink } from '../opening/deep-link.ts';
import type { OpenRequests } from '../opening/open-requests.ts';
import { isLeaseFile } from '../opening/opened-arguments.ts';
import { type CommandResult, done, failed, incompleteBy, notRun, wrongUsage } from './command-result.ts';
import type { Caller } from './control-server.ts';
import { describeLease, describeStatus, planOf, type StatusContext } from './status-document.ts';

type CommandContext = StatusContext & {
  readonly client: LicensingClient;
  /** Scheme of the app's links. */
  readonly scheme: string;
  /** Shows opened links and files in the window; `null` if there is no window. */
  readonly openRequests: Pick<OpenRequests, 'open'> | null;
  readonly log: Log;
} & Caller;

const text = (maxLength: number) => z.string().max(maxLength);
/** An id assigned by a server, which may be longer than ours. */
const serverId = text(1000);
const none = z.object({});

/** The input of each command, which may come from another process. */
const commandInputs = {
  status: z.object({ check: z.boolean() }),
  'sign-in': z.object({ email: text(400), password: text(1000) }),
  'sign-out': z.object({ all_devices: z.boolean() }),
  activate: z.object({ license_key: text(200), replaces: serverId.optional() }),
  devices: none,
  'devices release': z.object({ activation_id: serverId }),
  feature: z.object({ feature: text(100) }),
  why: z.object({ feature: text(100).optional() }),
  'devices rename': z.object({ name: text(1000) }),
  doctor: none,
  'lease request': z.object({ license_key: text(200) }),
  'lease show': none,
  'lease renew': none,
  'lease import': z.object({ text: z.string().max(64 * 1024) }),
  open: z.object({ target: text(4096) }),
  scan: z.object({ paths: z.array(text(4096)).min(1).max(100), report: z.boolean() }),
  support: z.object({ days: z.int().min(1).max(7) }),
  verify: z.object({ path: text(4096).optional() }),
  'updates check': none,
  'updates install': none,
} as const;

export type ClientCommand = keyof typeof commandInputs;
export type ClientCommandInput<Name extends ClientCommand> = z.infer<(typeof commandInputs)[Name]>;

type Commands = {
  readonly [Name in ClientCommand]: (
    input: ClientCommandInput<Name>,
    context: CommandContext,
  ) => CommandResult | Promise<CommandResult>;
};

const sessionNotStored: CommandResult = {
  exit: 1,
  failure: {
    error: 'The session could not be stored, so it has ended with this command. Is the disk full? Then sign in again.',
    code: 'STORE_UNAVAILABLE',
  },
};

const commands: Commands = {
  status: async ({ check }, context) => {
    const { client } = context;
    const checked = check ? await client.checkServer() : null;
    const value = describeStatus(client.getState(), context, await client.listUnreadable());
    return { exit: checked?.ok === false ? 4 : 0, value };
  },

  'sign-in': async (input, { client, hasWindow }) => {
    const signedIn = await client.signIn(input);
    if (!signedIn.ok) return failed(signedIn.failure);
    if (!hasWindow && !client.isSessionStored) return sessionNotStored;
    const { session } = client.getState();
    if (session.kind !== 'signed-in') return notSignedIn(client);
    const { id, email, full_name } = session.user;
    await client.syncNow();
    return done({ account: { id, email, full_name } });
  },

  'sign-out': async ({ all_devices: allDevices }, { client }) =>
    fromDone(await client.signOut({ allDevices }), { account: null }),

  activate: async ({ license_key: licenseKey, replaces }, { client }) => {
    const activated = await client.activateLicense({ licenseKey, ...(replaces === undefined ? {} : { replaces }) });
    if (!activated.ok) return fromFailure(activated.failure, client);
    const outcome = activated.value;
    if (outcome.kind === 'device-limit-reached') {
      const { replacement } = outcome;
      const devices = replacement.kind === 'devices' ? replacement.devices.map(describeDevice) : [];
      const failure = { error: 'The license has no place for another device.', code: 'MAX_ACTIVATIONS_REACHED' };
      return { exit: 3, failure: { ...failure, place_free_at: outcome.placeFreeAt, devices } };
    }
    const { thisDevice } = client.getState();
    const { activations, maxActivations: max_activations } = outcome;
    const license = thisDevice?.license?.keyPreview ?? null;
    return done({ activation_id: thisDevice?.activationId ?? null, activations, max_activations, license });
  },

  devices: async (_, { client }) => {
    const loaded = await client.listDevices();
    if (!loaded.ok) return fromFailure(loaded.failure, client);
    return done((client.getState().devices.value ?? []).map(describeDevice));
  },

  'devices release': async ({ activation_id: activationId }, { client }) =>
    fromDone(await client.releaseDevice({ activationId }), { success: true }, client),

  feature: async ({ feature }, { client }) => {
    const decision = await explain(client, feature);
    if (decision === undefined) return unknownFeature(feature);
    const { on, reason, decided_by } = decision;
    const state = client.getState().features.find((each) => each.feature === feature);
    const offReason = state?.on === false ? state.reason : null;
    const decisive = decision.chain.find(({ check }) => check === decided_by);
    const value = {
      feature,
      on,
      reason,
      plan: planOf(client.getState()),
      available_on: offReason?.kind === 'plan' ? offReason.availableOn : null,
      decided_by,
      until: on ? (decisive?.until ?? null) : null,
    };
    return { exit: on ? 0 : 3, value };
  },

  why: async ({ feature }, { client }) => {
    const explained = await client.explainFeatures();
    if (!explained.ok) return failed(explained.failure);
    const chosen = explained.value.filter((each) => feature === undefined || each.feature === feature);
    if (feature !== undefined && chosen.length === 0) return unknownFeature(feature);
    return done(chosen.map(({ feature: name, on, chain }) => ({ feature: name, on, chain })));
  },

  'devices rename': async ({ name }, { client }) => {
    const renamed = await client.renameDevice({ name });
    if (!renamed.ok) return fromFailure(renamed.failure, client);
    const { thisDevice } = client.getState();
    return done({ device: { device_id: thisDevice?.deviceId ?? null, name: thisDevice?.name ?? '' } });
  },

  doctor: async (_, { client, signal }) => {
    // A check that was started elsewhere, e.g. in the window, is not canceled from here.
    const isShared = (client.getState().doctor?.running ?? null) !== null;
    const report = await orCancel(client.runDoctor(), signal, () => void (isShared || client.cancelDoctor()));
    if (!report.ok) return failed(report.failure);
    const outcomes = report.value.steps.map(({ outcome }) => outcome);
    return { exit: outcomes.includes('fail') ? 3 : outcomes.includes('unknown') ? 4 : 0, value: report.value };
  },

  'lease request': async ({ license_key: licenseKey }, { client }) => {
    const made = await client.requestLease({ licenseKey });
    return made.ok ? done(made.value) : failed(made.failure);
  },

  open: async ({ target }, { scheme, openRequests }) => {
    const isLink = target.startsWith(`${scheme}:`);
    if (isLink ? parseDeepLink(target, scheme) === null : !isLeaseFile(target)) {
      return wrongUsage('This is neither a link of this app nor a .lease file.');
    }
    if (openRequests === null) {
      return { exit: 1, failure: { error: 'No window is open. Start the app first.', code: 'NO_WINDOW' } };
    }
    await openRequests.open(isLink ? { kind: 'link', link: target } : { kind: 'file', path: target });
    return done({ handed_to: 'window' });
  },

  scan: async ({ paths, report }, { client, signal }) => {
    const scanned = await client.scanForKeys({ paths }, { signal });
    if (!scanned.ok) return failed(scanned.failure);
    const reported = report ? await reportKeys(scanned.value.keys, client) : succeed(null);
    const { keyScan } = client.getState();
    // If the window has started another scan meanwhile, none of its ids match.
    const shown = keyScan.kind === 'done' ? keyScan.keys : [];
    const keys = scanned.value.keys.map((key) => shown.find(({ id }) => id === key.id) ?? key);
    const value = keys.map(({ id: _, ...key }) => key);
    // The findings are needed even if reporting failed, including which keys are already revoked.
    if (!reported.ok) return { ...incompleteBy(reported.failure), value };
    return describeScan(scanned.value, value);
  },

  support: async ({ days }, { client }) => {
    const made = await client.supportFile({ days, includeNames: false });
    return made.ok ? done(made.value) : failed(made.failure);
  },

  'lease show': (_, { client }) => showLease(client.getState()),

  'lease renew': async (_, { client }) => {
    const renewed = await client.renewLease();
    return renewed.ok ? showLease(client.getState()) : fromFailure(renewed.failure, client);
  },

  'lease import': async ({ text: lease }, { client }) => {
    const imported = await client.importLease({ text: lease });
    if (imported.ok) return done({ lease: describeLease(client.getState()) });
    const { problem } = imported.failure;
    return failed(imported.failure, problem === undefined ? {} : { problem });
  },

  verify: async ({ path }, { client, signal }) => {
    const verifying = path === undefined ? client.verifyInstallation() : client.verifyInstaller({ path });
    const verified = await orCancel(verifying, signal, () => void client.cancelVerification());
    return verified.ok ? describeVerification(client.getState()) : failed(verified.failure);
  },

  'updates check': async (_, { client }) => {
    await client.checkForUpdates();
    return describeUpdates(client.getState(), false);
  },

  'updates install': async (_, { client, hasWindow }) => {
    const installed = await client.installUpdate({ restart: hasWindow });
    if (!installed.ok && ['UPDATE_FAILED', 'CANCELED'].includes(installed.failure.code))
      return failed(installed.failure);
    return describeUpdates(client.getState(), true);
  },
};

/** Commands that change nothing: they end as soon as the caller disconnects or this process ends. */
const cancelable: ReadonlySet<ClientCommand> = new Set(['doctor', 'scan', 'verify']);

/** Runs a command whose input another process may have sent. Never rejects. */
export async function runClientCommand(name: string, input: unknown, context: CommandContext): Promise<CommandResult> {
  if (!isClientCommand(name)) return wrongUsage('This Latchkey does not know the command.');
  const parsed = commandInputs[name].safeParse(input);
  if (!parsed.success) return wrongUsage(`The input of "${name}" is not valid.`);
  try {
    await context.client.start();
    const other = refuseOtherServer(context);
    if (other !== null) return other;
    const run = commands[name] as (input: unknown, context: CommandContext) => Promise<CommandResult>;
    const running = run(parsed.data, context);
    return await (cancelable.has(name) ? Promise.race([running, onceGone(context.signal)]) : running);
  } catch (error) {
    context.log.warn('a command failed', { command: name, error });
    return { exit: 1, failure: { error: 'Something went wrong. The log has the details.', code: 'INTERNAL' } };
  }
}

/** A password or key is only for the server that the caller named. */
function refuseOtherServer({ client, server }: CommandContext): CommandResult | null {
  const { address } = client.getState().server;
  if (server === undefined || normalizeServerAddress(server) === address) return null;
  const inUse = address === null ? 'no server yet' : `the server ${address}`;
  const error = `This profile uses ${inUse}. Choose another profile with --profile, or change the server in the window.`;
  return { exit: 1, failure: { error, code: 'OTHER_SERVER' } };
}

function isClientCommand(name: string): name is ClientCommand {
  return Object.hasOwn(commands, name);
}

/** Resolves when the signal is aborted and nobody waits for the result any more. */
function onceGone(signal: AbortSignal): Promise<CommandResult> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(notRun);
    signal.addEventListener('abort', () => resolve(notRun), { once: true });
  });
}

/** Waits for the operation, and cancels it if the caller disconnects. */
async function orCancel<T>(begun: Promise<T>, signal: AbortSignal, cancel: () => void): Promise<T> {
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await begun;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Reports the API keys, up to the first one that the server rejects. */
async function reportKeys(keys: readonly LeakedKey[], client: LicensingClient): Promise<Done> {
  for (const { id, kind } of keys) {
    const reported = kind === 'api_key' ? await client.reportLeakedKey({ id }) : succeed(null);
    if (!reported.ok) return reported;
  }
  return succeed(null);
}

/** Finding nothing is an answer only if everything requested was searched. */
function describeScan({ files, skipped, unreadable, limit }: KeyScanReport, value: readonly unknown[]): CommandResult {
  const isComplete = unreadable === 0 && limit === null && (files > 0 || skipped === 0);
  if (isComplete) return { exit: value.length > 0 ? 3 : 0, value };
  const counts = `searched: ${files}, unreadable files and folders: ${unreadable}, files that are not text: ${skipped}`;
  const ended = limit === null ? '' : ` It ended at the limit on ${limit}.`;
  const error = `The scan is incomplete (${counts}).${ended}`;
  const incomplete = { error, code: 'SCAN_INCOMPLETE', files, unreadable, skipped, limit };
  return { exit: value.length > 0 ? 3 : 4, value, incomplete };
}

async function explain(client: LicensingClient, feature: string) {
  const explained = await client.explainFeatures();
  return explained.ok ? explained.value.find((each) => each.feature === feature) : undefined;
}

function unknownFeature(feature: string): CommandResult {
  return wrongUsage(
    `Neither the server nor the app knows a feature "${feature}". "status" lists those that there are.`,
  );
}

function showLease(state: AppState): CommandResult {
  return { exit: state.lease.state === 'good' ? 0 : 3, value: describeLease(state) };
}

/** Formats a device like an activation of the API. */
function describeDevice(device: Device) {
  return {
    activation_id: device.activationId,
    key_preview: device.keyPreview,
    device_id: device.deviceId,
    device_name: device.name,
    platform: device.platform,
    activated_at: device.activatedAt,
    last_seen_at: device.lastSeenAt,
    activity: device.activity,
    this_device: device.isThisDevice,
  };
}

function describeVerification({ installer }: AppState): CommandResult {
  switch (installer.kind) {
    case 'genuine': {
      const { version, platform, hash, bytes } = installer;
      return done({ genuine: true, version, platform, older_than_seen: installer.newerVersion !== null, hash, bytes });
    }
    case 'not-genuine': {
      const { version, hash, bytes } = installer;
      return { exit: 3, value: { genuine: false, version, platform: null, older_than_seen: false, hash, bytes } };
    }
    default:
      return { exit: 1, failure: { error: 'The verification was replaced by another one.', code: 'CANCELED' } };
  }
}

/**
 * If a version exists but its requested installation did not start, that is a failure; `reason` says why in either
 * case.
 */
function describeUpdates({ updates }: AppState, isInstalling: boolean): CommandResult {
  const { current, available, staged, reason, failure } = updates;
  const value = { current, available, staged, reason };
  if (available === null) return { exit: failure === null ? 3 : 4, value };
  // Known from an earlier check of the window, which shows it while the server cannot be reached.
  if (failure !== null && failure.code !== 'UPDATE_FAILED')
    return { exit: 4, value: { ...value, reason: 'unreachable' } };
  if (!isInstalling || staged !== null) return done(value);
  const error = `Version ${available} exists, but this installation cannot install it by itself (${reason}).`;
  return { exit: 1, failure: { error, code: 'UPDATE_UNAVAILABLE', ...value } };
}

function fromDone(result: Done, value: unknown, client?: LicensingClient): CommandResult {
  if (result.ok) return done(value);
  return client === undefined ? failed(result.failure) : fromFailure(result.failure, client);
}

/** If the stored session cannot be read, that is what prevents the command. */
function fromFailure(failure: Failure, client: LicensingClient): CommandResult {
  return failure.code === 'NOT_SIGNED_IN' ? notSignedIn(client) : failed(failure);
}

function notSignedIn(client: LicensingClient): CommandResult {
  const { session } = client.getState();
  const isLocked = session.kind === 'signed-out' && session.reason === 'store-unreadable';
  const failure = isLocked
    ? { error: 'The stored sign-in cannot be read. Unlock the keyring, or sign in again.', code: 'SECRET_STORE_LOCKED' }
    : { error: 'Nobody is signed in. Sign in first: latchkey sign-in EMAIL', code: 'NOT_SIGNED_IN' };
  return { exit: 1, failure };
}
