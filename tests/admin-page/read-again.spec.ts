/** What could not be read can be read again without leaving the screen, whatever the reason. */
import type { AdminEndpointName } from '../../shared/api/admin-endpoints.ts';
import { fakeApi } from './fake-api.ts';
import { expect, test } from './page-fixture.ts';

const screens: readonly (readonly [hash: string, endpoint: AdminEndpointName])[] = [
  ['#/overview', 'overview'],
  ['#/licenses', 'licenses'],
  ['#/accounts?open=018f', 'account'],
  ['#/plans', 'plans'],
  ['#/features', 'featureRecords'],
  ['#/installers', 'installers'],
  ['#/installers', 'updateFeed'],
  ['#/server', 'serverInfo'],
  ['#/profile', 'passkeys'],
  ['#/profile', 'staffSessions'],
  ['#/staff', 'staff'],
];

for (const [hash, endpoint] of screens) {
  test(`${endpoint} is read again by a button of ${hash} after the server refused it`, async ({ page, open }) => {
    await open({ hash, answers: { [endpoint]: { error: 'RATE_LIMITED' } } });
    await expect(page.getByRole('alert')).toContainText('Too many attempts');
    await fakeApi(page);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.locator('.skeleton')).toHaveCount(0);
  });
}

test('an overview that could not be read does not say that the first counts are being made', async ({ page, open }) => {
  await open({ hash: '#/overview', answers: { overview: { error: 'RATE_LIMITED' } } });
  await expect(page.getByRole('alert')).toContainText('Too many attempts');
  await expect(page.getByText('The first counts are being made')).toHaveCount(0);
});
