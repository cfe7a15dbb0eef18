/** A real desktop whose clock is temporarily set 400 days ahead (libfaketime): online, offline and across restarts. */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './fixtures/test.ts';
import { licenseState, prepareUser, signInAndActivate } from './fixtures/user.ts';

/** Path of libfaketime, if it is installed. */
const [library] = globSync('/usr/lib/{*/faketime,faketime}/libfaketimeMT.so.1');
const isAhead = 'clock is ahead';

const title = 'a clock far ahead takes no feature, is named, and is forgotten once it is right';
const testWithFaketime = library === undefined ? null : test;

testWithFaketime?.(title, async ({ desktop, server, folder }) => {
  const file = join(folder, 'clock');
  const setClock = (offset: string) => writeFileSync(file, `${offset}\n`);
  const checkNow = () => desktop.page.getByRole('button', { name: 'Check now' }).first().click();
  const restart = async () => {
    const fake = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    Object.assign(process.env, fake);
    await desktop.restart().finally(() => {
      for (const name of Object.keys(fake)) delete process.env[name];
    });
  };

  await signInAndActivate(desktop.page, await prepareUser(server));
  setClock('+0');
  await restart();
  await expect(licenseState(desktop.page)).toContainText('Everything works');
  setClock('+400d');
  await checkNow();
  await expect(desktop.page.getByText(isAhead)).toBeVisible();
  await expect(licenseState(desktop.page)).toContainText('Everything works');

  await server.stop();
  await checkNow();
  await expect(licenseState(desktop.page)).toContainText('Offline since');
  await expect(licenseState(desktop.page)).toContainText('until');
  await restart();
  await expect(desktop.page.getByText(isAhead)).toBeVisible();
  await checkNow();
  await expect(licenseState(desktop.page)).toContainText('until');

  setClock('+0');
  await checkNow();
  await expect(desktop.page.getByText(isAhead)).toBeHidden();
  await expect(licenseState(desktop.page)).toContainText('until');
  await restart();
  await expect(desktop.page.getByText(isAhead)).toBeHidden();
});
