/** What a member of staff may do. */
import { z } from 'zod';

/** A viewer reads, support also helps users, an owner does everything. Each may do what those before it may. */
export const staffRoles = ['viewer', 'support', 'owner'] as const;
export const staffRole = z.enum(staffRoles, `must be one of ${staffRoles.join(', ')}`);
export type StaffRole = z.infer<typeof staffRole>;

/** Whether `role` may do what requires `least`. */
export function includesRole(role: StaffRole, least: StaffRole): boolean {
  return staffRoles.indexOf(role) >= staffRoles.indexOf(least);
}
