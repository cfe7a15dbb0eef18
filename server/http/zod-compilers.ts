/** Makes Fastify validate requests and serialize responses by zod schemas. */
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import { createSerializer } from './serialize.ts';

export function setZodCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
}

/** Rejects a request that does not match its schema with `ApiError` VALIDATION_ERROR about the first wrong field. */
const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    // Fastify passes null for a missing body.
    const input = data ?? undefined;
    const { data: value, error } = schema.safeParse(input);
    return error ? { error: new ApiError('VALIDATION_ERROR', describeIssue(error.issues[0], input)) } : { value };
  };
};

const compileSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => createSerializer(schema);

function describeIssue(issue: z.core.$ZodIssue | undefined, input: unknown): string {
  if (input === undefined) return 'A body is required: send a JSON object.';
  if (!issue || issue.path.length === 0) return 'The body must be a JSON object.';
  const name = issue.path.join('.');
  if (issue.code !== 'invalid_type') return `${name} ${issue.message}.`;
  const type = withArticle(issue.expected);
  return isMissing(issue.path, input) ? `${name} is required: send it as ${type}.` : `${name} must be ${type}.`;
}

function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function isMissing(path: readonly PropertyKey[], input: unknown): boolean {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}
