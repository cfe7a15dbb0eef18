/** `lease`: sign the lease of a device that is never online. */
import type { Command } from 'commander';
import { parseJws } from '../../shared/jws.ts';
import { leaseClaims, leaseType } from '../../shared/lease.ts';
import { byCommand } from '../audit/audit-event.ts';
import type { AdminContext } from './admin-context.ts';
import { formatFields } from './command-output.ts';
import { readLeaseRequest, requireLeaseFolder, writeLease } from './lease-files.ts';

type SignOptions = { out: string; email?: string };

/** Adds the noun `lease` and its command. */
export function addLeaseCommands(program: Command, context: AdminContext): void {
  const lease = program.command('lease').description('Leases, for devices that are never online.');
  lease
    .command('sign <request-file>')
    .description(
      'Activate the device of a request file, {"license_key", "device_id", "device_name", "platform"}, and write its signed lease. ' +
        'Before the lease ends, the same command writes the next one.',
    )
    .requiredOption('--out <file>', 'where to write the lease; an existing file is replaced')
    .option('--email <email>', 'the account that gets the license if it has no owner yet')
    .action(
      context.printing(async (requestFile: string, { out, email }: SignOptions) => {
        const request = readLeaseRequest(context.resolveFile(requestFile));
        const file = context.resolveFile(out);
        requireLeaseFolder(file);
        return context.withServices(async ({ accounts, leases }) => {
          const owner = email === undefined ? undefined : await accounts.getByEmail(email);
          const response = await leases.issueOffline(request, byCommand, owner?.id);
          writeLease(file, response.lease);
          const kid = parseJws(response.lease, leaseType, leaseClaims)?.kid;
          const { lease: _written, ...dates } = response;
          return {
            json: { ...response, file },
            text: formatFields({ file, device_id: request.device_id, kid, ...dates }),
          };
        });
      }),
    );
}
