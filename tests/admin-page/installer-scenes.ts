/** The installers screen in each of its states. */
import type { Page } from '@playwright/test';
import type { Answers } from './fake-api.ts';
import { sampleInstallers, samplePublication, sampleUpdateFeed } from './sample-server.ts';
import { sampleSession } from './sample-staff.ts';
import type { AdminScene } from './scene.ts';

const hash = '#/installers';
const published: Answers = { audit: samplePublication() };
const longVersion = '4.2.0-nightly.20261122+wissenschaftliche.mitarbeiterin.neurophysiologie.universitaetsklinikum';

/** Sets the file of the platform at this position. */
async function choose(page: Page, place: number, name: string): Promise<void> {
  const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, name) };
  await page.locator('input[type=file]').nth(place).setInputFiles(file);
}

async function publishOne(page: Page): Promise<void> {
  await page.getByLabel('Version', { exact: true }).fill('4.3.0');
  await choose(page, 2, 'Latchkey-4.3.0.AppImage');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
}

export const installerScenes: readonly AdminScene[] = [
  { name: 'installers', hash, answers: published },
  { name: 'installers-first-run', hash, answers: { installers: { installers: null } } },
  {
    name: 'installers-loading',
    hash,
    answers: { installers: 'never' },
    prepare: (page) => page.getByText('Loading…').first().waitFor(),
  },
  { name: 'installers-error', hash, answers: { installers: { error: 'INTERNAL_ERROR' } } },
  { name: 'installers-offline', hash, answers: { installers: 'unreachable', audit: 'unreachable' } },
  { name: 'installers-viewer', hash, answers: { ...published, staffSession: sampleSession('viewer') } },
  {
    name: 'installers-long-version',
    hash,
    answers: { installers: sampleInstallers(longVersion), audit: samplePublication(longVersion) },
  },
  { name: 'installers-updates', hash, answers: { ...published, updateFeed: sampleUpdateFeed() } },
  {
    name: 'installers-rollout',
    hash,
    answers: { ...published, updateFeed: sampleUpdateFeed() },
    prepare: (page) => page.getByRole('button', { name: 'Change rollout' }).first().click(),
  },
  {
    name: 'installers-withdraw-update',
    hash,
    answers: { ...published, updateFeed: sampleUpdateFeed() },
    prepare: (page) => page.getByRole('button', { name: 'Withdraw update' }).first().click(),
  },
  { name: 'installers-german', hash, answers: published, locale: 'de-DE' },
  { name: 'installers-japanese', hash, answers: published, locale: 'ja-JP' },
  { name: 'installers-large-text', hash, answers: published, textSize: 2 },
  {
    name: 'installers-prepared',
    hash,
    answers: published,
    prepare: async (page) => {
      await page.getByLabel('Version', { exact: true }).fill('4.3.0');
      await choose(page, 0, 'Latchkey-Setup-4.3.0.exe');
      await choose(page, 1, 'Latchkey-4.3.0-with-a-name-that-a-build-server-has-made.deb');
    },
  },
  {
    name: 'installers-incomplete',
    hash,
    answers: published,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Enter a hash' }).first().click();
      await page.getByLabel('SHA-256').fill('sha256:1234');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByText('Enter the version.').waitFor();
    },
  },
  {
    name: 'installers-uploading',
    hash,
    answers: { ...published, compareInstaller: 'never' },
    prepare: async (page) => {
      await publishOne(page);
      await page.getByRole('progressbar', { name: /^Uploading/ }).waitFor();
    },
  },
  {
    name: 'installers-differ',
    hash,
    answers: { ...published, compareInstaller: { error: 'VALIDATION_ERROR' } },
    prepare: async (page) => {
      await publishOne(page);
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'installers-session-ended',
    hash,
    answers: { ...published, compareInstaller: { error: 'INVALID_TOKEN' } },
    prepare: async (page) => {
      await publishOne(page);
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  {
    name: 'installers-withdraw',
    hash,
    answers: published,
    prepare: (page) => page.getByRole('button', { name: 'Withdraw' }).click(),
  },
];
