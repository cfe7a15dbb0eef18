/** nginx and Caddy in front of a server of the tests, from the files in server/deploy, where they are installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { repository } from './environment.ts';
import { freePort } from './free-port.ts';

export const proxyKinds = ['nginx', 'caddy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export type ReverseProxy = {
  /** `https://localhost:PORT` */
  readonly url: string;
  stop(): Promise<void>;
};

export type StartProxyOptions = {
  readonly program: string;
  /** Of the server behind it. */
  readonly upstream: string;
  /** Where it keeps its files; the caller removes it. */
  readonly folder: string;
};

/** The program; `undefined` where it is not installed. */
export function findProxy(kind: ProxyKind): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, kind)).find((path) => existsSync(path));
}

/** Starts it on free ports of the loopback address, with a certificate of its own. */
export async function startProxy(kind: ProxyKind, options: StartProxyOptions): Promise<ReverseProxy> {
  const port = await freePort();
  const start = kind === 'nginx' ? startNginx : startCaddy;
  const child = await start(options, port);
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const url = `https://localhost:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  };
  const answers = async () => {
    const { status } = await send(url, '/healthz');
    if (status !== 200) throw new Error(`${kind} answered ${status}`);
  };
  try {
    await vi.waitFor(answers, { timeout: 20_000, interval: 50 });
  } catch (error) {
    await stop();
    throw new Error(`${kind} did not start: ${written}`, { cause: error });
  }
  return { url, stop };
}

export function readDeployFile(name: string): string {
  return readFileSync(join(repository, 'server/deploy', name), 'utf8');
}

async function startNginx({ program, upstream, folder }: StartProxyOptions, port: number): Promise<ChildProcess> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...words, '-subj', '/CN=localhost', '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const site = readDeployFile('proxy/nginx.conf')
    .replace('127.0.0.1:8470', new URL(upstream).host)
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replaceAll('licenses.example.com', 'localhost');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const head = `${user} daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}`;
  writeFileSync(file, `${head}\nhttp { access_log off; ${paths.join(' ')}\n${site}\n}\n`);
  return spawn(program, ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function startCaddy({ program, upstream, folder }: StartProxyOptions, port: number): Promise<ChildProcess> {
  const site = readDeployFile('proxy/Caddyfile')
    .replace('127.0.0.1:8470', new URL(upstream).host)
    .replace('licenses.example.com', `https://localhost:${port}`);
  const file = join(folder, 'Caddyfile');
  const options = ['admin off', 'auto_https disable_redirects', 'skip_install_trust', 'default_bind 127.0.0.1'];
  writeFileSync(file, `{\n${options.join('\n')}\n}\n${site}`);
  const home = join(folder, 'home');
  mkdirSync(home);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const words = ['run', '--config', file, '--adapter', 'caddyfile'];
  return spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

export type ProxyRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the client, one of 127.0.0.0/8. */
  readonly from?: string;
};

export type ProxyResponse = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends a request, on a connection of its own, to a proxy whose certificate nobody has signed. */
export async function send(url: string, path: string, options: ProxyRequest = {}): Promise<ProxyResponse> {
  const { method = 'GET', headers = {}, body, from } = options;
  const sent = request(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers },
    agent: false,
    family: 4,
    rejectUnauthorized: false,
    ...(from === undefined ? {} : { localAddress: from }),
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}
