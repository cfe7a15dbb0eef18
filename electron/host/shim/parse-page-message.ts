/** Validates what a page sends over its socket. */
import { z } from 'zod';
import type { PageMessage } from '../page/page-messages.ts';
import { decodeValue } from '../page/structured-clone.ts';

const pageMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('invoke'), id: z.number(), channel: z.string(), input: z.array(z.unknown()) }),
  z.object({ kind: z.literal('focused'), focused: z.boolean() }),
  z.object({ kind: z.literal('response'), id: z.number(), value: z.unknown() }),
]);

/** `closeCode` is a status code of RFC 6455, section 7.4.1; `reason` is for the page's console. */
export type ParsedPageMessage =
  | { readonly kind: 'message'; readonly message: PageMessage }
  | { readonly kind: 'malformed'; readonly closeCode: 1003 | 1007 | 1008; readonly reason: string };

/** Never throws. */
export function parsePageMessage(data: unknown, isBinary: boolean): ParsedPageMessage {
  if (isBinary) return { kind: 'malformed', closeCode: 1003, reason: 'Messages are text.' };
  const value = decode(String(data));
  if (value === undefined) return { kind: 'malformed', closeCode: 1007, reason: 'The message cannot be decoded.' };
  const parsed = pageMessage.safeParse(value);
  if (!parsed.success) return { kind: 'malformed', closeCode: 1008, reason: 'The message has an unknown form.' };
  return { kind: 'message', message: parsed.data };
}

function decode(text: string): unknown {
  try {
    return decodeValue(text) ?? null;
  } catch {
    return undefined;
  }
}
