/** `staff`: who may use the admin console. */
import type { Command } from 'commander';
import { type AdminContext, answering } from './admin-command.ts';
import { toUserRecord } from './user-record.ts';

/** Adds the noun `staff` with its verbs. */
export function addStaffCommands(program: Command, context: AdminContext): void {
  const staff = program.command('staff').description('Accounts that may use the admin console.');
  const setStaff = (isStaff: boolean) =>
    answering(context, (email: string) =>
      context.withServices(async ({ accounts }) => ({ json: toUserRecord(await accounts.setStaff(email, isStaff)) })),
    );
  staff.command('add <email>').description('Let an account use the admin console.').action(setStaff(true));
  staff.command('remove <email>').description('Take the admin console from an account.').action(setStaff(false));
}
