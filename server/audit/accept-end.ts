/** Accepts the current end of the audit log as the one that is remembered from now on. */
import type { Executor, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { findNewestSealId, readCut, readHead, saveHead } from './audit.repository.ts';
import {
  type AuditKeys,
  chooseChainEnd,
  type Head,
  isHeadValid,
  type SignedHead,
  sealedHead,
  signHead,
} from './audit-chain.rules.ts';
import { readAuditKeys } from './audit-keys.ts';

type AcceptInput = {
  readonly keys: AuditKeys;
  readonly remembered: Head | undefined;
  readonly nowMs: number;
};

/**
 * Signs the end in a new epoch, which every server accepts, even one that remembers a later seal. A chain that somebody
 * else has changed still shows its break: only entries missing at the end are accepted.
 */
export async function acceptEnd(
  transaction: Transaction,
  { keys, remembered, nowMs }: AcceptInput,
): Promise<SignedHead> {
  await lockByName(transaction, 'audit chain');
  const head = await readHead(transaction);
  const epochs = [head && isHeadValid(head, keys) ? head.epoch : 0, remembered?.epoch ?? 0];
  const end = chooseChainEnd(await findLastSealId(transaction), head, keys);
  const accepted = signHead({ ...end, epoch: Math.max(nowMs, ...epochs.map((epoch) => epoch + 1)) }, keys[0]);
  await saveHead(transaction, accepted);
  return accepted;
}

/** What was accepted, for the log and for the admin. */
export type AcceptReport = {
  /** The newest seal of the accepted log; 0 if it has none. */
  readonly seal: number;
  /** The newest seal remembered on this machine; null if there was none. */
  readonly remembered_seal: number | null;
};

export function describeAccepted(accepted: Head, remembered: Head | undefined): AcceptReport {
  return { seal: accepted.seal_id, remembered_seal: remembered?.seal_id ?? null };
}

type RestoredLog = Omit<AcceptInput, 'keys'> & {
  /** Secrets of the backup. */
  readonly secrets: Pick<Secrets, 'masterKeys' | 'refresh'>;
};

/** Accepts the end of a restored database; `undefined` if neither it nor this machine knows of a seal. */
export async function acceptRestoredEnd(
  transaction: Transaction,
  { secrets, ...input }: RestoredLog,
): Promise<SignedHead | undefined> {
  const head = await readHead(transaction);
  if (!head && !input.remembered) return undefined;
  return acceptEnd(transaction, { ...input, keys: readAuditKeys(secrets, head) });
}

/** Returns the newest seal according to the database; null if it has none. */
export async function findNewestSeal(executor: Executor): Promise<Head | null> {
  const head = await readHead(executor);
  return head ? sealedHead.parse(head) : null;
}

/** Returns the id of the newest seal, even if all seals were deleted because of their age; 0 if there never was one. */
export async function findLastSealId(transaction: Transaction): Promise<number> {
  return (await findNewestSealId(transaction)) || ((await readCut(transaction))?.seal_id ?? 0);
}
