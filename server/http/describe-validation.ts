/** Says in one sentence what is wrong with what a client sent: which field, and what to send instead. */
import type { FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';

/** The sentence for the first issue of a request that does not fit its schema; `undefined` for any other error. */
export function describeValidation(error: unknown, request: FastifyRequest): string | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const [issue] = error.validation;
  if (!issue) return undefined;
  const input = error.validationContext === 'params' ? request.params : request.body;
  if (input === undefined) return 'The request needs a body: send a JSON object.';
  const path = issue.instancePath.split('/').slice(1);
  const name = path.join('.');
  if (name === '') return 'The body must be a JSON object.';
  if (issue.keyword !== 'invalid_type') return `${name} ${issue.message}.`;
  const kind = withArticle(String(issue.params.expected));
  return isMissing(path, input) ? `${name} is required: send it as ${kind}.` : `${name} must be ${kind}.`;
}

function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function isMissing(path: readonly string[], input: unknown): boolean {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return true;
    value = (value as Record<string, unknown>)[key];
  }
  return value === undefined;
}
