/** The gallery's scenes: each screen in each of its states. */
import type { Page } from '@playwright/test';
import type { Replacement } from '../../shared/ipc/activation-outcome.ts';
import type { AppState, Device } from '../../shared/ipc/app-state.ts';
import type { LeakedKey } from '../../shared/ipc/key-scan.ts';
import type { FakeBridge, Script } from '../renderer/fake-bridge.ts';
import {
  blockedState,
  doctorReport,
  endingState,
  excessState,
  featuresOf,
  filledState,
  firstRunState,
  from,
  leasedState,
  offlineState,
  pastDueState,
  sampleDecision,
  sampleDevice,
  sampleDiagnostics,
  sampleFailure,
  sampleOffers,
  sampleSessions,
  signedOutState,
  skippedAfter,
  waitingState,
  withServer,
} from '../renderer/sample-states.ts';
import { openingScenes } from './opening-scenes.ts';

export type Scene = {
  readonly name: string;
  /** `null` until the main process has sent the first state. */
  readonly state: AppState | null;
  readonly script?: Script;
  readonly hash?: string;
  readonly widths?: readonly ('wide' | 'folded' | 'narrow')[];
  readonly height?: number;
  /** Text size as a multiple: 2 is text at 200 %. */
  readonly textSize?: number;
  readonly forcedColors?: boolean;
  readonly prepare?: (page: Page, fake: FakeBridge) => Promise<void>;
};

const now = Date.now();
const all = ['wide', 'folded', 'narrow'] as const;
const filled = filledState(now);
const apiKey = {
  prefix: 'svc_live_Zk3v',
  isLegacy: false,
  createdAt: from(now, -90_000_000),
  revoked: null,
  unsaved: false,
} as const;
const leakedKey = (change: Partial<LeakedKey>): LeakedKey => ({
  id: 1,
  file: '/home/ada/lab/experiments/2026-03-03/logs/recorder.log',
  line: 1,
  column: 9,
  kind: 'api_key',
  preview: 'svc_live_Zk3v',
  reported: false,
  ...change,
});
const longName =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft workstation in room 4.017 by the window';

const manyDevices: readonly Device[] = Array.from({ length: 100 }, (_, index) =>
  sampleDevice(now, {
    activationId: `a-${index}`,
    name: index % 7 === 1 ? longName : `Bench ${index + 1}`,
    lastSeenAt: from(now, -index * 20 * 3_600_000),
    activity: index > 36 ? 'stale' : index > 8 ? 'idle' : 'active',
    isThisDevice: index === 0,
  }),
);

const manySessions = sampleSessions(now).flatMap((session) =>
  session.isThisSession
    ? [session]
    : Array.from({ length: 44 }, (_, index) => ({ ...session, sessionId: `s-${index}` })),
);

const longState: AppState = {
  ...filled,
  session: {
    kind: 'signed-in',
    user: {
      id: 'u-1',
      email: `${'very.long.name.'.repeat(6)}@a-rather-long-institute-name.example.org`,
      full_name: longName,
    },
    account: filled.session.kind === 'signed-in' ? filled.session.account : null,
  },
  thisDevice: filled.thisDevice && { ...filled.thisDevice, name: longName },
  devices: { value: manyDevices, loading: false, failure: null },
  warnings: [
    {
      id: 'w-1',
      text: 'This device was seen from more than five networks within an hour. If that was not you, change your password.',
      since: from(now, -3_600_000),
    },
  ],
};

const doctorScript: Script = {
  runDoctor: [
    {
      result: {
        ok: true,
        value: doctorReport(
          { tls: 'certificate-issuer', ...skippedAfter('tls'), clock: 'clock-in-sync' },
          {
            dns: '192.0.2.7',
            tls: {
              issuer: 'Example Antivirus Web Shield Root',
              expires_at: from(now, 30 * 86_400_000),
              protocol: 'TLSv1.3',
              code: 'SELF_SIGNED_CERT_IN_CHAIN',
            },
          },
        ),
      },
    },
  ],
};

const { steps: doctorSteps, ...doctorHead } = doctorReport({});
const runningDoctor = { running: 'tls', report: { ...doctorHead, steps: doctorSteps.slice(0, 3) } } as const;

async function openDoctor(page: Page): Promise<void> {
  await press('Details')(page);
  await press('Connection doctor')(page);
}

const released: AppState = {
  ...firstRunState(now),
  thisDevice: filled.thisDevice && { ...filled.thisDevice, activated: false, activationId: null },
};

const others = filled.devices.value?.slice(1) ?? [];
const limitScript = (replacement: Replacement): Script => ({
  activateLicense: [
    {
      result: { ok: true, value: { kind: 'device-limit-reached', maxActivations: 3, placeFreeAt: null, replacement } },
    },
  ],
});
const withOthers: AppState = {
  ...firstRunState(now),
  devices: { value: others, loading: false, failure: null },
};
const offerOthers = limitScript({ kind: 'devices', devices: others.toReversed(), lookAlikes: ['a-3'] });

const fill = (label: string, value: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(value);
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

async function openShortcuts(page: Page): Promise<void> {
  // A key pressed before the first paint is lost.
  await page.getByRole('heading').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
}

const openDevice = (name: string) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole('dialog').waitFor();
};

async function signInWith(page: Page): Promise<void> {
  await fill('Email', 'ada@lab.org')(page);
  await fill('Password', 'not the right one')(page);
  await press('Sign in')(page);
}

async function enterKey(page: Page): Promise<void> {
  await fill('License key', 'SVC-7QK2-90AB-CDEF-GH12')(page);
  await press('Activate this device')(page);
}

function inLanguage(language: 'de' | 'ja', state: AppState): AppState {
  return { ...state, settings: { ...state.settings, language } };
}

const diagnosticsScript: Script = {
  loadDiagnostics: [{ result: { ok: true, value: sampleDiagnostics(now) } }],
  supportFile: [{ result: { ok: true, value: { text: JSON.stringify(sampleDiagnostics(now), null, 2) } } }],
};

const downloading: AppState = {
  ...filled,
  updates: {
    ...filled.updates,
    available: '4.3.0',
    working: 'installing',
    progress: { doneBytes: 42_300_000, totalBytes: 118_000_000, bytesPerSecond: 3_400_000 },
  },
};

export const scenes: readonly Scene[] = [
  { name: 'loading', state: null },
  { name: 'sign-in', state: signedOutState(now), widths: ['wide', 'narrow'] },
  {
    name: 'sign-in-wrong',
    state: signedOutState(now),
    script: { signIn: [{ result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } }] },
    prepare: signInWith,
  },
  {
    name: 'sign-in-slow',
    state: signedOutState(now),
    widths: ['wide', 'narrow'],
    script: { signIn: [{ result: { ok: true, value: null }, isHeld: true }] },
    prepare: async (page) => {
      await signInWith(page);
      await page.getByText('The server has not responded yet.').waitFor();
    },
  },
  {
    name: 'sign-in-gateway',
    state: signedOutState(now),
    script: {
      signIn: [
        {
          result: {
            ok: false,
            failure: {
              ...sampleFailure('SERVER_UNREACHABLE', now),
              respondedInstead: { kind: 'gateway', status: 502 },
            },
          },
        },
      ],
    },
    prepare: signInWith,
  },
  {
    name: 'sign-in-limited',
    state: signedOutState(now),
    script: {
      signIn: [
        {
          result: {
            ok: false,
            failure: { ...sampleFailure('RATE_LIMITED', now), at: from(Date.now(), 60_000), retryAfterSeconds: 42 },
          },
        },
      ],
    },
    prepare: signInWith,
  },
  {
    name: 'sign-in-remove-data',
    state: signedOutState(now),
    prepare: press('Remove data…'),
    widths: ['wide', 'narrow'],
  },
  { name: 'sign-up', state: signedOutState(now), prepare: press('Create account'), height: 800 },
  {
    name: 'sign-up-field-errors',
    state: signedOutState(now),
    height: 820,
    prepare: async (page) => {
      await press('Create account')(page);
      await fill('Email', 'ada')(page);
      await fill('Password', 'short')(page);
      await press('Create account')(page);
    },
  },
  {
    name: 'sign-in-other-server',
    state: signedOutState(now),
    script: { setServerAddress: [{ result: { ok: false, failure: sampleFailure('SERVER_ADDRESS_INVALID', now) } }] },
    height: 900,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Use another server' }).click();
      await fill('Server address', 'http://license.lab.org')(page);
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'signed-out-while-working',
    state: filled,
    prepare: (_page, fake) =>
      fake.push({ ...signedOutState(now), session: { kind: 'signed-out', reason: 'session-revoked' } }),
  },
  { name: 'overview-first-run', state: firstRunState(now), height: 900 },
  { name: 'overview', state: filled, widths: all },
  { name: 'overview-offline', state: offlineState(now) },
  {
    name: 'overview-offline-details',
    state: offlineState(now),
    prepare: press('Details'),
  },
  {
    name: 'overview-check-failed',
    state: filled,
    script: { syncNow: [{ result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } }] },
    prepare: press('Check now'),
    widths: ['wide', 'narrow'],
  },
  {
    name: 'overview-offline-sign-out',
    state: offlineState(now),
    prepare: async (page) => {
      await press('ada@lab.org')(page);
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'doctor',
    state: offlineState(now),
    script: doctorScript,
    prepare: openDoctor,
    widths: ['wide', 'narrow'],
    height: 1150,
  },
  {
    name: 'doctor-running',
    state: { ...offlineState(now), doctor: runningDoctor },
    script: { runDoctor: [{ result: { ok: true, value: doctorReport({}) }, afterMs: 60_000 }] },
    prepare: openDoctor,
    height: 1000,
  },
  { name: 'overview-ending', state: endingState(now), widths: ['wide', 'narrow'] },
  { name: 'overview-ending-german', state: inLanguage('de', endingState(now)) },
  { name: 'overview-payment-failed', state: pastDueState(now), widths: ['wide', 'narrow'] },
  { name: 'overview-payment-failed-german', state: inLanguage('de', pastDueState(now)) },
  { name: 'overview-payment-failed-japanese', state: inLanguage('ja', pastDueState(now)) },
  {
    name: 'overview-updated',
    state: { ...filled, app: { ...filled.app, updatedFrom: '0.0.9' } },
    widths: ['wide', 'narrow'],
  },
  { name: 'overview-released', state: released },
  {
    name: 'overview-released-elsewhere',
    state: { ...released, thisDevice: released.thisDevice && { ...released.thisDevice, releasedElsewhere: true } },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'overview-activating-slow',
    state: released,
    widths: ['wide', 'narrow'],
    script: { activateLicense: [{ result: { ok: false, failure: sampleFailure('CANCELED', now) }, isHeld: true }] },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Activate again' }).click();
      await page.getByText('The server has not responded yet.').waitFor();
    },
  },
  {
    name: 'overview-signing-out-slow',
    state: filled,
    widths: ['wide', 'narrow'],
    script: { signOut: [{ result: { ok: true, value: null }, isHeld: true }] },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'ada@lab.org' }).click();
      await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
      await page.getByText('Waiting for the server').waitFor();
    },
  },
  {
    name: 'overview-without-links',
    state: { ...blockedState(now, 'subscription-ended'), app: { ...filled.app, links: [] } },
  },
  { name: 'overview-revoked', state: blockedState(now, 'revoked') },
  { name: 'overview-long', state: longState, widths: all },
  {
    name: 'devices-right-to-left-release',
    state: {
      ...filled,
      devices: {
        value: [sampleDevice(now, { activationId: 'a-9', name: 'מעבדה 3, \u202eVertrieb', isThisDevice: false })],
        loading: false,
        failure: null,
      },
    },
    hash: '#devices',
    prepare: press('Release'),
  },
  { name: 'overview-german', state: inLanguage('de', filled), widths: ['wide', 'narrow'] },
  { name: 'overview-japanese', state: inLanguage('ja', filled) },
  { name: 'overview-200', state: filled, textSize: 2, widths: ['wide', 'folded'] },
  {
    name: 'overview-200-german',
    state: inLanguage('de', offlineState(now)),
    textSize: 2,
    widths: ['narrow'],
    height: 3000,
  },
  { name: 'overview-contrast', state: offlineState(now), forcedColors: true },
  { name: 'features', state: filled, hash: '#features', widths: all, height: 780 },
  {
    name: 'features-why',
    state: filled,
    hash: '#features',
    widths: all,
    script: { explainFeatures: [{ result: { ok: true, value: [sampleDecision(now, 'csv_export')] } }] },
    prepare: (page) => page.getByRole('button', { name: 'Why? CSV export' }).click(),
  },
  { name: 'diagnostics', state: filled, hash: '#diagnostics', widths: all, height: 1100, script: diagnosticsScript },
  {
    name: 'diagnostics-details',
    state: filled,
    hash: '#diagnostics',
    widths: ['wide', 'narrow'],
    height: 1300,
    script: diagnosticsScript,
    prepare: (page) => page.locator('summary', { hasText: 'Could not reach' }).click(),
  },
  {
    name: 'diagnostics-none-found',
    state: filled,
    hash: '#diagnostics',
    height: 1000,
    script: diagnosticsScript,
    prepare: fill('Find what happened', 'no such thing'),
  },
  {
    name: 'diagnostics-empty',
    state: filled,
    hash: '#diagnostics',
    script: { loadDiagnostics: [{ result: { ok: true, value: { timeline: [], connection: [] } } }] },
  },
  {
    name: 'diagnostics-support-file',
    state: filled,
    hash: '#diagnostics',
    widths: ['wide', 'narrow'],
    script: diagnosticsScript,
    prepare: (page) => page.getByRole('button', { name: 'Save support file…' }).click(),
  },
  {
    name: 'diagnostics-german',
    state: inLanguage('de', filled),
    hash: '#diagnostics',
    height: 1100,
    script: diagnosticsScript,
  },
  {
    name: 'diagnostics-japanese',
    state: inLanguage('ja', filled),
    hash: '#diagnostics',
    height: 1100,
    script: diagnosticsScript,
  },
  { name: 'lease-expired-session', state: leasedState(now, 'session-expired'), widths: all },
  { name: 'lease-not-signed-in', state: leasedState(now, null) },
  { name: 'lease-waiting', state: waitingState(now), hash: '#features' },
  {
    name: 'lease-not-accepted',
    state: { ...waitingState(now), lease: { ...filled.lease, state: 'unusable', problem: 'unknown_key' } },
    widths: ['wide', 'narrow'],
  },
  { name: 'features-without-links', state: { ...filled, app: { ...filled.app, links: [] } }, hash: '#features' },
  { name: 'features-revoked', state: blockedState(now, 'revoked'), hash: '#features' },
  { name: 'features-german', state: inLanguage('de', filled), hash: '#features' },
  { name: 'devices', state: filled, hash: '#devices', widths: all },
  { name: 'devices-excess', state: excessState(now), hash: '#devices', widths: ['wide', 'narrow'] },
  { name: 'overview-excess-german', state: inLanguage('de', excessState(now)), widths: ['wide', 'narrow'] },
  { name: 'devices-released', state: released, hash: '#devices', widths: ['wide', 'narrow'] },
  { name: 'devices-first-run', state: firstRunState(now), hash: '#devices' },
  {
    name: 'devices-mistyped',
    state: firstRunState(now),
    hash: '#devices',
    prepare: fill('License key', 'SVC-7QK2-90AB-CDEF-GH12'),
  },
  {
    name: 'devices-not-found',
    state: firstRunState(now),
    hash: '#devices',
    script: { activateLicense: [{ result: { ok: false, failure: sampleFailure('LICENSE_NOT_FOUND', now) } }] },
    prepare: enterKey,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-limit',
    state: withOthers,
    hash: '#devices',
    script: offerOthers,
    prepare: enterKey,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-limit-no-list',
    state: firstRunState(now),
    hash: '#devices',
    script: limitScript({ kind: 'list-failed', failure: sampleFailure('SERVER_UNREACHABLE', now) }),
    prepare: enterKey,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-limit-again',
    state: withOthers,
    hash: '#devices',
    script: offerOthers,
    prepare: async (page) => {
      await enterKey(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).first().click();
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-details',
    state: filled,
    hash: '#devices',
    widths: ['wide', 'narrow'],
    prepare: openDevice('About Studio Mac'),
  },
  {
    name: 'devices-details-german',
    state: inLanguage('de', filled),
    hash: '#devices',
    prepare: openDevice('Über Studio Mac'),
  },
  {
    name: 'devices-release',
    state: filled,
    hash: '#devices',
    prepare: (page) => page.getByRole('button', { name: 'Release' }).nth(1).click(),
  },
  {
    name: 'devices-loading',
    state: { ...filled, devices: { value: null, loading: true, failure: null } },
    hash: '#devices',
  },
  {
    name: 'devices-error',
    state: { ...filled, devices: { value: null, loading: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } },
    hash: '#devices',
  },
  {
    name: 'devices-not-listed',
    state: { ...filled, server: { ...filled.server, deviceList: 'missing' }, features: featuresOf('free') },
    hash: '#devices',
  },
  { name: 'devices-long', state: longState, hash: '#devices', widths: all },
  {
    name: 'devices-unseen',
    state: longState,
    hash: '#devices',
    prepare: async (page) => {
      await page.locator('.device-search select').first().selectOption('longUnseen');
      await page.locator('.device-search').scrollIntoViewIfNeeded();
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-unseen-release',
    state: longState,
    hash: '#devices',
    prepare: async (page) => {
      await page.locator('.device-search select').first().selectOption('longUnseen');
      await press('Release these 63 devices…')(page);
    },
  },
  { name: 'devices-200', state: filled, hash: '#devices', textSize: 2 },
  { name: 'api-key-none', state: filled, hash: '#api-key' },
  {
    name: 'api-key-new',
    state: filled,
    hash: '#api-key',
    script: {
      generateApiKey: [
        { result: { ok: true, value: { kind: 'generated', apiKey: 'svc_live_Zk3vQ8mN1xR7tYb2LpWc5dHsA9' } } },
      ],
    },
    prepare: async (page) => {
      await press('Generate API key')(page);
      await press('Copy')(page);
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'api-key-existing',
    state: {
      ...filled,
      apiKey,
    },
    hash: '#api-key',
  },
  {
    name: 'api-key-reported',
    state: {
      ...filled,
      apiKey: { ...apiKey, revoked: { at: from(now, -9_000_000), reported: true } },
    },
    hash: '#api-key',
    widths: ['wide', 'narrow'],
  },
  {
    name: 'api-key-reported-overview',
    state: {
      ...filled,
      apiKey: { ...apiKey, revoked: { at: from(now, -9_000_000), reported: true } },
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'sign-in-not-saved',
    state: {
      ...filled,
      ...(filled.session.kind === 'signed-in' && { session: { ...filled.session, isUnsaved: true } }),
    },
    widths: ['wide', 'narrow'],
    // Appears after two seconds.
    prepare: (page) => page.locator('main .banner').waitFor(),
  },
  {
    name: 'sign-in-not-saved-german',
    state: inLanguage('de', {
      ...filled,
      ...(filled.session.kind === 'signed-in' && {
        session: { ...filled.session, isUnsaved: true, fileProblem: 'disk-full' },
      }),
    }),
    prepare: (page) => page.locator('main .banner').waitFor(),
  },
  {
    name: 'api-key-replace',
    state: {
      ...filled,
      apiKey,
    },
    hash: '#api-key',
    prepare: press('Replace key'),
  },
  {
    name: 'leaked-keys',
    state: {
      ...filled,
      apiKey,
      keyScan: {
        kind: 'done',
        keys: [
          leakedKey({ id: 1, line: 12 }),
          leakedKey({ id: 2, line: 1873, column: 154, reported: true }),
          leakedKey({ id: 3, kind: 'license_key', preview: 'SVC-AB12...GH7X', file: '/home/ada/lab/notes.md' }),
        ],
        files: 214,
        bytes: 8_100_000,
        skipped: 31,
        unreadable: 1,
        limit: null,
        checkedAt: from(now, -60_000),
      },
    },
    hash: '#api-key',
    height: 1100,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'leaked-keys-scanning',
    state: {
      ...filled,
      apiKey,
      keyScan: { kind: 'scanning', files: 1204, bytes: 52_000_000, found: 2, file: '/home/ada/lab/logs/recorder.log' },
    },
    hash: '#api-key',
    height: 900,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'devices-rename',
    state: filled,
    hash: '#devices',
    prepare: press('Rename this device'),
    widths: ['wide', 'narrow'],
  },
  { name: 'api-key-unavailable', state: { ...filled, features: featuresOf('free') }, hash: '#api-key' },
  { name: 'installer', state: filled, hash: '#installer', widths: all },
  {
    name: 'installer-verifying',
    state: {
      ...filled,
      installer: {
        kind: 'verifying',
        fileName: 'latchkey-4.2.0-x64.AppImage',
        doneBytes: 84_300_000,
        totalBytes: 200_000_000,
        bytesPerSecond: 612_000_000,
      },
    },
    hash: '#installer',
  },
  {
    name: 'installer-genuine',
    state: {
      ...filled,
      installer: {
        kind: 'genuine',
        fileName: 'latchkey-4.2.0-x64.AppImage',
        version: '4.2.0',
        newerVersion: null,
        platform: 'linux_amd64',
        hash: `sha256:${'0f3a9c'.repeat(10)}abcd`,
        bytes: 104_857_600,
        checkedAt: from(now, -3000),
      },
    },
    hash: '#installer',
  },
  {
    name: 'installer-genuine-earlier',
    state: {
      ...filled,
      installer: {
        kind: 'genuine',
        fileName: 'latchkey-4.1.0-x64.AppImage',
        version: '4.1.0',
        newerVersion: '4.2.0',
        platform: 'linux_amd64',
        hash: `sha256:${'51c20e'.repeat(10)}abcd`,
        bytes: 104_857_600,
        checkedAt: from(now, -3000),
      },
    },
    hash: '#installer',
  },
  {
    name: 'installer-not-genuine',
    state: {
      ...filled,
      installer: {
        kind: 'not-genuine',
        fileName: 'latchkey-4.2.0-x64 (1).AppImage',
        version: '4.2.0',
        earlierKnown: true,
        hash: `sha256:${'9be77d'.repeat(10)}abcd`,
        bytes: 104_857_600,
        checkedAt: from(now, -3000),
      },
    },
    hash: '#installer',
    widths: ['wide', 'narrow'],
  },
  {
    name: 'installer-update',
    state: { ...filled, updates: { ...filled.updates, available: '4.3.0' } },
    hash: '#installer',
    height: 900,
    widths: all,
  },
  {
    name: 'installer-update-unreachable',
    state: {
      ...filled,
      updates: { ...filled.updates, available: '4.3.0', failure: sampleFailure('SERVER_UNREACHABLE', now) },
    },
    hash: '#installer',
    height: 1000,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'installer-update-downloading',
    state: downloading,
    hash: '#installer',
    height: 1000,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'installer-update-stalled',
    state: downloading,
    hash: '#installer',
    height: 1000,
    widths: ['wide', 'narrow'],
    prepare: (page) => page.locator('.hint').getByText('no progress for a while').waitFor(),
  },
  {
    name: 'installer-unreachable-share',
    state: {
      ...filled,
      installer: {
        kind: 'failed',
        fileName: 'latchkey-4.2.0-x64.exe',
        failure: sampleFailure('FILE_UNREADABLE', now, { requestId: undefined, fileProblem: 'unreachable' }),
      },
      updates: {
        ...filled.updates,
        available: '4.3.0',
        reason: 'install-failed',
        failure: sampleFailure('UPDATE_FAILED', now, { fileProblem: 'disk-full' }),
      },
    },
    hash: '#installer',
    height: 1100,
    widths: ['wide', 'narrow'],
  },
  { name: 'activity', state: filled, hash: '#activity', widths: ['wide', 'narrow'] },
  { name: 'activity-german', state: inLanguage('de', filled), hash: '#activity', widths: ['wide', 'narrow'] },
  {
    name: 'activity-none-found',
    state: filled,
    hash: '#activity',
    prepare: (page) => page.getByRole('textbox').fill('4242'),
  },
  { name: 'activity-empty', state: { ...filled, activity: [] }, hash: '#activity' },
  { name: 'settings', state: filled, hash: '#settings', height: 3300, widths: ['wide', 'narrow'] },
  {
    name: 'settings-sessions',
    state: { ...filled, sessions: { value: manySessions, loading: false, failure: null } },
    hash: '#settings',
    prepare: (page) => page.getByRole('button', { name: 'Show 20 more sessions' }).scrollIntoViewIfNeeded(),
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-email',
    state: { ...filled, isEmailUnconfirmed: true },
    hash: '#settings',
    height: 1240,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-email-pending',
    state: { ...filled, pendingEmail: 'countess@lab.org' },
    hash: '#settings',
    height: 1240,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-email-dialog',
    state: filled,
    hash: '#settings',
    prepare: async (page) => {
      await press('Change email address')(page);
      await press('Send link')(page);
    },
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-unreachable',
    state: withServer(offlineState(now), {
      accountManagement: 'unknown',
      emailChange: 'unknown',
      offers: sampleOffers,
    }),
    hash: '#settings',
    height: 1240,
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-not-stored',
    state: { ...filled, secretStorage: 'memory' },
    hash: '#settings',
    prepare: (page) => page.getByRole('button', { name: 'Change how it is stored…' }).scrollIntoViewIfNeeded(),
    widths: ['wide', 'narrow'],
  },
  { name: 'settings-german', state: inLanguage('de', filled), hash: '#settings', height: 3300 },
  {
    name: 'settings-remove-data',
    state: filled,
    hash: '#settings',
    prepare: press('Remove data…'),
    widths: ['wide', 'narrow'],
  },
  {
    name: 'settings-choice',
    state: filled,
    hash: '#settings',
    prepare: (page) => page.getByRole('combobox', { name: 'Language' }).click(),
  },
  { name: 'settings-contrast', state: filled, hash: '#settings', forcedColors: true },
  { name: 'palette', state: filled, prepare: (page) => page.keyboard.press('Control+k') },
  {
    name: 'palette-found-german',
    state: inLanguage('de', filled),
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('e');
    },
  },
  {
    name: 'shortcuts',
    state: filled,
    widths: ['wide', 'narrow'],
    height: 900,
    prepare: openShortcuts,
  },
  { name: 'shortcuts-german', state: inLanguage('de', filled), prepare: openShortcuts },
  { name: 'account-menu', state: filled, prepare: press('ada@lab.org') },
  { name: 'keyring', state: { ...filled, secretStorage: 'ask' } },
  ...openingScenes,
];

/** True for scenes that can be shown in the pseudo-locale. */
export function isInEnglish(scene: Scene): scene is Scene & { readonly state: AppState } {
  return scene.state !== null && scene.state.settings.language === 'system';
}
