/** The server itself, as staff see it. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';

export const serverInfo = z.object({
  version: z.string(),
  /** Node.js version. */
  node_version: z.string(),
  started_at: timestamp,
  /** Time by the server's clock. */
  now: timestamp,
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    /** null if unknown. */
    size_bytes: z.int().nonnegative().nullable(),
    migrations: z.array(z.object({ name: z.string(), applied_at: timestamp })),
  }),
  settings: z.array(
    z.object({
      name: z.string(),
      /** As text; null if unset and without a default. Secrets are masked. */
      value: z.string().nullable(),
      is_default: z.boolean(),
      /** Description, as in `--help`. */
      meaning: z.string(),
    }),
  ),
  /** Whether the server can send mail. */
  can_send_mail: z.boolean(),
});
export type ServerInfo = z.infer<typeof serverInfo>;
