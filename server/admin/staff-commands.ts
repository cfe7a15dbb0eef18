/** `staff`: who may use the admin page. */
import { type Command, Option } from 'commander';
import type { StaffMemberRecord } from '../../shared/api/admin/staff.ts';
import { type StaffRole, staffRoles } from '../../shared/api/staff-role.ts';
import { byCommand } from '../audit/audit-event.ts';
import { toIso } from '../clock.ts';
import { pageOf } from '../database/list.ts';
import { findSiteUrl, formatWelcomeUrl } from '../staff/staff-link.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat, formatTable } from './command-output.ts';
import { addListAction } from './list-command.ts';

/** Adds the noun `staff` and its commands. */
export function addStaffCommands(program: Command, context: AdminContext): void {
  const staff = program.command('staff').description('Staff: who may use the admin page, and what they may do there.');
  addAdd(staff, context);

  staff
    .command('remove <email>')
    .description('End the access of a member of staff and their sessions. The account stays.')
    .action(
      context.running(async ({ staffAdmin }, email: string) => {
        const { id } = await staffAdmin.getByEmail(email);
        return { json: await staffAdmin.remove(id, byCommand) };
      }),
    );

  const list = staff.command('list').description('List all staff, in the order in which they were added.');
  addListAction(list, context, async ({ staffAdmin }) => ({
    readPage: async (page) => pageOf(await staffAdmin.list(), page, 'member of staff'),
    formatPage: createTableFormat<StaffMemberRecord>([...columns]),
  }));

  addLink(staff, context);
  addPasskeys(staff, context);
}

function addPasskeys(staff: Command, context: AdminContext): void {
  staff
    .command('passkeys <email>')
    .description('List the passkeys of a member of staff, oldest first.')
    .action(
      context.running(async ({ staffAdmin, passkeys }, email: string) => {
        const { id } = await staffAdmin.getByEmail(email);
        const list = await passkeys.list(id);
        return { json: list, text: formatTable(list, ['name', 'created_at', 'last_used_at', 'id']) };
      }),
    );

  staff
    .command('remove-passkey <email> <id>')
    .description('Remove a passkey of a member of staff, so that nobody can sign in with it. Sessions stay.')
    .action(
      context.running(async ({ staffAdmin, passkeys }, email: string, passkeyId: string) => {
        const { id } = await staffAdmin.getByEmail(email);
        return { json: await passkeys.remove({ credentialId: passkeyId, staffId: id }, byCommand) };
      }),
    );
}

function addAdd(staff: Command, context: AdminContext): void {
  staff
    .command('add <email>')
    .description(
      'Let an account use the admin page, as an owner unless --role names another role, or change its role; without ' +
        '--role, an account that is already staff keeps its role. An account that does not exist is created without a ' +
        'password. One whose address nobody has confirmed, or whose password support has set, loses its password, ' +
        'sessions, API key and mailed links. "staff link" prints a link to choose a password.',
    )
    .addOption(
      new Option('--role <role>', 'viewer reads, support also helps users, owner may do everything').choices(
        staffRoles,
      ),
    )
    .action(
      context.running(async ({ staffAdmin }, email: string, { role }: { role?: StaffRole }) => {
        const member = await staffAdmin.add(email, role, byCommand);
        const { email: address, role: now, has_password } = member;
        const text = `${address} has the role ${now}: ${mayDo[now]}.`;
        const next = `It has no password and cannot sign in yet: "staff link ${address}" prints a link to choose one.`;
        return { json: member, text: has_password ? text : `${text}\n${next}` };
      }),
    );
}

function addLink(staff: Command, context: AdminContext): void {
  staff
    .command('link <email>')
    .description('Print a link with which a member of staff chooses a new password. It works once, within 24 hours.')
    .action(
      context.running(async ({ staffAdmin }, email: string) => {
        const config = context.config();
        // Checked before the link is created, which would replace an earlier one.
        const siteUrl = findSiteUrl(config, config.port);
        const { id } = await staffAdmin.getByEmail(email);
        const { token, expiresAtMs } = await staffAdmin.createLink(id, byCommand);
        const url = formatWelcomeUrl(siteUrl, token);
        return { json: { url, expires_at: toIso(expiresAtMs) } };
      }),
    );
}

/** Shown by `staff add`, because without `--role` it grants every right. */
const mayDo: Readonly<Record<StaffRole, string>> = {
  viewer: 'it reads everything and changes nothing',
  support: 'it reads everything and helps users',
  owner: 'it may do everything, also add and remove staff',
};

const columns = ['email', 'role', 'has_password', 'passkeys', 'sessions', 'last_used_at', 'id'] as const;
