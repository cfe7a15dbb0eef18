/** Two products in the real window and on the account page: that of the interface, and an app with its own features. */
import {
  hiddenFeatures,
  interfaceTitles,
  onInOwnPlan,
  ownFeatures,
  ownNames,
  ownPlan,
  setUpOwnProduct,
} from '../harness/own-product.ts';
import { expect, test } from './fixtures/test.ts';
import { featureItem, goTo, prepareUser, signInAndActivate } from './fixtures/user.ts';

const titleOf = (name: string) =>
  name in ownFeatures ? ownFeatures[name as keyof typeof ownFeatures].en : (interfaceTitles.get(name) ?? name);
const hiddenTitles = hiddenFeatures.map(titleOf);
const shownNames = [...interfaceTitles.keys(), ...ownNames].filter((name) => !hiddenTitles.includes(titleOf(name)));

test('a server without custom features shows the eight of the interface, and nothing else', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  await goTo(page, 'Features');
  const items = page.getByRole('list', { name: 'Features' }).getByRole('listitem');
  await expect(items.getByRole('heading')).toHaveText([...interfaceTitles.values()]);
});

test('another product shows its own features by their titles, omits hidden ones, and says why one is off', async ({
  desktop,
  server,
}) => {
  await setUpOwnProduct((words) => server.admin(words));
  const user = await prepareUser(server, 'ada@lab.example', ownPlan);
  const { page } = desktop;
  await signInAndActivate(page, user);
  await goTo(page, 'Features');
  const items = page.getByRole('list', { name: 'Features' }).getByRole('listitem');
  await expect(items.getByRole('heading')).toHaveText(shownNames.map(titleOf));
  for (const name of shownNames) {
    const isOn = (onInOwnPlan as readonly string[]).includes(name);
    await expect(featureItem(page, titleOf(name))).toHaveAccessibleDescription(isOn ? /\bon\b/ : /\boff\b.*plan/i);
  }

  await page.goto(`${server.url}/account`);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const listed = page.getByRole('list', { name: 'Features' });
  for (const name of shownNames) await expect(listed.getByRole('listitem', { name: titleOf(name) })).toBeVisible();
  for (const title of hiddenTitles) await expect(listed.getByText(title)).toHaveCount(0);
});
