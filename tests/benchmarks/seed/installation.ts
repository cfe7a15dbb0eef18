/** An installation with seeded accounts, and the accounts used by each load, so that no load disturbs another. */
import type { BenchRun } from '../bench-run.ts';
import { type LoadedServer, startLatchkey } from '../contenders/server-processes.ts';
import { insertIntoSqlite } from './insert-rows.ts';
import { seedDatabase } from './seed-database.ts';
import { memberRows } from './seeded-accounts.ts';

/** A range of account numbers. */
export type Slice = { readonly first: number; readonly count: number };

export type Installation = {
  readonly server: LoadedServer;
  readonly dataFolder: string;
  readonly accessTokens: readonly string[];
};

/** Number of API keys that are validated in turn. */
export const keyCount = 100_000;
/** The accounts that are constantly busy, each with several requests a second. */
export const busyAccounts: Slice = { first: 0, count: 2_000 };
/** The accounts that report new devices. */
export const growingAccounts: Slice = { first: 0, count: 10_000 };

const refreshingCount = 2_000;
const activatingPerSecond = 5_000;

/**
 * Returns the accounts of a round, each with its own sessions, since a round may lose the refresh tokens in use when it
 * ends.
 */
export function refreshingAccounts(round: number): Slice {
  return { first: growingAccounts.count + round * refreshingCount, count: refreshingCount };
}

/** Returns the accounts of a round, each with its own license, since an activation can only be made once. */
export function activatingAccounts({ effort }: BenchRun, round: number): Slice {
  const count = activatingPerSecond * effort.seconds;
  return { first: refreshingAccounts(effort.rounds + 1).first + round * count, count };
}

/** Starts the service on a SQLite database with all of these accounts. */
export async function startSqliteInstallation(run: BenchRun): Promise<Installation> {
  const signedIn = activatingAccounts(run, run.effort.rounds + 1).first;
  return await startMembers(run, Math.max(keyCount, signedIn), { signedIn });
}

type MembersOptions = {
  /** How many of them are signed in; all by default. */
  readonly signedIn?: number;
  /** See `StartOptions`. */
  readonly under?: readonly string[];
};

/** Starts the service on a SQLite database with this many accounts. */
export async function startMembers(
  run: BenchRun,
  accounts: number,
  { signedIn = accounts, under }: MembersOptions,
): Promise<Installation> {
  run.tell('seeding accounts');
  const dataFolder = run.newFolder();
  const settings = { LATCHKEY_DATA: dataFolder };
  const plan = { accounts, accessTokens: signedIn, rowsOf: memberRows };
  const { accessTokens } = await seedDatabase(settings, plan, insertIntoSqlite(dataFolder));
  return { server: await startLatchkey(run, settings, under), dataFolder, accessTokens };
}
