/** Checks what a client sent against the schema of an endpoint, and says in one sentence what is wrong with it. */
import type { z } from 'zod';
import { ApiError } from '../api-error.ts';

/** The parsed input. Throws `ApiError` VALIDATION_ERROR that names the first wrong field. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ApiError('VALIDATION_ERROR', issue ? describeIssue(issue, input) : undefined);
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const name = issue.path.map(String).join('.');
  if (name === '') return 'The body must be a JSON object.';
  switch (issue.code) {
    case 'invalid_type': {
      const article = /^[aeio]/.test(issue.expected) ? 'an' : 'a';
      const kind = `${article} ${issue.expected}`;
      return isMissing(issue.path, input) ? `${name} is required: send it as ${kind}.` : `${name} must be ${kind}.`;
    }
    case 'too_big':
      return `${name} must have at most ${issue.maximum} characters.`;
    case 'too_small':
      return `${name} must have at least ${issue.minimum} characters.`;
    default:
      return `${name} ${issue.message}.`;
  }
}

function isMissing(path: readonly PropertyKey[], input: unknown): boolean {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}
