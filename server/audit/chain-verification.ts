/** Verifies an audit log of any length against its chain of seals, and finds the first entry that does not match. */
import { toIso } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import { countEntries, findEntries, listOldestEntries, listSeals, readCut, readHead } from './audit.repository.ts';
import {
  type AuditKeys,
  type ChainEnd,
  chainStart,
  type EntryRow,
  findCutProblem,
  findEndProblem,
  findEntryProblem,
  findSealProblem,
  type Head,
  listEntries,
  type SealRow,
} from './audit-chain.rules.ts';
import { findLostEnd } from './lost-end.ts';

export type AuditReport = {
  readonly entries: number;
  readonly sealed: number;
  /** Entries not sealed yet; a running server seals them within seconds. */
  readonly unsealed: number;
  /** True if the sealed entries are unchanged since they were sealed. */
  readonly ok: boolean;
  /** What was deleted because of its age, if anything: the total number of entries, and when that was last done. */
  readonly cut?: { readonly at: string; readonly entries: number };
};

/** A seal lists up to 500 entries, so more seals per page take more memory. */
const sealsPerPage = 5;
const entriesPerQuery = 500;
const entriesPerPage = 1000;

/**
 * Returns the report and, if it is not ok, the first problem. Everything must be read in one transaction, since the log
 * must not change meanwhile. Without keys, signatures are not verified. `remembered` is the newest seal remembered
 * outside of the database; it must be read before the transaction begins.
 */
export async function verifyAuditLog(
  executor: Executor,
  keys: AuditKeys | undefined,
  remembered?: Head,
): Promise<{ report: AuditReport; problem: string | undefined }> {
  const { entries, sealed } = await countEntries(executor);
  const cut = await readCut(executor);
  const problem =
    (cut && findCutProblem(cut, keys)) ??
    (await findProblem(executor, { start: cut, sealed, keys })) ??
    (await findLostEnd(executor, { head: await readHead(executor), remembered, keys }));
  const report = {
    entries,
    sealed,
    unsealed: entries - sealed,
    ok: problem === undefined,
    ...(cut && { cut: { at: toIso(cut.cut_at_ms), entries: cut.entries } }),
  };
  return { report, problem: problem && `audit log: ${problem}` };
}

type ChainFacts = {
  readonly start: ChainEnd | undefined;
  /** Number of entries marked as sealed. */
  readonly sealed: number;
  readonly keys: AuditKeys | undefined;
};

async function findProblem(executor: Executor, { start, sealed, keys }: ChainFacts): Promise<string | undefined> {
  let last = start ?? chainStart;
  let listed = 0;
  for (;;) {
    const seals = await listSeals(executor, last.seal_id, sealsPerPage);
    if (seals.length === 0) break;
    const { sound, problem } = splitAtProblem(seals, last);
    const found = (await findProblemOfEntries(executor, sound)) ?? problem;
    if (found) return found;
    for (const seal of sound) {
      last = { seal_id: seal.id, hash: seal.hash };
      listed += seal.entries;
    }
  }
  const problem = findEndProblem(last, await readHead(executor), keys);
  if (problem) return problem;
  return listed === sealed ? undefined : findUnlistedEntry(executor);
}

/** Returns the seals before the first one that does not follow its predecessor, and what is wrong with that one. */
function splitAtProblem(seals: readonly SealRow[], start: ChainEnd) {
  let last = start;
  for (const [index, seal] of seals.entries()) {
    const problem = findSealProblem(seal, last);
    if (problem) return { sound: seals.slice(0, index), problem };
    last = { seal_id: seal.id, hash: seal.hash };
  }
  return { sound: seals, problem: undefined };
}

/** Returns the problem of the first entry that does not match its seal. */
async function findProblemOfEntries(executor: Executor, seals: readonly SealRow[]): Promise<string | undefined> {
  const listed = seals.flatMap((seal) => listEntries(seal).map((entry) => ({ entry, sealId: seal.id })));
  for (let start = 0; start < listed.length; start += entriesPerQuery) {
    const part = listed.slice(start, start + entriesPerQuery);
    const rows = await findEntries(
      executor,
      part.map(({ entry }) => entry.id),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const { entry, sealId } of part) {
      const problem = findEntryProblem(entry, byId.get(entry.id), sealId);
      if (problem) return problem;
    }
  }
  return undefined;
}

/** Returns the problem of the first entry that is marked as sealed but listed by no seal. */
async function findUnlistedEntry(executor: Executor): Promise<string> {
  let after: string | undefined;
  for (;;) {
    const page = await listOldestEntries(executor, { limit: entriesPerPage, after });
    const unlisted = await findUnlistedOf(executor, page);
    if (unlisted) return `the entry ${unlisted.id} was added later: the seal that it names does not have it`;
    if (page.length < entriesPerPage) return 'some entries were added later: no seal has them';
    after = page.at(-1)?.id;
  }
}

async function findUnlistedOf(executor: Executor, entries: readonly EntryRow[]): Promise<EntryRow | undefined> {
  const bySeal = Map.groupBy(entries, (entry) => entry.seal_id);
  bySeal.delete(null);
  const unlisted: EntryRow[] = [];
  for (const [sealId, ofSeal] of bySeal) {
    const [seal] = await listSeals(executor, Number(sealId) - 1, 1);
    const listed = new Set(seal?.id === sealId ? listEntries(seal).map(({ id }) => id) : []);
    unlisted.push(...ofSeal.filter(({ id }) => !listed.has(id)));
  }
  return unlisted.sort((one, other) => (one.id < other.id ? -1 : 1))[0];
}
