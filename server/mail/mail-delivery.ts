/** Sends due mails every second; each mail is sent by one process. */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { MemoryRateCounter } from '../rate-limits/memory-rate-counter.ts';
import type { Scheduler } from '../scheduler.ts';
import { isFinal } from './mail.rules.ts';
import type { MailComposerService } from './mail-composer.service.ts';
import type { ClaimedMail, MailQueueService } from './mail-queue.service.ts';
import { MailError, type Mailer, sendTimeoutMs } from './mailer.ts';

type MailDeliveryDeps = {
  readonly mailQueue: MailQueueService;
  readonly mailComposer: MailComposerService;
  readonly mailer: Mailer;
  readonly scheduler: Scheduler;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  /** Returns the base URL of the links in mails, such as `https://licenses.example.com`. */
  readonly siteUrl: () => string;
};

const intervalMs = 1000;
const mailsAtOnce = 5;
/** Time that a process reserves a mail for, longer than anything it does with it. */
const claimMs = 2 * sendTimeoutMs;
/** Maximum number of lines about mails in the log, so that requests by strangers cannot fill the disk. */
const linesPerMinute = 30;
/** How long the mails being sent may take once the server stops. */
const stopMs = 2000;

export class MailDelivery {
  readonly #deps: MailDeliveryDeps;
  readonly task: PeriodicTask;
  readonly #lines: MemoryRateCounter;
  /** Number of lines omitted since the last one. */
  #omitted = 0;

  constructor(deps: MailDeliveryDeps) {
    this.#deps = deps;
    this.#lines = new MemoryRateCounter(deps);
    this.task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs,
      run: () => this.run(),
      onFailure: (err) => deps.logger.warn({ err }, 'no mail could be sent; trying again every second'),
      onStop: (ended) => this.#close(ended),
    });
  }

  /** Aborts the mails that take too long; they are tried again after the next start. */
  async #close(ended: Promise<void>): Promise<void> {
    const { mailer, scheduler } = this.#deps;
    const cancel = scheduler.timeout(stopMs, () => mailer.close());
    await ended;
    cancel();
    mailer.close();
  }

  /** Sends all due mails. */
  async run(): Promise<void> {
    while (!this.task.isStopped) {
      const mails = await this.#deps.mailQueue.claim(mailsAtOnce, claimMs);
      await Promise.all(mails.map((mail) => this.#deliver(mail)));
      if (mails.length < mailsAtOnce) return;
    }
  }

  async #deliver({ id, mail, tries, isTooLate }: ClaimedMail): Promise<void> {
    const { mailQueue, mailComposer, mailer, siteUrl } = this.#deps;
    const about = { mail: id, kind: mail?.kind, tries };
    if (!mail || isTooLate) {
      this.#warn(about, mail ? 'a mail could not be sent in time' : 'a mail was written under another master key');
      return mailQueue.remove(id);
    }
    const message = await mailComposer.compose(mail, { siteUrl: siteUrl(), isRetry: tries > 1 });
    if (typeof message === 'string') {
      if (message === 'enough mails') this.#warn(about, 'a mail was not sent: its address got enough of these lately');
      return mailQueue.remove(id);
    }
    try {
      await mailer.send(message);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      await mailComposer.discard(message);
      const { failure } = error;
      this.#warn({ ...about, ...failure }, isFinal(failure) ? 'a mail was rejected' : 'a mail could not be sent yet');
      return isFinal(failure) ? mailQueue.remove(id) : mailQueue.retryLater(id, tries, failure);
    }
    await mailQueue.remove(id);
  }

  /**
   * Logs a warning about a mail, or only counts it: strangers can cause any number of them, by requesting mails to
   * addresses that no mail server takes or that got enough.
   */
  #warn(about: object, message: string): void {
    if (!this.#lines.count('lines', linesPerMinute).allowed) {
      this.#omitted += 1;
      return;
    }
    this.#deps.logger.warn({ ...about, ...(this.#omitted > 0 && { omitted: this.#omitted }) }, message);
    this.#omitted = 0;
  }
}
