/** A Prometheus with the rules in server/deploy that monitors a test server, if installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';
import { readDeployFile } from './reverse-proxy.ts';

export const hasPrometheus = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
);

export type StartPrometheusOptions = {
  /** `HOST:PORT` of the monitored server. */
  readonly target: string;
  /** Folder for its files; the caller removes it. */
  readonly folder: string;
};

export class TestPrometheus {
  readonly #url: string;
  readonly #end: () => Promise<void>;

  constructor(url: string, end: () => Promise<void>) {
    this.#url = url;
    this.#end = end;
  }

  /** Returns the `data` of a response of its HTTP API. Throws `Error` with the reason if it refuses. */
  readonly get = async <T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> => {
    const response = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  };

  /** Returns the names of the firing alerts. */
  readonly firing = async (): Promise<string[]> => {
    const { alerts } = await this.get<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  };

  readonly stop = (): Promise<void> => this.#end();
}

/**
 * Starts Prometheus. It scrapes every second and evaluates five times as often, and alerts fire without delay, so that a
 * test sees in seconds what otherwise takes minutes.
 */
export async function startPrometheus({ target, folder }: StartPrometheusOptions): Promise<TestPrometheus> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const config = readDeployFile('monitoring/prometheus.yml')
    // A scrape may take as long as its interval, which must be enough on a busy machine.
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
    .replace('evaluation_interval: 15s', 'evaluation_interval: 200ms')
    .replace('127.0.0.1:8470', target);
  const rules = readDeployFile('monitoring/alerts.yml').replaceAll(/ for: \w+/g, ' for: 0s');
  writeFileSync(join(folder, 'prometheus.yml'), config);
  writeFileSync(join(folder, 'alerts.yml'), rules);
  const options = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': join(folder, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn('prometheus', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const prometheus = new TestPrometheus(`http://127.0.0.1:${port}`, async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  });
  try {
    await vi.waitFor(() => prometheus.get('status/buildinfo'), { timeout: 120_000, interval: 100 });
  } catch (error) {
    await prometheus.stop();
    throw new Error(`prometheus did not start: ${written}`, { cause: error });
  }
  return prometheus;
}
