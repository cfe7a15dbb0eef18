/** Makes the demo data in a database, and leaves alone what of it is there already. */
import { join } from 'node:path';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { AdminParts } from '../admin/open-services.ts';
import { ApiError } from '../errors.ts';
import { createServices, type Services } from '../services.ts';
import { activateDemoDevices, demoDeviceCount, shiftClock } from './demo-devices.ts';
import { type DemoAccount, type DemoFacts, newDemoPassword, readDemoFacts, writeDemoFacts } from './demo-facts.ts';
import { type DemoInstaller, writeDemoInstaller } from './demo-installer.ts';

const plan = 'standard';
const yearMs = 365 * 24 * 60 * 60 * 1000;
/** Before the first of its devices was activated. */
const fullAccountDaysAgo = 200;

export type DemoData = DemoFacts & {
  readonly installer_file: string;
  readonly tampered_file: string;
  readonly version: string;
};

/** Accounts, licenses, devices and the installer. Made anew is only what is missing; what was used stays used. */
export async function seedDemoData(parts: AdminParts): Promise<DemoData> {
  const { dataFolder } = parts.config;
  const factsFile = join(dataFolder, 'demo.json');
  const known = readDemoFacts(factsFile);
  const services = createServices(parts);
  const past = createServices({ ...parts, clock: shiftClock(parts.clock, fullAccountDaysAgo) });

  const first = (await isThere(services, known)) ? known : undefined;
  const second = (await isThere(services, known?.full_account)) ? known?.full_account : undefined;
  const facts = {
    ...(first ?? (await makeAccount(parts, services, { email: 'ada@latchkey.example', full_name: 'Ada Winter' }))),
    full_account: second ?? (await makeFullAccount(parts, services, past)),
  };
  if (facts.license_key !== known?.license_key || !second) writeDemoFacts(factsFile, facts);
  for (const { email } of [facts, facts.full_account]) await keepSubscribed(parts, services, email);

  const installer = writeDemoInstaller(join(dataFolder, 'installers'), process.platform);
  await publish(services, installer);
  return {
    ...facts,
    installer_file: installer.file,
    tampered_file: installer.tamperedFile,
    version: installer.version,
  };
}

/** Whether account and license are those that the facts speak of. */
async function isThere(services: Services, facts: DemoAccount | undefined): Promise<boolean> {
  const account = facts && (await findAccount(services, facts.email));
  if (!account) return false;
  const preview = previewLicenseKey(facts.license_key);
  return (await services.licenseAdmin.list(account.id)).some((license) => license.key_preview === preview);
}

async function findAccount(services: Services, email: string): Promise<{ id: string } | undefined> {
  try {
    return await services.accounts.find(email);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'USER_NOT_FOUND') return undefined;
    throw error;
  }
}

type Person = { readonly email: string; readonly full_name: string };

/** An account on the plan with a license; one of the same address, whose password nobody knows, is replaced. */
async function makeAccount(parts: AdminParts, services: Services, person: Person): Promise<DemoAccount> {
  if (await findAccount(services, person.email)) await services.accounts.remove(person.email);
  const password = newDemoPassword(parts.random);
  const { id } = await services.accounts.create({ ...person, password });
  await services.subscriptions.set(id, { plan, periodEndMs: parts.clock.now() + yearMs });
  const { license_key } = await services.licenseAdmin.issue({
    userId: id,
    plan,
    maxActivations: demoDeviceCount,
    withSubscription: true,
  });
  return { email: person.email, password, license_key };
}

async function makeFullAccount(parts: AdminParts, services: Services, past: Services): Promise<DemoAccount> {
  const made = await makeAccount(parts, past, { email: 'noor@latchkey.example', full_name: 'Noor Haddad' });
  const { id } = await services.accounts.find(made.email);
  await activateDemoDevices(parts, { userId: id, licenseKey: made.license_key });
  return made;
}

/** A demo that was left alone for a year works again. */
async function keepSubscribed(parts: AdminParts, { accounts, subscriptions }: Services, email: string): Promise<void> {
  const { id } = await accounts.find(email);
  const subscription = await subscriptions.get(id);
  const isOver = subscription === undefined || Date.parse(subscription.current_period_end) <= parts.clock.now();
  if (isOver) await subscriptions.set(id, { plan, periodEndMs: parts.clock.now() + yearMs });
}

async function publish({ installers }: Services, { version, platform, hash }: DemoInstaller): Promise<void> {
  const published = await installers.get();
  if (published?.version === version && published.hashes[platform] === hash) return;
  await installers.publish(version, { [platform]: hash });
}
