/** Roles of staff members. */
import { z } from 'zod';

/** Viewers read, support also helps users, owners do everything. Each role includes those before it. */
export const staffRoles = ['viewer', 'support', 'owner'] as const;
export const staffRole = z.enum(staffRoles, `must be one of ${staffRoles.join(', ')}`);
export type StaffRole = z.infer<typeof staffRole>;

/** Returns whether `role` includes the permissions of `least`. */
export function includesRole(role: StaffRole, least: StaffRole): boolean {
  return staffRoles.indexOf(role) >= staffRoles.indexOf(least);
}
