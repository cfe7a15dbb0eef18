/**
 * The chain that reveals changes of the audit log.
 *
 * A seal lists the id and the digest of each of its entries, and its hash covers that list and the hash of the previous
 * seal. So an entry that is changed, added or deleted no longer matches its seal, and a rebuilt seal no longer matches
 * the next one. The hash of the newest seal is signed under a key that is not in the database: somebody who can write
 * only to the database can neither rebuild the end of the chain nor shorten it. What is deleted because of its age is
 * replaced by a *cut*: the signed hash of the last deleted seal, from which the rest of the chain follows.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Tables } from '../database/tables.ts';
import { deriveKey } from '../encryption.ts';

export type EntryRow = Tables['audit_events'];
export type SealRow = Tables['audit_seals'];

/** The end of a chain, or of a part of it. */
export type ChainEnd = { readonly seal_id: number; readonly hash: string };

/** What the first seal follows. */
export const chainStart: ChainEnd = { seal_id: 0, hash: '' };

/** The newest seal. */
export const sealedHead = z.object({
  seal_id: z.int(),
  hash: z.string(),
  /**
   * When an admin (or a restore) last accepted an end of the log as it was, in ms since 1970; 0 if never. Heads of the
   * same epoch continue each other; one of a later epoch replaces them, whatever it is.
   */
  epoch: z.int().default(0),
});
export type Head = z.infer<typeof sealedHead>;

/** The newest seal that this server made. */
export const signedHead = sealedHead.extend({ signature: z.string() });
export type SignedHead = z.infer<typeof signedHead>;

/** Marks what was deleted because of its age: every seal up to this one. */
export const signedCut = sealedHead.omit({ epoch: true }).extend({
  signature: z.string(),
  /** Total number of deleted entries. */
  entries: z.int(),
  cut_at_ms: z.int(),
});
export type SignedCut = z.infer<typeof signedCut>;

/** Signature keys, one for each master key: the newest one signs, and any of them verifies. */
export type AuditKeys = readonly [KeyObject, ...KeyObject[]];

/** Derives the keys from the master keys, newest first. */
export function auditKeys([newest = Buffer.alloc(0), ...earlier]: readonly Uint8Array[]): AuditKeys {
  const derive = (masterKey: Uint8Array) => createSecretKey(deriveKey(masterKey, 'audit log'));
  return [derive(newest), ...earlier.map(derive)];
}

export function signHead({ seal_id, hash, epoch }: Head, key: KeyObject): SignedHead {
  const facts = epoch === 0 ? [seal_id, hash] : [seal_id, hash, epoch];
  return { seal_id, hash, epoch, signature: sign(['head', ...facts], key) };
}

/** Returns true if `one` was made after `other`. */
export function isLater(one: Head, other: Head): boolean {
  return one.epoch > other.epoch || (one.epoch === other.epoch && one.seal_id > other.seal_id);
}

export function signCut(
  { seal_id, hash, entries, cut_at_ms }: Omit<SignedCut, 'signature'>,
  key: KeyObject,
): SignedCut {
  return { seal_id, hash, entries, cut_at_ms, signature: sign(['cut', seal_id, hash, entries, cut_at_ms], key) };
}

/**
 * Returns what the next seal follows: the end that this server has signed, whatever the rows say. So a chain that
 * somebody else has shortened, extended or recreated shows a break from then on, and is not signed by mistake.
 */
export function chooseChainEnd(newestSealId: number, head: SignedHead | undefined, keys: AuditKeys): ChainEnd {
  if (head && isHeadValid(head, keys)) return { seal_id: Math.max(head.seal_id, newestSealId), hash: head.hash };
  return newestSealId === 0 && head === undefined ? chainStart : { seal_id: newestSealId, hash: 'unknown' };
}

/** Creates the seal for these entries, which must be sorted by id. */
export function makeSeal(entries: readonly EntryRow[], last: ChainEnd, nowMs: number): SealRow {
  const seal = {
    id: last.seal_id + 1,
    sealed_at_ms: nowMs,
    entries: entries.length,
    digests: entries.map((entry) => `${entry.id} ${digestEntry(entry)}`).join('\n'),
    previous_hash: last.hash,
  };
  return { ...seal, hash: hashSeal(seal) };
}

type ListedEntry = { readonly id: string; readonly digest: string };

/** Returns the entries that a seal lists. */
export function listEntries({ digests }: Pick<SealRow, 'digests'>): ListedEntry[] {
  return digests.split('\n').map((line) => {
    const [id = '', digest = ''] = line.split(' ');
    return { id, digest };
  });
}

/** Returns what is wrong with a seal that should follow `last`; `undefined` if nothing is. */
export function findSealProblem(seal: SealRow, last: ChainEnd): string | undefined {
  const listed = listEntries(seal);
  const name = `seal ${seal.id}, which begins with the entry ${listed[0]?.id},`;
  if (seal.id !== last.seal_id + 1) return `${name} does not follow seal ${last.seal_id}: those between are missing`;
  if (seal.previous_hash !== last.hash) return `${name} does not continue the seal before it`;
  if (seal.entries !== listed.length || seal.hash !== hashSeal(seal)) return `${name} was changed`;
  return undefined;
}

/** Returns what is wrong with an entry that the seal lists; `undefined` if nothing is. */
export function findEntryProblem(
  { id, digest }: ListedEntry,
  entry: EntryRow | undefined,
  sealId: number,
): string | undefined {
  if (entry === undefined) return `the entry ${id} is missing: it was deleted after it was sealed`;
  if (entry.seal_id !== sealId || digestEntry(entry) !== digest) {
    return `the entry ${id} was changed after it was sealed`;
  }
  return undefined;
}

/** Returns what is wrong with the end of the chain. Without keys, the signature is not checked. */
export function findEndProblem(last: ChainEnd, head: SignedHead | undefined, keys: AuditKeys | undefined) {
  if (head === undefined) return last.seal_id === 0 ? undefined : 'the signature of the newest seal is missing';
  if (head.seal_id > last.seal_id)
    return `the newest entries are missing: there is no seal ${last.seal_id + 1} or later`;
  if (head.seal_id !== last.seal_id || head.hash !== last.hash)
    return `seal ${last.seal_id} was not made by this server`;
  if (keys && !isHeadValid(head, keys)) return 'the signature of the newest seal is not valid';
  return undefined;
}

export function findCutProblem(cut: SignedCut, keys: AuditKeys | undefined): string | undefined {
  if (keys === undefined || keys.some((key) => signCut(cut, key).signature === cut.signature)) return undefined;
  return 'the marker of what was deleted for its age has no valid signature';
}

export function isHeadValid(head: SignedHead, keys: readonly KeyObject[]): boolean {
  return keys.some((key) => signHead(head, key).signature === head.signature);
}

/** SHA-256 of the entry without the seal, so it does not depend on how the database stores the entry. */
function digestEntry(entry: EntryRow): string {
  const { id, at_ms, actor_kind, actor, action, target_kind, target_id, target_label, address, details } = entry;
  const fields = [id, at_ms, actor_kind, actor, action, target_kind, target_id, target_label, address, details];
  return hash('sha256', JSON.stringify(fields), 'base64url');
}

/** Computes the hash that a seal with this content has. */
export function hashSeal({ id, sealed_at_ms, entries, digests, previous_hash }: Omit<SealRow, 'hash'>): string {
  return hash('sha256', JSON.stringify([id, sealed_at_ms, entries, digests, previous_hash]), 'base64url');
}

function sign(facts: readonly (string | number)[], key: KeyObject): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['audit log', ...facts]))
    .digest('base64url');
}
