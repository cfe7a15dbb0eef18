/** An installation with seeded accounts, and which of them each load uses, so that none disturbs another. */
import type { BenchRun } from '../bench-run.ts';
import { type LoadedServer, startLatchkey } from '../contenders/server-processes.ts';
import { insertIntoSqlite } from './insert-rows.ts';
import { seedDatabase } from './seed-database.ts';
import { memberRows } from './seeded-accounts.ts';

/** The numbers of some accounts. */
export type Slice = { readonly first: number; readonly count: number };

export type Installation = {
  readonly server: LoadedServer;
  readonly dataFolder: string;
  readonly accessTokens: readonly string[];
};

/** So many API keys are validated in turn. */
export const keyCount = 100_000;
/** The accounts that are busy all the time: each is asked for several times a second. */
export const busyAccounts: Slice = { first: 0, count: 2_000 };
/** The accounts that report new devices. */
export const growingAccounts: Slice = { first: 0, count: 10_000 };

const refreshingCount = 2_000;
const activatingPerSecond = 5_000;

/** A round may lose the refresh tokens that were under way when it ended, so each has sessions of its own. */
export function refreshingAccounts(round: number): Slice {
  return { first: growingAccounts.count + round * refreshingCount, count: refreshingCount };
}

/** An activation is used up, so each round has licenses of its own. */
export function activatingAccounts({ effort }: BenchRun, round: number): Slice {
  const count = activatingPerSecond * effort.seconds;
  return { first: refreshingAccounts(effort.rounds + 1).first + round * count, count };
}

/** The service on a SQLite database with all of these accounts. */
export async function startSqliteInstallation(run: BenchRun): Promise<Installation> {
  const signedIn = activatingAccounts(run, run.effort.rounds + 1).first;
  return await startMembers(run, Math.max(keyCount, signedIn), { signedIn });
}

type MembersOptions = {
  /** How many of them are signed in; all where nothing is said. */
  readonly signedIn?: number;
  /** See `StartOptions`. */
  readonly under?: readonly string[];
};

/** The service on a SQLite database with so many accounts. */
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
