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
  readonly #unions: Record<string, Json> = {};

  /** `input` for requests, `output` for responses. */
  constructor(io: 'input' | 'output') {
    this.#io = io;
  }

  /** Adds the schema and returns a reference to it. */
  add(name: string, schema: z.ZodType): Json {
    const known = this.#registry.get(schema)?.id;
    if (known !== undefined) return refTo(known);
    if (schema instanceof z.ZodUnion) return this.#addUnion(name, schema.options as z.ZodType[]);
    this.#registry.add(schema, { id: name });
    return refTo(name);
  }

  /** Returns all schemas by name. */
  toJson(): Json {
    const override = this.#io === 'output' ? describeOutput : simplify;
    const { schemas } = z.toJSONSchema(this.#registry, { io: this.#io, uri: pathTo, override });
    const named = Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, ...schema }]) => [name, schema]);
    return { ...Object.fromEntries(named), ...this.#unions };
  }

  /**
   * Adds a union, each variant of which gets a name. A field that tells the variants apart becomes the discriminator.
   */
  #addUnion(name: string, options: readonly z.ZodType[]): Json {
    const field = findDiscriminator(options);
    this.#unions[name] =
      field === undefined
        ? { oneOf: options.map((option) => this.add(`${name}With${pascal(ownField(option, options))}`, option)) }
        : this.#describeVariants(`${name}${pascal(field)}`, field, options);
    return refTo(name);
  }

  /** Describes the variants. Those with the same values of the field form a nested union. */
  #describeVariants(prefix: string, field: string, options: readonly z.ZodType[]): Json {
    const groups = Map.groupBy(options, (option) => fixedFields(option)[field]?.join() ?? '');
    const mapping: Record<string, string> = {};
    const oneOf = [...groups].map(([values, variants]) => {
      const [value = ''] = values.split(',');
      const groupName = `${prefix}${pascal(value.toLowerCase())}`;
      const [only] = variants;
      const ref = variants.length === 1 && only ? this.add(groupName, only) : this.#addUnion(groupName, variants);
      for (const each of values.split(',')) mapping[each] = String(ref.$ref);
      return ref;
    });
    if (options.some((option) => hasFlag(option, field))) {
      return { oneOf, description: `\`${field}\` tells the variants apart.` };
    }
    return { oneOf, discriminator: { propertyName: field, mapping } };
  }
}

/** Finds a field that all variants have, but not all with the same values. */
function findDiscriminator(options: readonly z.ZodType[]): string | undefined {
  const [first = {}, ...others] = options.map(fixedFields);
  return Object.keys(first).find(
    (field) =>
      others.every((other) => field in other) && others.some((other) => `${other[field]}` !== `${first[field]}`),
  );
}

/** True if the field is a boolean. OpenAPI's own discriminators can only be strings, and tools reject others. */
function hasFlag(option: z.ZodType, field: string): boolean {
  const values = option instanceof z.ZodObject ? option.shape[field] : undefined;
  return values instanceof z.ZodLiteral && [...values.values].some((value) => typeof value === 'boolean');
}

/** Returns the values of the fields that have only a few known ones. */
function fixedFields(schema: z.ZodType): Readonly<Record<string, readonly string[]>> {
  if (!(schema instanceof z.ZodObject)) return {};
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const values = field instanceof z.ZodLiteral ? [...field.values].map(String) : ourServer.get(field)?.values;
    return values ? [[name, values] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** Returns the first field that no other variant has. */
function ownField(option: z.ZodType, options: readonly z.ZodType[]): string {
  const namesOf = (each: z.ZodType) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []);
  const others = new Set(options.filter((other) => other !== option).flatMap(namesOf));
  return namesOf(option).find((name) => !others.has(name)) ?? '';
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

/** Turns `has_subscription` and `apiKey` into `HasSubscription` and `ApiKey`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
