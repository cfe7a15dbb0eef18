/** Creates the demo data: two accounts with a license each, the devices of one of them, and a published installer. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { crockfordAlphabet, previewLicenseKey } from '../../shared/formats/license-key.ts';
import { replaceFile } from '../atomic-write.ts';
import { byServer } from '../audit/audit-event.ts';
import { dayMs } from '../clock.ts';
import type { Random } from '../random.ts';
import { createServices, type Services, type ServicesDeps } from '../services.ts';
import type { Config } from '../settings/config.ts';
import { activateDemoDevices, createPastClock, demoDeviceCount } from './demo-devices.ts';
import { type DemoInstaller, writeDemoInstaller } from './demo-installer.ts';

const plan = 'standard';
const yearMs = 365 * dayMs;
/** Age of the account in days, greater than that of its first activation. */
const fullAccountAgeDays = 200;

const demoAccount = z.object({ email: z.string(), password: z.string(), license_key: z.string() });
type DemoAccount = z.infer<typeof demoAccount>;

/** Credentials for signing in, stored in a file because the database has only hashes of passwords and license keys. */
const demoAccounts = demoAccount.extend({ full_account: demoAccount });
type DemoAccounts = z.infer<typeof demoAccounts>;

type DemoData = DemoAccounts & {
  readonly installer_file: string;
  readonly tampered_file: string;
  readonly version: string;
};

type DemoDeps = ServicesDeps & { readonly config: Pick<Config, 'dataFolder'> };

/** Creates what is missing, and leaves everything else as users have changed it. */
export async function seedDemoData(deps: DemoDeps): Promise<DemoData> {
  const { dataFolder } = deps.config;
  const seeder = new DemoSeeder(deps);
  const accounts = await seeder.seedAccounts(join(dataFolder, 'demo.json'));
  const installer = writeDemoInstaller(join(dataFolder, 'installers'), process.platform);
  await seeder.publish(installer);
  return {
    ...accounts,
    installer_file: installer.file,
    tampered_file: installer.tamperedFile,
    version: installer.version,
  };
}

class DemoSeeder {
  readonly #deps: DemoDeps;
  readonly #services: Services;

  constructor(deps: DemoDeps) {
    this.#deps = deps;
    this.#services = createServices(deps);
  }

  /** Creates the accounts missing from `accountsFile`, and renews their subscriptions. */
  async seedAccounts(accountsFile: string): Promise<DemoAccounts> {
    const known = readAccounts(accountsFile);
    const first = (await this.#exists(known)) ? known : undefined;
    const full = (await this.#exists(known?.full_account)) ? known?.full_account : undefined;
    const accounts = {
      ...(first ?? (await this.#createAccount(this.#services, 'ada@latchkey.example', 'Ada Winter'))),
      full_account: full ?? (await this.#createFullAccount()),
    };
    if (!first || !full) writeAccounts(accountsFile, accounts);
    for (const { email } of [accounts, accounts.full_account]) await this.#renewSubscription(email);
    return accounts;
  }

  async publish({ version, platform, hash }: DemoInstaller): Promise<void> {
    const { installers } = this.#services;
    const published = await installers.get();
    if (published?.version === version && published.hashes[platform] === hash) return;
    await installers.publish(version, { [platform]: hash }, byServer);
  }

  /** Returns true if the account and its license are in the database. */
  async #exists(account: DemoAccount | undefined): Promise<boolean> {
    const found = account && (await this.#services.accounts.findByEmail(account.email));
    if (!found) return false;
    const preview = previewLicenseKey(account.license_key);
    return (await this.#services.licenseAdmin.list(found.id)).some((license) => license.key_preview === preview);
  }

  /**
   * Creates an account with a license. Deletes an existing account with this address, because its password is unknown.
   */
  async #createAccount(services: Services, email: string, fullName: string): Promise<DemoAccount> {
    if (await services.accounts.findByEmail(email)) await services.accounts.remove(email, byServer);
    const password = createDemoPassword(this.#deps.random);
    const { id } = await services.accounts.create({ email, full_name: fullName, password }, byServer);
    await services.subscriptions.set(id, { plan, periodEndMs: this.#deps.clock.now() + yearMs }, byServer);
    const issue = { userId: id, plan, maxActivations: demoDeviceCount, withSubscription: true };
    const { license_key } = await services.licenseAdmin.issue(issue, byServer);
    return { email, password, license_key };
  }

  /** Creates an account that has existed for a while and whose license is active on as many devices as it allows. */
  async #createFullAccount(): Promise<DemoAccount> {
    const pastServices = createServices({
      ...this.#deps,
      clock: createPastClock(this.#deps.clock, fullAccountAgeDays),
    });
    const account = await this.#createAccount(pastServices, 'noor@latchkey.example', 'Noor Haddad');
    const { id } = await this.#services.accounts.getByEmail(account.email);
    await activateDemoDevices(this.#deps, { userId: id, licenseKey: account.license_key });
    return account;
  }

  /** Renews a subscription that has ended, so that a demo unused for a year works again. */
  async #renewSubscription(email: string): Promise<void> {
    const { accounts, subscriptions } = this.#services;
    const { id } = await accounts.getByEmail(email);
    const subscription = await subscriptions.get(id);
    const nowMs = this.#deps.clock.now();
    const isOver = subscription === undefined || Date.parse(subscription.current_period_end) <= nowMs;
    if (isOver) await subscriptions.set(id, { plan, periodEndMs: nowMs + yearMs }, byServer);
  }
}

/** Returns `undefined` if the file is missing or cannot be read. */
function readAccounts(path: string): DemoAccounts | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return demoAccounts.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function writeAccounts(path: string, accounts: DemoAccounts): void {
  const temporaryPath = `${path}.${process.pid}.new`;
  writeFileSync(temporaryPath, `${JSON.stringify(accounts, null, 2)}\n`, { mode: 0o600 });
  replaceFile(temporaryPath, path);
}

/** Creates a password with 60 random bits that is easy to type: three groups of four characters. */
function createDemoPassword(random: Random): string {
  const characters = [...random(12)].map((byte) => crockfordAlphabet.charAt(byte & 31).toLowerCase());
  return [0, 4, 8].map((start) => characters.slice(start, start + 4).join('')).join('-');
}
