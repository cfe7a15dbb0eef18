/** Reads a support file as far as a replay needs it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { timestamp } from '../../../shared/api/fields.ts';
import { type TimelineEntry, timelineEntry } from '../../../shared/ipc/diagnostics.ts';

const shownFeature = z.object({
  feature: z.string(),
  on: z.boolean(),
  reason: z.string().nullable(),
  decided_by: z.string(),
  chain: z.array(z.object({ check: z.string(), source: z.string(), result: z.string() })),
});

const supportFile = z.object({
  format: z.literal(1),
  made_at: timestamp,
  app: z.object({ version: z.string() }),
  system: z.object({ clock: z.string() }),
  server: z.object({ address: z.string().nullable(), reachability: z.string(), leases: z.string() }),
  account: z.object({ id: z.string() }).nullable(),
  device: z.object({ device_id: z.string().nullable(), source: z.string().nullable() }),
  license: z.object({
    state: z.looseObject({ kind: z.string() }),
    key_preview: z.string().nullable(),
    activated: z.boolean().optional(),
  }),
  lease: z.object({
    state: z.string(),
    problem: z.string().nullable(),
    kid: z.string().nullable(),
    keys: z.enum(['built-in', 'file', 'first-use']),
    license: z.string().nullable(),
    issuedAt: timestamp.nullable(),
    renewAfter: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
  }),
  features: z.array(shownFeature),
  timeline: z.array(timelineEntry),
});
export type SupportFile = z.infer<typeof supportFile>;

/** The compared part of the file: what the window showed when it was saved. */
export type Shown = Omit<SupportFile, 'format' | 'made_at' | 'timeline' | 'app'>;

/** Thrown if the file cannot be replayed; the message says what to do. */
export class UnreadableSupportFileError extends Error {}

/** Reads the file. Throws `UnreadableSupportFileError`. */
export function readSupportFile(path: string): SupportFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    throw new UnreadableSupportFileError(`${path} cannot be read (${code}). Pass the path of a support file.`);
  }
  return parseSupportFile(text);
}

/** Parses the text of a file. Throws `UnreadableSupportFileError`. */
export function parseSupportFile(text: string): SupportFile {
  const parsed = supportFile.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : '';
    const advice = 'Save one with Diagnostics, Save support file…, or with latchkey support --out FILE.';
    throw new UnreadableSupportFileError(`This is no support file of the client${where}. ${advice}`);
  }
  if (!parsed.data.timeline.some((entry: TimelineEntry) => entry.known)) {
    const why = 'its timeline does not say what the client knew at any time';
    const advice =
      'A version of the app that records it has to run for a while first: update it, then save the file again.';
    throw new UnreadableSupportFileError(`The support file cannot be replayed: ${why}. ${advice}`);
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
