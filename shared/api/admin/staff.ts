/** Staff members. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { staffRole } from '../staff-role.ts';

export const staffMember = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  role: staffRole,
  created_at: timestamp,
  /** Last request of any current session; null without one. */
  last_used_at: timestamp.nullable(),
  sessions: z.int().nonnegative(),
  passkeys: z.int().nonnegative(),
  has_password: z.boolean(),
});
export type StaffMemberRecord = z.infer<typeof staffMember>;

export const staffList = z.object({ staff: z.array(staffMember) });

/** A single-use link to choose a password, valid for 24 hours. */
export const staffLink = z.object({ url: z.string(), expires_at: timestamp });

/** The account with this email becomes staff; if none exists, one is created without a password. */
export const addStaffRequest = z.object({ email: z.string(), role: staffRole });
export const addedStaff = z.object({ staff: staffMember, link: staffLink });

export const setStaffRoleRequest = z.object({ role: staffRole });
