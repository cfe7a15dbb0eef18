/** Verifies the audit log against its chain of seals, of any length, and finds the first entry that does not fit. */
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
  /** Those that the server has not sealed yet, which it does within seconds while it runs. */
  readonly unsealed: number;
  /** Whether the sealed ones are as they were when they were sealed. */
  readonly ok: boolean;
  /** What was deleted for its age, if anything was: how many entries in all, and when that was done last. */
  readonly cut?: { readonly at: string; readonly entries: number };
};

/** A seal lists up to 500 entries, so more of them at a time take more memory. */
const sealsPerPage = 5;
const entriesPerQuery = 500;
const entriesPerPage = 1000;

/**
 * The report and, if it is not ok, the first problem. The log must not change meanwhile: all is read in one transaction.
 * Without keys the signatures are not verified. `remembered` is the newest seal as it is remembered outside of the database,
 * read before the transaction began.
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
  /** How many entries are marked as sealed. */
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

/** The seals before the first one that does not follow its predecessor, and what is wrong with that. */
function splitAtProblem(seals: readonly SealRow[], start: ChainEnd) {
  let last = start;
  for (const [index, seal] of seals.entries()) {
    const problem = findSealProblem(seal, last);
    if (problem) return { sound: seals.slice(0, index), problem };
    last = { seal_id: seal.id, hash: seal.hash };
  }
  return { sound: seals, problem: undefined };
}

/** The first entry that is not as its seal says. */
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

/** The first entry that is marked as sealed, and that no seal has. */
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
