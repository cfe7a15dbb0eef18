/** A renewed certificate is used without a restart, and a broken one does not take the server down. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateReloader } from '../../../server/http/certificate-reloader.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { readTlsCertificate } from '../../../server/tls-certificate.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';

const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

const folder = makeTemporaryFolder();
const files = { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };

afterAll(() => removeFolder(folder));

function makeCertificate(name: string): void {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  spawnSync('openssl', [...words, '-subj', `/CN=${name}`, '-keyout', files.keyFile, '-out', files.certFile]);
}

describe.skipIf(!hasOpenssl)('a renewed TLS certificate', () => {
  let server: Server;
  let reloader: CertificateReloader;
  let log: string[];
  const open: TLSSocket[] = [];

  beforeEach(async () => {
    makeCertificate('old');
    log = [];
    const current = readTlsCertificate(files);
    server = createServer(current);
    const write = (line: unknown) => log.push(String(line));
    reloader = new CertificateReloader({
      scheduler: systemScheduler,
      files,
      current,
      server,
      logger: { info: write, warn: write },
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  async function connectToServer(): Promise<TLSSocket> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    open.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  }
  const nameOf = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN;

  it('is used by new connections, while open ones continue', async () => {
    const before = await connectToServer();
    makeCertificate('new');
    reloader.reload();
    expect(nameOf(await connectToServer())).toBe('new');
    expect(before.destroyed).toBe(false);
    expect(log).toEqual(['the TLS certificate was replaced: new connections use the new one']);
    reloader.reload();
    expect(log).toHaveLength(1);
  });

  it('is not used until certificate and key match, and the log says so once', async () => {
    const oldKey = readFileSync(files.keyFile);
    makeCertificate('new');
    const newKey = readFileSync(files.keyFile);
    writeFileSync(files.keyFile, oldKey);
    reloader.reload();
    reloader.reload();
    expect(nameOf(await connectToServer())).toBe('old');
    expect(log).toEqual([
      expect.stringContaining('still using the previous one: LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY'),
    ]);
    writeFileSync(files.keyFile, newKey);
    reloader.reload();
    expect(nameOf(await connectToServer())).toBe('new');
  });
});
