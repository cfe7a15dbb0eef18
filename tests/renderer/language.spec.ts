/** Which language the window loads and shows. */
import { installFakeBridge } from './fake-bridge.ts';
import { filledState, sampleDiagnostics } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

test.use({ locale: 'de-DE' });

test('only the system’s language is loaded, and another one when it is chosen', async ({ page, open }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(/assets\/(en|de|ja)-/.exec(request.url())?.[1] ?? ''));
  const languagesLoaded = () => loaded.filter((language) => language !== '');
  const state = filledState(now);
  const fake = await open(state);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Übersicht');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  expect(languagesLoaded()).toEqual(['de']);
  await fake.push({ settings: { ...state.settings, language: 'ja' } });
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  expect(languagesLoaded()).toEqual(['de', 'ja']);
});

test('the window never shows the system’s language first if another one is chosen', async ({ page, open }) => {
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => seen.push(document.querySelector('h1')?.textContent ?? '')).observe(document, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  const filled = filledState(now);
  const state = { ...filled, settings: { ...filled.settings, language: 'en' as const } };
  await open(state, { script: { getState: [{ result: state, afterMs: 500 }] } });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  const seen = await page.evaluate(() => (window as unknown as { readonly seen: readonly string[] }).seen);
  expect([...new Set(seen)].filter((text) => text !== '')).toEqual(['Overview']);
});

test('a changed language or region of the system is followed at once, unless another language is chosen', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const fake = await open(state);
  const change = (language: string) =>
    page.evaluate((changed) => {
      Object.defineProperty(navigator, 'language', { value: changed, configurable: true });
      window.dispatchEvent(new Event('languagechange'));
    }, language);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Übersicht');
  await change('en-US');
  await expect(heading).toHaveText('Overview');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  const time = page.locator('time').first();
  const american = await time.getAttribute('title');
  await change('en-GB');
  await expect(time).not.toHaveAttribute('title', american ?? '');
  await fake.push({ settings: { ...state.settings, language: 'ja' } });
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await change('de-DE');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
});

test('after a change of the system’s time zone, no time of the previous one is left', async ({ browser, address }) => {
  // Without a time zone of its own, which would stay.
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: undefined });
  const page = await context.newPage();
  const system = await context.newCDPSession(page);
  const travel = (timezoneId: string) => system.send('Emulation.setTimezoneOverride', { timezoneId });
  const noon = Date.parse('2026-03-03T11:00:00.000Z');
  await page.clock.install({ time: noon });
  const script = { loadDiagnostics: [{ result: { ok: true as const, value: sampleDiagnostics(noon) } }] };
  await installFakeBridge(page, filledState(noon), script);
  await travel('Europe/Berlin');
  await page.goto(`${address}#devices`);
  const offline = page.getByRole('region', { name: 'Working offline' });
  await expect(offline).toContainText('10 March 2026 at 12:00');
  await travel('Asia/Tokyo');
  await page.clock.runFor(15_000);
  await expect(offline).toContainText('10 March 2026 at 20:00');
  await page.getByRole('link', { name: 'Diagnostics' }).click();
  const timeline = page.getByRole('list', { name: 'What happened' });
  await expect(timeline).toContainText('2 March 2026 at 20:00');
  await travel('Europe/Berlin');
  await page.clock.runFor(15_000);
  await expect(timeline).toContainText('2 March 2026 at 12:00');
  await context.close();
});

test.describe('a language that cannot be loaded', () => {
  test.use({ expectedProblem: /net::ERR_FAILED|dynamically imported module/ });

  test('is named in another one at the start, and everything else works', async ({ page, open }) => {
    await page.route(/\/de-[^/]*\.js$/, (route) => route.abort());
    await open(filledState(now));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
    const failure = page.getByRole('alert');
    await expect(failure).toHaveCount(1);
    await expect(failure).toContainText('Latchkey could not load the language Deutsch.');
    await page.getByRole('link', { name: 'Devices' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Devices');
  });

  test('is named in the one that was shown before, which stays', async ({ page, open }) => {
    await page.route(/\/ja-[^/]*\.js$/, (route) => route.abort());
    const state = filledState(now);
    const fake = await open(state);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Übersicht');
    await fake.push({ settings: { ...state.settings, language: 'ja' } });
    await expect(page.getByRole('alert')).toContainText('Latchkey konnte die Sprache „日本語“ nicht laden.');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Übersicht');
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  });

  test('and no other one either leaves a sentence instead of an empty page', async ({ page, open }) => {
    await page.route(/\/(?:en|de|ja)-[^/]*\.js$/, (route) => route.abort());
    await open(null);
    await expect(page.locator('body')).toContainText('Latchkey konnte nicht geladen werden.');
  });
});
