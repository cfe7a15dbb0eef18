/** The alert rules and the dashboard of server/deploy/monitoring, on a real Prometheus that scrapes a real server. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repository } from '../../harness/environment.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { hasPrometheus, startPrometheus, type TestPrometheus } from '../../harness/prometheus.ts';
import { readDeployFile } from '../../harness/reverse-proxy.ts';
import { onceStarted } from '../../harness/test-server.ts';
import { activate, issueLicense, subscriber } from '../../harness/users.ts';

type Rule = { readonly name: string; readonly query: string; readonly health: string };
type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
type Panel = {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Place;
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
};

const dashboard = JSON.parse(readDeployFile('monitoring/grafana-dashboard.json')) as { panels: Panel[] };
const graphs = dashboard.panels.filter(({ targets }) => targets !== undefined);
const queries = graphs.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe('the dashboard', () => {
  it('describes every graph, and takes its data from the selected data source', () => {
    expect(graphs.length).toBeGreaterThan(15);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, description, targets = [] } of graphs) {
      expect(description, title).toMatch(/\.$/);
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of Grafana.
      for (const { datasource } of targets) expect(datasource.uid, title).toBe('${datasource}');
    }
  });

  it('has no overlapping graphs', () => {
    const overlap = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    for (const [index, { title, gridPos }] of dashboard.panels.entries()) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      const others = dashboard.panels.slice(index + 1).filter((other) => overlap(gridPos, other.gridPos));
      expect(
        others.map((other) => other.title),
        title,
      ).toEqual([]);
    }
  });
});

describe.skipIf(!hasPrometheus)('promtool', () => {
  it.each([
    ['check', 'config', 'server/deploy/monitoring/prometheus.yml'],
    ['check', 'rules', 'server/deploy/monitoring/alerts.yml'],
    ['test', 'rules', 'tests/server/deploy/alert-rules.yml'],
    ['test', 'rules', 'tests/server/deploy/alert-rules-of-a-week.yml'],
  ])('accepts: %s %s %s', (...words) => {
    const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: repository, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});

describe.skipIf(!hasPrometheus)('a Prometheus server', () => {
  const smtp = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' };
  const server = sharedHttpServer({ ...smtp, LATCHKEY_RATE_DEFAULT: '10', LATCHKEY_BACKUP_EVERY: '24h' });
  let started: TestPrometheus | undefined;
  const prometheus = onceStarted(() => started);
  beforeAll(async () => {
    const user = await subscriber(server);
    await activate(server, user, (await issueLicense(server, '--email', user.email)).key);
    // A mail that waits.
    await server.call('forgotPassword', { body: { email: user.email } });
    const hasBackup = async () => expect((await server.admin('check')).last_proven_restore).not.toBeNull();
    await vi.waitFor(hasBackup, { timeout: 120_000, interval: 200 });
    const target = new URL(server.url).host;
    started = await startPrometheus({ target, folder: join(server.dataFolder, 'prometheus') });
  });
  afterAll(() => started?.stop());

  const value = async (query: string) => {
    const { result } = await prometheus.get<{ result: { value: [number, string] }[] }>('query', { query });
    return Number(result[0]?.value[1]);
  };

  it('scrapes the server, and evaluates the rules without an error', async () => {
    await expect.poll(() => value('up')).toBe(1);
    const rules = async () => {
      const { groups } = await prometheus.get<{ groups: { rules: Rule[] }[] }>('rules');
      return groups.flatMap((group) => group.rules);
    };
    await expect.poll(async () => (await rules()).every(({ health }) => health === 'ok')).toBe(true);
    expect((await rules()).length).toBeGreaterThan(10);
    // A busy machine with a slow disk is slow.
    const ofSpeed = ['LatchkeySlow', 'LatchkeySlowCommits', 'LatchkeyEventLoopBlocked'];
    const others = async () => (await prometheus.firing()).filter((name) => !ofSpeed.includes(name));
    await expect.poll(others).toEqual([]);
  });

  it('finds every metric that the rules and the dashboard use', async () => {
    for (let sent = 0; sent < 30; sent++) await server.call('installerHashes');
    await expect.poll(() => value('sum(latchkey_rate_limited_total)')).toBeGreaterThan(0);
    const known = await prometheus.get<string[]>('label/__name__/values');
    const { groups } = await prometheus.get<{ groups: { rules: Rule[] }[] }>('rules');
    const all = [...queries, ...groups.flatMap(({ rules }) => rules.map(({ query }) => query))];
    const used = all.flatMap((query) => query.match(/\b(latchkey|process|nodejs)_\w+/g) ?? []);
    expect(new Set(used).size).toBeGreaterThan(12);
    expect([...new Set(used)].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('answers every query of the dashboard with data', async () => {
    for (const query of queries) {
      const filled = query.replaceAll(/\$(?:job|instance)\b/g, '.*').replaceAll('$__rate_interval', '1m');
      const find = async () => (await prometheus.get<{ result: unknown[] }>('query', { query: filled })).result.length;
      await expect.poll(find, { message: query }).toBeGreaterThan(0);
    }
  });

  it('alerts on clients at their limit, on failed sign-ins, and on a server that does not respond', async () => {
    const fires = (name: string) => expect.poll(prometheus.firing).toContain(name);
    for (let sent = 0; sent < 200; sent++) await server.call('installerHashes');
    await fires('LatchkeyRateLimited');
    const attempt = { body: { email: 'nobody@example.com', password: 'x' } };
    await expect
      .poll(async () => {
        for (let sent = 0; sent < 100; sent++) await server.call('login', attempt);
        return await prometheus.firing();
      })
      .toContain('LatchkeySignInFailures');
    // On a busy machine, a scrape may have failed a moment ago.
    await expect.poll(prometheus.firing).not.toContain('LatchkeyDown');
    await server.stop();
    await fires('LatchkeyDown');
  });
});
