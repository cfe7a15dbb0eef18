/** Turns answers into JSON by functions compiled from their schemas: quick, and only the fields that the schema names. */
import buildStringify from 'fast-json-stringify';
import { z } from 'zod';

export type Serialise = (answer: unknown) => string;

/** Compiles the schema of an answer. What it makes throws for an answer that lacks a field: that is a mistake of ours. */
export function compileSerialiser(schema: z.ZodType): Serialise {
  if (!(schema instanceof z.ZodUnion)) return compileObject(schema);
  const options = schema.options.map((option) => ({
    fits: createFit(option as z.ZodType),
    serialise: compileObject(option as z.ZodType),
  }));
  return (answer) => {
    const option = options.find(({ fits }) => fits(answer));
    if (!option) throw new TypeError('the answer fits none of the forms that its endpoint has');
    return option.serialise(answer);
  };
}

/** A form of a union is recognised by its fixed values and by the fields that it cannot lack. */
function createFit(schema: z.ZodType): (answer: unknown) => boolean {
  if (!(schema instanceof z.ZodObject)) throw new TypeError('the forms of an answer must be objects');
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  const fixed = fields.filter(([, field]) => field instanceof z.ZodLiteral);
  const required = fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  return (answer) =>
    typeof answer === 'object' &&
    answer !== null &&
    required.every((name) => Object.hasOwn(answer, name)) &&
    fixed.every(([name, field]) => field.safeParse((answer as Record<string, unknown>)[name]).success);
}

function compileObject(schema: z.ZodType): Serialise {
  const jsonSchema = z.toJSONSchema(schema, { target: 'draft-7', override: ({ jsonSchema: part }) => flatten(part) });
  return buildStringify(jsonSchema as Parameters<typeof buildStringify>[0]) as Serialise;
}

type Part = z.core.JSONSchema.BaseSchema & { nullable?: boolean };

/** Leaves what matters for writing: no patterns and formats, and `X or null` as one nullable X. */
function flatten(part: Part): void {
  delete part.pattern;
  delete part.format;
  const [first, second] = part.anyOf ?? [];
  if (part.anyOf?.length !== 2 || typeof first !== 'object' || typeof second !== 'object') return;
  if (second.type !== 'null') return;
  delete part.anyOf;
  Object.assign(part, first, { nullable: true });
}
