/** Finds mails that have waited longer than usual, and why the last try failed, for `check` and the overview. */
import { toIso } from './clock.ts';
import type { Executor, Transaction } from './database/database.ts';
import { readMeta, saveMeta } from './database/meta.ts';

type LateMails = {
  readonly count: number;
  /** When the oldest one was written. */
  readonly sinceMs: number;
  /** Why the last try failed; `undefined` if none has failed since. */
  readonly failure: string | undefined;
};

/** Mails are usually sent within seconds; one that waits longer than this is late. */
const usualMs = 60_000;
const failureName = 'mail_last_failure';

/** Counts the mails that wait to be sent, and finds when the oldest was written. */
export function countWaitingMails(executor: Executor) {
  return executor
    .selectFrom('mails')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at_ms').as('sinceMs')])
    .executeTakeFirstOrThrow();
}

/** Returns the waiting mails if the oldest has waited longer than usual; otherwise `undefined`. */
export async function findLateMails(executor: Executor, nowMs: number): Promise<LateMails | undefined> {
  const { count, sinceMs } = await countWaitingMails(executor);
  if (sinceMs === null || nowMs - sinceMs <= usualMs) return undefined;
  const stored = await readMeta(executor, failureName);
  const last = stored === undefined ? undefined : (JSON.parse(stored) as LastFailure);
  return { count, sinceMs, failure: last && last.at_ms >= sinceMs ? last.failure : undefined };
}

type LastFailure = { readonly at_ms: number; readonly failure: string };

/** Stores the last failure. `failure` is shown to admins, so it must not quote a mail or a password. */
export async function saveMailFailure(transaction: Transaction, last: LastFailure): Promise<void> {
  await saveMeta(transaction, failureName, JSON.stringify(last));
}

/** Returns the warning of `check`, if there is one, including what to do. */
export async function warnOfWaitingMails(
  executor: Executor,
  { nowMs, isMailOn }: { readonly nowMs: number; readonly isMailOn: boolean },
): Promise<string[]> {
  const mails = await findLateMails(executor, nowMs);
  return mails ? [describe(mails, isMailOn)] : [];
}

function describe({ count, sinceMs, failure }: LateMails, isMailOn: boolean): string {
  const waiting = `${count === 1 ? '1 mail waits' : `${count} mails wait`} to be sent, the oldest since ${toIso(sinceMs)}`;
  if (!isMailOn) return `${waiting}, but no mail is sent while LATCHKEY_SMTP_URL is not set`;
  if (failure === undefined) return `${waiting}: check that the server runs, and its log`;
  return `${waiting}; the last try failed (${failure}): ${adviseOn(failure)}`;
}

/** Returns what to do about a failure as `describeFailure` describes it. */
function adviseOn(failure: string): string {
  const advice = advices.find(([pattern]) => pattern.test(failure));
  return advice?.[1] ?? 'check LATCHKEY_SMTP_URL and the mail server';
}

const advices: readonly (readonly [RegExp, string])[] = [
  [/^EAUTH/, 'the mail server refused the user name or password in LATCHKEY_SMTP_URL'],
  [/, 530/, 'the mail server requires a user name and password: add them to LATCHKEY_SMTP_URL'],
  [/MAIL FROM, 5/, 'the mail server refused the sender: check LATCHKEY_MAIL_FROM'],
  [
    /(?:RCPT TO|DATA), 5/,
    'the mail server refused to pass the mail on: let it accept mail from this server and from the address in LATCHKEY_MAIL_FROM, or add a user name and password to LATCHKEY_SMTP_URL',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    'the certificate of the mail server is for another name: use that name in LATCHKEY_SMTP_URL',
  ],
  [/^CERT_HAS_EXPIRED/, 'the certificate of the mail server has expired: renew it there'],
  [
    /^(?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_/,
    'the certificate of the mail server is from an authority that this machine does not trust: set NODE_EXTRA_CA_CERTS to a file with the certificate of that authority',
  ],
];
