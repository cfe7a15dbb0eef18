/** Whoever uses the keyboard or a screen reader stays where they are when a press begins work, or removes its control. */
import { noUpdates } from '../../shared/ipc/updates.ts';
import { filledState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const offered = { ...noUpdates('4.2.0'), checkedAt: new Date(now).toISOString(), available: '4.3.0' };

for (const [name, command, hash] of [
  ['Check for updates', 'checkForUpdates', '#installer'],
  ['Install and restart', 'installUpdate', '#installer'],
  ['Verify this installation', 'verifyInstallation', '#installer'],
  ['Choose a folder…', 'chooseForKeyScan', '#api-key'],
] as const) {
  test(`${name} keeps the focus while it works and after it, and works once`, async ({ page, open }) => {
    const failure = sampleFailure('CANCELED', now);
    const script = { [command]: [{ result: { ok: false as const, failure }, isHeld: true }] };
    const fake = await open({ ...filledState(now), updates: offered }, { hash, script });
    const button = page.getByRole('button', { name });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(button).toBeDisabled();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await fake.release();
    await expect(button).toBeEnabled();
    await expect(button).toBeFocused();
    expect(await fake.calls(command)).toHaveLength(1);
  });
}
