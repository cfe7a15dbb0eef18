/** Puts a renewed TLS certificate into use without a restart. */
import type { SecureContextOptions } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import { messageOf } from '../errors.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Config } from '../settings/config.ts';
import { readTlsCertificate } from '../tls-certificate.ts';

/** How often the files are read. Their content is compared, because a renewal may only repoint a symbolic link. */
const intervalMs = 10_000;

type CertificateReloaderDeps = {
  readonly files: NonNullable<Config['tls']>;
  /** The certificate and key that the server started with. */
  readonly current: TlsCertificate;
  readonly server: { setSecureContext(options: SecureContextOptions): void };
  readonly scheduler: Scheduler;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
};

type TlsCertificate = ReturnType<typeof readTlsCertificate>;

export class CertificateReloader {
  readonly #deps: CertificateReloaderDeps;
  #current: TlsCertificate;
  #lastProblem: string | undefined;
  /** Checks the files every 10 seconds. */
  readonly task: PeriodicTask;

  constructor(deps: CertificateReloaderDeps) {
    this.#deps = deps;
    this.#current = deps.current;
    this.task = new PeriodicTask({ scheduler: deps.scheduler, intervalMs, run: () => this.reload() });
  }

  /**
   * If the certificate and key files have changed, uses them for new connections; open connections keep the old ones.
   * While the files are unusable, for example because only one of the two has been replaced, the current certificate
   * stays in use.
   */
  reload(): void {
    const { files, server, logger } = this.#deps;
    try {
      const found = readTlsCertificate(files);
      this.#lastProblem = undefined;
      if (found.cert.equals(this.#current.cert) && found.key.equals(this.#current.key)) return;
      server.setSecureContext(found);
      this.#current = found;
      logger.info('the TLS certificate was replaced: new connections use the new one');
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#lastProblem)
        logger.warn(`could not reload the TLS certificate; still using the previous one: ${problem}`);
      this.#lastProblem = problem;
    }
  }
}
