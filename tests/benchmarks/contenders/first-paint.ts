/**
 * How quickly the window of the built desktop app shows something, compared with a page of the same size that shows
 * only a text.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type BrowserContext, chromium } from '@playwright/test';
import { waitForOutput } from '../../../electron/host/start/child-processes.ts';
import { childEnvironment, repository } from '../../harness/environment.ts';
import { browserArguments, browserEnvironment, findBrowser } from '../../run/find-browser.ts';
import type { BenchRun } from '../bench-run.ts';
import { type Contender, NotAvailable, type Sample, spreadOf } from '../measurement.ts';

const group = 'desktop';
const paintsPerRound = 5;

export function firstPaint(run: BenchRun): Contender[] {
  const browser = run.once(() => startBrowser(run));
  const contender = (name: string, program: string): Contender => {
    const context = run.once(async () => {
      return openPage(await (await browser()).newContext(), await startHost(run, program));
    });
    return { name, group, measure: async () => measurePaint(await context()) };
  };
  return [
    contender('bare page: first paint', 'tests/benchmarks/servers/bare-page.ts'),
    contender('window: first paint', 'electron/host/run-desktop.ts'),
  ];
}

async function startBrowser(run: BenchRun) {
  const executablePath = findBrowser();
  if (executablePath === null) throw new NotAvailable('no Chrome or Chromium is installed');
  const browser = await chromium.launch({ executablePath, args: browserArguments, env: browserEnvironment });
  run.atEnd(() => browser.close());
  return browser;
}

/** Opens the address that gives the context its cookie, which works only once. */
async function openPage(context: BrowserContext, address: string): Promise<BrowserContext> {
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForURL(/^http:\/\/[^/]+\/$/);
  return context;
}

/**
 * Measures the time from the start of the navigation to the first contentful paint, as reported by the browser, without
 * its cache.
 */
async function measurePaint(context: BrowserContext): Promise<Sample> {
  const [first] = context.pages();
  if (first === undefined) throw new Error('a context that was opened has a page');
  const durations: number[] = [];
  for (let count = 0; count < paintsPerRound; count++) {
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.goto(first.url());
    durations.push(await page.evaluate(waitForPaint));
    await page.close();
  }
  return { milliseconds: spreadOf(durations).median };
}

/** Runs in the page. */
function waitForPaint(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime);
    }).observe({ type: 'paint', buffered: true });
  });
}

/** Starts a program that serves a page on this machine, and returns the address that it prints. */
async function startHost(run: BenchRun, program: string): Promise<string> {
  const host = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    cwd: repository,
    // Nothing listens there, so the window first shows the sign-in.
    env: childEnvironment({ LATCHKEY_PROFILE: run.newFolder(), LATCHKEY_SERVER_URL: 'http://127.0.0.1:9' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(host, 'exit');
  run.atEnd(async () => {
    host.kill();
    await exited;
  });
  return (await waitForOutput(host, /http:\S+\n/)).trim();
}
