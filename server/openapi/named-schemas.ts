/** The JSON schemas of the OpenAPI document. Those of responses promise exactly what our server sends. */
import { z } from 'zod';
import { ourServer } from '../../shared/api/fields.ts';

export type Json = { readonly [name: string]: unknown };

type SchemaNode = z.core.JSONSchema.BaseSchema;
type Overridden = { readonly zodSchema: z.core.$ZodTypes; readonly jsonSchema: SchemaNode };

/** Named schemas, which other schemas refer to. A schema that is named twice keeps its first name. */
export class NamedSchemas {
  readonly #io: 'input' | 'output';
  readonly #registry = z.registry<{ id: string }>();

  /** `input` for requests, `output` for responses. */
  constructor(io: 'input' | 'output') {
    this.#io = io;
  }

  /** Adds the schema and returns a reference to it. */
  add(name: string, schema: z.ZodType): Json {
    const known = this.#registry.get(schema)?.id;
    if (known !== undefined) return refTo(known);
    this.#registry.add(schema, { id: name });
    return refTo(name);
  }

  /** Returns all schemas by name. */
  toJson(): Json {
    const override = this.#io === 'output' ? describeOutput : simplify;
    const { schemas } = z.toJSONSchema(this.#registry, { io: this.#io, uri: pathTo, override });
    const named = Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, ...schema }]) => [name, schema]);
    return Object.fromEntries(named);
  }
}

function describeOutput({ zodSchema, jsonSchema }: Overridden): void {
  simplify({ jsonSchema });
  const { values } = ourServer.get(zodSchema) ?? {};
  if (values) jsonSchema.enum = [...values];
  if (!(zodSchema instanceof z.ZodObject)) return;
  const sent = Object.entries(zodSchema.shape as Record<string, z.ZodType>).filter(
    ([name, field]) => jsonSchema.required?.includes(name) || ourServer.get(field)?.isAlwaysSent,
  );
  jsonSchema.required = sent.map(([name]) => name);
}

/**
 * Shortens a schema. The format of a date already says what its pattern repeats in 200 characters. A default becomes
 * part of the description, because `openapi-typescript` requires each field that has a `default`, even in requests.
 */
export function simplify({ jsonSchema }: { readonly jsonSchema: SchemaNode }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.default === undefined) return;
  jsonSchema.description = `When left out: ${JSON.stringify(jsonSchema.default)}.`;
  delete jsonSchema.default;
}

function pathTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function refTo(name: string): Json {
  return { $ref: pathTo(name) };
}

/** Turns `apiKey` and `billing_stripe` into `ApiKey` and `BillingStripe`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
