/** Makes Fastify validate requests and serialize responses by zod schemas. */
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { z } from 'zod';
import { parseRequest } from './parse-request.ts';
import { createSerializer } from './serialize.ts';

export function setZodCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
}

/** A request that does not fit is `ApiError` VALIDATION_ERROR, with a sentence about the first field that is wrong. */
const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    try {
      // Fastify has null for a body that is missing.
      return { value: parseRequest(schema, data ?? undefined) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

const compileSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => createSerializer(schema);
