/** The messages between two processes of one profile: JSON lines, a request and its result. */
import { z } from 'zod';

export const controlRequest = z.object({
  id: z.number(),
  command: z.string().max(100),
  input: z.unknown(),
  /** The server address that the command is for, if the caller named one. */
  server: z.string().max(2000).optional(),
});
export type ControlRequest = z.infer<typeof controlRequest>;

const failure = z.looseObject({ error: z.string(), code: z.string() });

/** As in `CommandResult`; the other process may be of another version. */
const commandResult = z.union([
  z.object({ exit: z.literal([1, 2, 3, 4, 130]), failure, isNotRun: z.literal(true).optional() }),
  z.object({ exit: z.literal([0, 1, 2, 3, 4, 130]), value: z.unknown(), incomplete: failure.optional() }),
]);

export const controlResponse = z.object({ id: z.number(), result: commandResult });

/**
 * The longest document is a list of all devices, which adds fields to each device in a server response of up to 4 MiB.
 */
export const maxLineBytes = 8 * 1024 * 1024;
