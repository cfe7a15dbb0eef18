/** Reads the bodies of billing events. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';

/** Much more than any provider sends. A kept body that is nested very deeply could not be written as JSON again. */
const maxDepth = 100;

/** Throws `ApiError` VALIDATION_ERROR if the body is nested too deeply. */
export function limitDepth(payload: unknown): void {
  if (isDeeper(payload, maxDepth)) throw new ApiError('VALIDATION_ERROR', 'The body is nested too deeply.');
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}

/** Throws `ApiError` VALIDATION_ERROR about the first field of the object that does not match the schema. */
export function parsePayload<T extends z.ZodType>(schema: T, payload: unknown): z.output<T> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.');
  throw new ApiError('VALIDATION_ERROR', `${path} is missing or not valid.`);
}

/** Returns true for text that every database can store. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const storableText = (maxLength: number) => z.string().min(1).max(maxLength).refine(isStorable);

/** Lemon Squeezy's ids are numbers in some places and strings in others. */
export const lemonSqueezyId = z.union([storableText(255), z.int().transform(String)]);

export const eventType = storableText(200);

const latestMs = Date.UTC(9999, 11, 31);

/** ISO 8601 with a time zone, converted to ms since 1970. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .refine((timeMs) => timeMs >= 0 && timeMs < latestMs);

/** Seconds since 1970, converted to ms. */
export const seconds = z
  .int()
  .min(0)
  .max(latestMs / 1000 - 1)
  .transform((value) => value * 1000);
