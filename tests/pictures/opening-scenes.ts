/** The gallery's scenes of links, answer files and offline activation. */
import type { Page } from '@playwright/test';
import { encode } from 'uqr';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { fail, succeed } from '../../shared/ipc/result.ts';
import type { FakeBridge, Script } from '../renderer/fake-bridge.ts';
import {
  filledState,
  firstRunState,
  from,
  leasedState,
  sampleFailure,
  signedOutState,
} from '../renderer/sample-states.ts';
import type { Scene } from './scenes.ts';

const now = Date.now();
const filled = filledState(now);
const firstRun = firstRunState(now);
const signedOut = signedOutState(now);
const leased = leasedState(now, null);
const hash = '#devices';
const german = (state: AppState): AppState => ({ ...state, settings: { ...state.settings, language: 'de' } });
const japanese = (state: AppState): AppState => ({ ...state, settings: { ...state.settings, language: 'ja' } });

const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';
const expiresAt = from(now, 14 * 86_400_000);
const summary = { license: 'SVC-7QK2...GH1T', plan: 'standard', deviceId, expiresAt };
const request = { license_key: 'SVC-7QK2-90AB-CDEF-GH1T', device_id: deviceId, device_name: 'Studio Mac' };
const rows = encode(JSON.stringify({ ...request, platform: 'macOS arm64' }), { ecc: 'M', border: 0 }).data;
const script: Script = {
  readLease: [{ result: succeed(summary) }],
  showLeaseRequest: [{ result: succeed({ rows }) }],
};
const refused: Script = {
  readLease: [{ result: fail(sampleFailure('LEASE_REFUSED', now, { problem: 'unknown_key' })) }],
};

const link = (_page: Page, fake: FakeBridge) =>
  fake.open({ kind: 'activate', id: 'r-1', keyPreview: 'SVC-7QK2...GH1T' });
const openFile = (_page: Page, fake: FakeBridge) =>
  fake.open({ kind: 'import-lease', id: 'r-1', file: { name: 'Studio Mac.lease', text: 'a.b.c' } });
const askForFile = (_page: Page, fake: FakeBridge) => fake.open({ kind: 'import-lease', id: 'r-1', file: null });
const scrollDown = (page: Page) => page.locator('#content').evaluate((content) => content.scrollTo(0, 10_000));
const showCode = (page: Page) => page.getByRole('button', { name: 'Show QR code' }).click();
const pressOffline = (page: Page) => page.locator('.sign-in-help button').first().click();
const narrow = ['wide', 'narrow'] as const;

export const openingScenes: readonly Scene[] = [
  { name: 'link-activate', state: firstRun, prepare: link, widths: narrow },
  { name: 'link-activate-german', state: german(firstRun), prepare: link },
  { name: 'link-activate-japanese', state: japanese(firstRun), prepare: link },
  {
    name: 'link-activate-slow',
    state: firstRun,
    script: { activateFromLink: [{ result: fail(sampleFailure('CANCELED', now)), isHeld: true }] },
    prepare: async (page, fake) => {
      await link(page, fake);
      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await page.getByText('The server has not responded yet.').waitFor();
    },
    widths: narrow,
  },
  { name: 'link-signed-out', state: signedOut, prepare: link, widths: narrow },
  {
    name: 'link-unknown',
    state: filled,
    prepare: (_page, fake) => fake.open({ kind: 'unknown-link', id: 'r-1' }),
  },
  { name: 'offline', state: filled, hash, prepare: scrollDown, widths: narrow },
  { name: 'offline-german', state: german(firstRun), hash, prepare: scrollDown, widths: narrow },
  { name: 'offline-japanese', state: japanese(firstRun), hash, prepare: scrollDown, widths: narrow },
  { name: 'offline-use', state: leased, hash, prepare: scrollDown, widths: narrow },
  { name: 'offline-use-german', state: german(filled), hash, prepare: scrollDown, widths: narrow },
  { name: 'offline-use-japanese', state: japanese(filled), hash, prepare: scrollDown },
  { name: 'offline-200', state: firstRun, hash, prepare: scrollDown, textSize: 2 },
  { name: 'offline-code', state: filled, hash, script, prepare: showCode, widths: narrow },
  { name: 'offline-code-contrast', state: filled, hash, script, prepare: showCode, forcedColors: true },
  { name: 'offline-sign-in', state: signedOut, prepare: pressOffline, widths: narrow },
  { name: 'offline-sign-in-german', state: german(signedOut), prepare: pressOffline, widths: narrow },
  { name: 'import-choose', state: filled, prepare: askForFile, widths: narrow },
  { name: 'import-answer', state: filled, script, prepare: openFile, widths: narrow },
  { name: 'import-answer-german', state: german(filled), script, prepare: openFile, widths: narrow },
  { name: 'import-answer-japanese', state: japanese(filled), script, prepare: openFile },
  { name: 'import-refused', state: filled, script: refused, prepare: openFile, widths: narrow },
  {
    name: 'import-paste',
    state: filled,
    script,
    prepare: async (page, fake) => {
      await askForFile(page, fake);
      await page.getByRole('dialog').getByRole('button', { name: 'Paste answer' }).click();
      await page.getByLabel('Answer', { exact: true }).fill('eyJhbGciOiJFZERTQSIsInR5cCI6ImxlYXNlK2p3dCJ9.eyJpc3MiOi');
    },
    widths: narrow,
  },
];
