/** Repeats what the user did, with substitute secrets. */
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import { otherActivationId, ownActivationId } from './made-up-key.ts';
import type { Step } from './replay-steps.ts';

export type CommandContext = {
  readonly client: LicensingClient;
  /** The license key to activate. */
  readonly licenseKey: string;
  readonly signerOf: (kid: string) => LeaseSigner;
};

type Command = Extract<Step, { kind: 'command' }>['entry'];

/** Starts the command; it ends with its responses. */
export function repeatCommand({ command, lease, this_device }: Command, context: CommandContext): void {
  const { client, licenseKey, signerOf } = context;
  const account = { email: 'replay@example.org', password: 'made up' };
  switch (command) {
    case 'signIn':
      return void client.signIn(account);
    case 'signUp':
      return void client.signUp({ ...account, fullName: '' });
    case 'signOut':
      return void client.signOut({ allDevices: false });
    case 'deleteAccount':
      return void client.deleteAccount({ password: 'made up', language: 'en' });
    case 'setServerAddress':
      return void client.setServerAddress({ address: 'https://replay.example.org' });
    case 'syncNow':
      return void client.syncNow();
    case 'renewLease':
      return void client.renewLease();
    case 'activateLicense':
      return void client.activateLicense({ licenseKey });
    case 'replaceLicenseKey':
      return void client.replaceLicenseKey({ password: 'made up', language: 'en' });
    case 'releaseDevice':
      return void client.releaseDevice({ activationId: this_device ? ownActivationId : otherActivationId });
    case 'importLease':
      if (lease) void client.importLease({ text: signerOf(lease.kid).signClaims(lease.claims) });
      return;
    case 'runDoctor':
    case 'supportFile':
      return void client.runDoctor();
  }
}
