/** What happens next, on the overview: it follows the time and the state. */
import { filledState, firstRunState, from } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.parse('2027-02-10T12:00:00Z');

test.use({ timezoneId: 'UTC' });

test('the nearest comes first with its time, which follows the clock and the state', async ({ page, open }) => {
  await page.clock.setFixedTime(now);
  const fake = await open(filledState(now));
  const items = page.getByRole('list', { name: 'What happens next' }).getByRole('listitem');
  await expect(items).toHaveText([
    'in 3 minutes Heartbeat and license check',
    'Tuesday Offline use is renewed',
    '17 February Offline use ends · unless the server is reached before then',
    '2 March Standard renews',
  ]);
  await expect(items.first().locator('time')).toHaveAttribute('title', /10 February 2027 at 12:03:00/);
  await fake.push({ heartbeat: { lastAt: from(now, 0), nextAt: from(now, 3_600_000), lastFailure: null } });
  await expect(items.first()).toHaveText('13:00 Heartbeat and license check');
  await fake.push(firstRunState(now));
  await expect(items.first()).toHaveText('in 8 seconds Heartbeat and license check');
  await fake.push({ heartbeat: { lastAt: null, nextAt: from(now, -1000), lastFailure: null } });
  await expect(items.first()).toHaveText('now Heartbeat and license check');
});
