/** nginx and Caddy in front of a test server, configured from server/deploy, if installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from './environment.ts';
import { freePort } from './free-port.ts';

export const proxyKinds = ['nginx', 'caddy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export type ReverseProxy = {
  /** For example `https://localhost:PORT`. */
  readonly url: string;
  /** PEM file of its self-signed certificate. */
  readonly certificate: string;
  stop(): Promise<void>;
};

const startTimeoutMs = 120_000;

export type StartProxyOptions = {
  readonly program: string;
  /** URL of the server behind the proxy. */
  readonly upstream: string;
  /** Folder for its files; the caller removes it. */
  readonly folder: string;
  /** Default: a free port. */
  readonly port?: number;
  /**
   * Set if the server is under `/latchkey` of a site: whether the proxy keeps or strips that path. The rest of the site
   * responds with the cookies of the request.
   */
  readonly path?: PathMode;
};

export const pathModes = ['keep', 'strip'] as const;
export type PathMode = (typeof pathModes)[number];

/** Starts the proxy on the loopback address, with its own certificate. */
export async function startProxy(kind: ProxyKind, options: StartProxyOptions): Promise<ReverseProxy> {
  const { port = await freePort(), path } = options;
  const certificate = createCertificate(options.folder);
  const child = await (kind === 'nginx' ? startNginx : startCaddy)({ ...options, port });
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const url = `https://localhost:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  };
  const answers = () =>
    send(url, `${path ? '/latchkey' : ''}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const giveUpAt = Date.now() + startTimeoutMs;
  while (!(await answers())) {
    if (Date.now() > giveUpAt || child.exitCode !== null) {
      await stop();
      throw new Error(`${kind} did not start: ${written}`);
    }
    await sleep(50);
  }
  return { url, certificate, stop };
}

export function readDeployFile(name: string): string {
  return readFileSync(join(repository, 'server/deploy', name), 'utf8');
}

/** Creates a certificate and returns its file; the key is beside it. */
function createCertificate(folder: string): string {
  const { certificate, key } = filesOfCertificate(folder);
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...words, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return certificate;
}

function filesOfCertificate(folder: string) {
  return { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') };
}

type Start = StartProxyOptions & { readonly port: number };

async function startNginx(options: Start): Promise<ChildProcess> {
  const { program, folder } = options;
  const site = options.path ? nginxSiteWithPath(options) : await nginxSite(options);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const head = `${user} daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}`;
  writeFileSync(file, `${head}\nhttp { access_log off; ${paths.join(' ')}\n${site}\n}\n`);
  return spawn(program, ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function nginxSite({ upstream, folder, port }: Start): Promise<string> {
  const { certificate, key } = filesOfCertificate(folder);
  return readDeployFile('proxy/nginx.conf')
    .replace('127.0.0.1:8470', new URL(upstream).host)
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replaceAll('licenses.example.com', 'localhost');
}

function nginxSiteWithPath({ upstream, folder, port, path }: Start): string {
  const { certificate, key } = filesOfCertificate(folder);
  const locations = readDeployFile('proxy/path/nginx.conf').replace(
    '127.0.0.1:8470',
    `${new URL(upstream).host}${path === 'strip' ? '/' : ''}`,
  );
  return `server {
listen 127.0.0.1:${port} ssl; server_name localhost; ssl_certificate ${certificate}; ssl_certificate_key ${key};
location / { default_type text/plain; return 200 "cookies: $http_cookie"; }
${locations}
}`;
}

async function startCaddy({ program, upstream, folder, port, path }: Start): Promise<ChildProcess> {
  const { certificate, key } = filesOfCertificate(folder);
  const ofServer = readDeployFile(path ? 'proxy/path/Caddyfile' : 'proxy/Caddyfile')
    .replace('127.0.0.1:8470', new URL(upstream).host)
    .replace('licenses.example.com', `https://localhost:${port}`);
  const stripping = (text: string) =>
    text.replace('handle /latchkey/*', 'handle_path /latchkey/*').replace('/latchkey/metrics', '/metrics');
  const site = path
    ? `https://localhost:${port} {
tls ${certificate} ${key}
handle {
respond "cookies: {http.request.header.Cookie}"
}
${path === 'strip' ? stripping(ofServer) : ofServer}
}`
    : ofServer;
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
  /** Client address, one of 127.0.0.0/8. */
  readonly from?: string;
};

export type ProxyResponse = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends a request on a separate connection to a proxy with a self-signed certificate. */
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
