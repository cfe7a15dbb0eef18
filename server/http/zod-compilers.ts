/** Makes Fastify validate requests and serialize responses by zod schemas. */
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { z } from 'zod';
import { parseRequest } from './parse-request.ts';
import { createSerializer } from './serialize.ts';

export function setZodCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
}

/** Rejects a request that does not match its schema with `ApiError` VALIDATION_ERROR about the first wrong field. */
const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    try {
      // Fastify passes null for a missing body.
      return { value: parseRequest(schema, data ?? undefined) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

const compileSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => createSerializer(schema);
