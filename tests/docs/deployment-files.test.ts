/**
 * The files in server/deploy and the pages that describe their use match the server's settings and the needs of the
 * image.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingsTable } from '../../server/settings/settings-table.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync(
  ['server/deploy/**/{Dockerfile,Caddyfile,*.yaml,*.yml,*.md,*.cfg,*.conf,*.env,*.service}', 'server/docs/*.md'],
  { cwd: root },
);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Settings of compose.yaml itself. */
const ofCompose = ['LATCHKEY_DOMAIN'];

it.each(files)('%s names only settings that the server knows', (path) => {
  const named = read(path).match(/\bLATCHKEY_[A-Z_]+\b/g) ?? [];
  const known = [...Object.keys(settingsTable), ...ofCompose];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

it('the Dockerfile copies only what .dockerignore allows', () => {
  const allowed = [...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path);
  const copied = [...read('server/deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, paths = '']) => paths.split(' '),
  );
  expect(copied.length).toBeGreaterThan(2);
  expect(copied.filter((path) => path !== '.' && !allowed.includes(path))).toEqual([]);
});

it('admin commands have the option that package.json uses, in the image and in the documentation', () => {
  const [option = ''] = /--max-semi-space-size=\d+/.exec(JSON.parse(read('package.json')).scripts.admin) ?? [];
  expect(option).not.toBe('');
  expect(read('server/deploy/Dockerfile')).toContain(`exec node ${option} /app/admin.js "$@"`);
  for (const path of files) {
    for (const [command] of read(path).matchAll(/\S+ \S*admin\.js/g)) expect(command, path).toContain(option);
  }
});

it('the servers of compose.yaml and of Kubernetes run as the user of the image, and cannot change it', () => {
  expect(read('server/deploy/Dockerfile')).toMatch(/^USER 1000:1000$/m);
  expect(read('server/deploy/compose.yaml')).toMatch(/read_only: true/);
  expect(read('server/deploy/kubernetes/deployment.yaml')).toMatch(/runAsUser: 1000\n.*runAsGroup: 1000/);
  expect(read('server/deploy/kubernetes/deployment.yaml')).toMatch(/readOnlyRootFilesystem: true/);
});

it.each(['Caddyfile', 'proxy/Caddyfile'])('%s tells browsers to use TLS only (RFC 6797)', (file) => {
  expect(read(`server/deploy/${file}`)).toMatch(/Strict-Transport-Security "max-age=31536000"/);
});

const hasCaddy = spawnSync('caddy', ['version'], { stdio: 'ignore' }).status === 0;

it.skipIf(!hasCaddy)('Caddy accepts the proxy configuration in compose.yaml', () => {
  const words = ['adapt', '--config', 'server/deploy/Caddyfile', '--adapter', 'caddyfile'];
  const { status, stdout, stderr } = spawnSync('caddy', words, { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('X-Request-Id');
});

const hasSystemd = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

it.skipIf(!hasSystemd)('the systemd service has an exposure of at most 2.0', () => {
  // The threshold is in tenths.
  const words = ['security', '--offline=true', '--no-pager', '--threshold=20', 'server/deploy/latchkey.service'];
  const { status, stdout } = spawnSync('systemd-analyze', words, { cwd: root, encoding: 'utf8' });
  expect(stdout).toMatch(/Overall exposure level for latchkey\.service: [\d.]+/);
  expect(status).toBe(0);
});
