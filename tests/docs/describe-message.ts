/** Describes the shape of a message as a reader thinks of it: JSON with types in place of values. */
import { z } from 'zod';

type JsonSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
};

/** Returns the variants of a message for a code block, one entry for each member of a union. */
export function describeMessage(schema: z.ZodType, direction: 'request' | 'response'): string[] {
  const json = z.toJSONSchema(schema, { io: direction === 'request' ? 'input' : 'output' }) as JsonSchema;
  return (json.oneOf ?? json.anyOf ?? [json]).map((variant) => describe(variant, ''));
}

function describe(schema: JsonSchema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.map((variant) => describe(variant, indent)).join(' | ');
  switch (schema.type) {
    case 'object':
      return describeObject(schema, indent);
    case 'array':
      return `[${describe(schema.items ?? {}, indent)}, …]`;
    case 'string':
      return describeString(schema);
    default:
      return schema.type ?? 'any';
  }
}

function describeObject({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?';
    const fallback = field.default === undefined ? '' : `   // default: ${JSON.stringify(field.default)}`;
    return `${inner}"${name}"${optional}: ${describe(field, inner)}${fallback}`;
  });
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${indent}}`;
}

function describeString({ format, pattern, maxLength }: JsonSchema): string {
  if (format === 'date-time') return 'timestamp';
  if (pattern?.startsWith('^HW')) return 'device id';
  if (pattern?.startsWith('^sha256')) return 'installer hash';
  return maxLength === undefined ? 'string' : `string (at most ${maxLength} characters)`;
}
