/** The memory used by admin commands that read or write all accounts. Linux only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ImportKind } from '../../../server/import/import-source.ts';
import { childEnvironment, repository } from '../../harness/environment.ts';
import type { BenchRun } from '../bench-run.ts';
import { readMemoryMiB } from '../measured-process.ts';
import { type Contender, NotAvailable, type Sample, WrongResponse } from '../measurement.ts';
import { seedAuditEntries } from '../seed/audit-entries.ts';
import { writeImportFile } from '../seed/import-files.ts';
import { insertIntoSqlite } from '../seed/insert-rows.ts';
import { type Installation, keyCount } from '../seed/installation.ts';
import { seedDatabase } from '../seed/seed-database.ts';
import { memberRows } from '../seed/seeded-accounts.ts';
import { launcher } from './server-processes.ts';

const group = 'admin memory';
const million = 1_000_000;

type Command = {
  readonly words: readonly string[];
  /** Minimum output per account, in bytes; less means that some were omitted. */
  readonly leastBytesEach?: number;
  /** Text in its first lines, without which it has not done everything. */
  readonly prints?: string;
  readonly dataFolder: string;
};

/** Commands by name, created from the folder with the accounts and a folder for the output. */
type Commands = Readonly<Record<string, (dataFolder: string, target: string) => Command>>;

const check: Commands[string] = (dataFolder) => ({ words: ['check'], dataFolder });

const readingCommands: Commands = {
  'user list': (dataFolder) => ({ words: ['user', 'list'], leastBytesEach: 100, dataFolder }),
  'license list': (dataFolder) => ({ words: ['license', 'list'], leastBytesEach: 100, dataFolder }),
  check,
};

/** In this order: the second reads the output of the first, and the third needs a stopped server. */
const copyingCommands: Commands = {
  backup: (dataFolder, target) => ({ words: ['backup', join(target, 'backup.tar')], dataFolder }),
  restore: (_, target) => ({ words: ['restore', join(target, 'backup.tar')], dataFolder: join(target, 'restored') }),
  'move-to': (dataFolder, target) => ({ words: ['move-to', `sqlite:${join(target, 'moved')}`], dataFolder }),
};

const auditCommands: Commands = {
  check,
  'audit export': (dataFolder, target) => ({
    words: ['audit', 'export', join(target, 'audit.jsonl')],
    prints: `"entries": ${million}`,
    dataFolder,
  }),
};

/** Into one folder, in this order: the rows of the second and third refer to accounts of the first. */
const imports = {
  'import of 1 million accounts': 'accounts',
  'import of 1 million licenses': 'licenses',
  'import of 1 million API keys': 'api-keys',
} as const;

export function adminMemory(run: BenchRun, installation: () => Promise<Installation>): Contender[] {
  const target = run.once(async () => run.newFolder());
  const add = (name: string, command: Commands[string], { accounts, dataFolder }: Accounts): Contender => ({
    name: `admin ${name}`,
    group,
    rounds: 1,
    onlyFull: accounts === million,
    measure: async () => measurePeak(command(await dataFolder(), await target()), accounts),
  });
  const hundredThousand: Accounts = { accounts: keyCount, dataFolder: async () => (await installation()).dataFolder };
  const importFolder = run.once(async () => run.newFolder());
  const auditLog: Accounts = { accounts: million, dataFolder: run.once(() => seedAuditLog(run)) };
  const millionAccounts: Accounts = { accounts: million, dataFolder: run.once(() => seedMembers(run, million)) };
  return [
    ...Object.entries(readingCommands).map(([name, command]) => add(name, command, hundredThousand)),
    ...Object.entries({ ...readingCommands, ...copyingCommands }).map(([name, command]) =>
      add(`${name} of 1 million accounts`, command, millionAccounts),
    ),
    ...Object.entries(auditCommands).map(([name, command]) =>
      add(`${name} of 1 million audit entries`, command, auditLog),
    ),
    ...Object.entries(imports).map(([name, kind]) =>
      add(name, importOf(kind), { accounts: million, dataFolder: importFolder }),
    ),
  ];
}

function importOf(kind: ImportKind): Commands[string] {
  return (dataFolder) => ({
    words: ['import', kind, writeImportFile(dataFolder, kind, million)],
    prints: `"imported": ${million}`,
    dataFolder,
  });
}

type Accounts = { readonly accounts: number; dataFolder(): Promise<string> };

async function seedMembers(run: BenchRun, accounts: number): Promise<string> {
  run.tell(`seeding ${accounts} accounts`);
  const folder = run.newFolder();
  const plan = { accounts, accessTokens: 0, rowsOf: memberRows };
  await seedDatabase({ LATCHKEY_DATA: folder }, plan, insertIntoSqlite(folder));
  return folder;
}

async function seedAuditLog(run: BenchRun): Promise<string> {
  run.tell(`seeding ${million} audit entries`);
  const folder = run.newFolder();
  await seedAuditEntries(folder, million);
  return folder;
}

async function measurePeak(
  { words, leastBytesEach = 0, prints = '', dataFolder }: Command,
  accounts: number,
): Promise<Sample> {
  if (process.platform !== 'linux') throw new NotAvailable('memory is read from /proc');
  // The same option as `npm run admin`.
  const args = ['--max-semi-space-size=8', launcher, 'server/admin/admin.ts', ...words, '--json'];
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: childEnvironment({ LATCHKEY_DATA: dataFolder, NODE_COMPILE_CACHE: '' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let mebibytes = 0;
  const look = () => {
    if (child.exitCode === null && child.pid !== undefined) mebibytes = readPeak(child.pid) ?? mebibytes;
  };
  const watch = setInterval(look, 20);
  let bytes = 0;
  let start = '';
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (start.length < 1000) start += part.toString();
  });
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0 || !start.includes(prints) || bytes < leastBytesEach * accounts)
    throw new WrongResponse(`${words.join(' ')}: ${bytes} bytes, exit code ${code}`);
  return { mebibytes };
}

/** Returns `undefined` if the process has ended in the meantime. */
function readPeak(pid: number): number | undefined {
  try {
    return readMemoryMiB(pid).peak || undefined;
  } catch {
    return undefined;
  }
}
