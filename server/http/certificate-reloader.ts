/** Puts a renewed TLS certificate into use without a restart. */
import type { SecureContextOptions } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { Scheduler } from '../scheduler.ts';
import { readTlsCertificate } from '../tls-certificate.ts';

/** The files are compared by content, because a certificate may be renewed by replacing a symbolic link to it. */
const intervalMs = 10_000;

export type CertificateReloaderDeps = {
  readonly files: NonNullable<Config['tls']>;
  /** What the server started with. */
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
  /** Looks at the files every 10 seconds. */
  readonly task: PeriodicTask;

  constructor(deps: CertificateReloaderDeps) {
    this.#deps = deps;
    this.#current = deps.current;
    this.task = new PeriodicTask({ scheduler: deps.scheduler, intervalMs, run: () => this.reload() });
  }

  /**
   * Uses the certificate and key in the files for new connections if they have changed; open connections keep theirs. While
   * they cannot be used, for example because only one of the two has been replaced, the server keeps what it has.
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
