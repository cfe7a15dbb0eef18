/** The audit log, as staff read it. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { dateField, listQuery, pageFields, plainText } from './fields.ts';

/** Newest first. `search` is a prefix of the actor or the target's label. */
export const auditQuery = listQuery.extend({
  /** An action (`license.revoke`), or a noun for all its actions (`license`). */
  action: plainText.max(60, 'must be an action such as license.revoke').optional(),
  actor: plainText.max(254, 'must have at most 254 characters').optional(),
  /** Id of the record. */
  target: plainText.max(254, 'must have at most 254 characters').optional(),
  since: dateField.optional(),
  until: dateField.optional(),
});

const auditEvent = z.object({
  id: z.string(),
  at: timestamp,
  /** An email address, `admin command`, or the name of a provider. */
  actor: z.string(),
  /** `license.revoke` */
  action: z.string(),
  /** `license SVC-AB12...WXYZ` */
  target: z.string(),
  /** Null if there is no record, or only one of its kind. */
  target_id: z.string().nullable(),
  /** Network address of the request. */
  address: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEventRecord = z.infer<typeof auditEvent>;

export const auditList = z.object({ events: z.array(auditEvent), ...pageFields });
