/**
 * HTTPS: errors in the certificate are reported with the name of its setting, and connections do not delay the stop.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { createHttpApp } from '../../../server/http/http-app.ts';
import { RequestMetrics } from '../../../server/metrics/request-metrics.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { systemRandom } from '../../../server/system-random.ts';
import type { Settings } from '../../harness/environment.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-tls-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const certificate = () => join(folder, 'certificate.pem');
const key = () => join(folder, 'key.pem');
const createAppWith = (settings: Settings) =>
  createHttpApp({
    scheduler: systemScheduler,
    config: readConfig(settings),
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    random: systemRandom,
    requestMetrics: new RequestMetrics(new Registry()),
  });
const createApp = (certFile: string, keyFile: string) =>
  createAppWith({ LATCHKEY_TLS_CERT: certFile, LATCHKEY_TLS_KEY: keyFile });

/** Creates both files; returns false if openssl is not available. */
function makeCertificate(): boolean {
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const files = ['-keyout', key(), '-out', certificate()];
  return spawnSync('openssl', [...words, ...files], { stdio: 'ignore' }).status === 0;
}

describe('a certificate', () => {
  it('that cannot be read is reported with the name of its setting', () => {
    const present = join(folder, 'present.pem');
    writeFileSync(present, 'no certificate');
    expect(() => createApp(join(folder, 'absent.pem'), present)).toThrow(/^LATCHKEY_TLS_CERT is wrong: .*absent\.pem/);
    expect(() => createApp(present, join(folder, 'absent.pem'))).toThrow(/^LATCHKEY_TLS_KEY is wrong: .*absent\.pem/);
  });

  it('that is not a certificate is reported with the names of both settings', () => {
    const none = join(folder, 'none.pem');
    writeFileSync(none, 'no certificate');
    expect(() => createApp(none, none)).toThrow(/^LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY are wrong: /);
  });
});

describe('the key of a certificate', () => {
  it.skipIf(process.platform === 'win32')(
    'that every user can read is rejected, with the command that fixes it',
    (context) => {
      if (!makeCertificate()) context.skip('there is no openssl to make a certificate');
      chmodSync(key(), 0o644);
      expect(() => createApp(certificate(), key())).toThrow(`run "chmod o-rwx ${key()}"`);
      chmodSync(key(), 0o640);
      expect(() => createApp(certificate(), key())).not.toThrow();
    },
  );
});

describe('a response over TLS', () => {
  it('tells browsers to use only HTTPS for a year, and one without TLS does not', async (context) => {
    if (!makeCertificate()) context.skip('there is no openssl to make a certificate');
    const app = createApp(certificate(), key());
    onTestFinished(() => app.close());
    const { headers } = await app.inject('/nothing');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const plain = createAppWith({});
    onTestFinished(() => plain.close());
    expect((await plain.inject('/nothing')).headers['strict-transport-security']).toBeUndefined();
  });
});

describe('a large response over TLS', () => {
  it('is sent to a client that keeps reading, however slowly, and the connection of a client that stops is closed', async (context) => {
    if (!makeCertificate()) context.skip('there is no openssl to make a certificate');
    const app = createApp(certificate(), key());
    const content = Buffer.alloc(64 * 1024 * 1024, 'ä');
    app.get('/bytes', async () => content);
    app.get('/text', async () => 'ä'.repeat(100_000));
    await app.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    let connections = 0;
    app.server.on('secureConnection', (socket) => {
      connections += 1;
      socket.once('close', () => (connections -= 1));
    });
    const ask = (path: string) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    ask('/bytes').pause();
    const slow = ask('/bytes');
    let received = 0;
    slow.on('data', ({ length }) => {
      received += length;
      slow.pause();
      setTimeout(() => slow.resume(), 10);
    });
    const text = await new Promise<string>((resolve) => {
      let all = '';
      ask('/text')
        .setEncoding('utf8')
        .on('data', function (this: TLSSocket, part: string) {
          all += part;
          if (all.endsWith('ä'.repeat(100_000))) {
            this.destroy();
            resolve(all);
          }
        });
    });
    expect(text).toContain('content-length: 200000\r\n');
    await expect.poll(() => connections).toBe(1);
    const before = received;
    await expect.poll(() => received).toBeGreaterThan(before + 1024 * 1024);
    expect(slow.closed).toBe(false);
  });
});

describe('an idle connection', () => {
  it('does not delay the stop', async (context) => {
    if (!makeCertificate()) context.skip('there is no openssl to make a certificate');
    const app = createApp(certificate(), key());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => undefined);
    await once(socket, 'secureConnect');
    onTestFinished(() => void socket.destroy());
    const ended = once(socket, 'close');
    let hasStopped = false;
    const stopped = app.close().then(() => (hasStopped = true));
    // Node itself would close the connection after ten seconds.
    await expect.poll(() => hasStopped, { timeout: 8000 }).toBe(true);
    await Promise.all([ended, stopped]);
  });
});
