/** Removes secrets from log lines. Nothing logs one on purpose; this catches what slips through, by its field name. */

const secretNames = new Set([
  'authorization',
  'password',
  'access_token',
  'refresh_token',
  'api_key',
  'license_key',
  'token',
  'headers',
  'body',
  'parameters',
]);

const maxDepth = 5;

/**
 * A copy of the fields with every secret replaced, at any depth. Pino's own `redact` takes paths instead of names,
 * and with as many paths as this needs it uses a quarter of the time of a fast request.
 */
export function redact(fields: object, depth = 1): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    redacted[name] = secretNames.has(name) ? '[redacted]' : redactValue(value, depth);
  }
  return redacted;
}

function redactValue(value: unknown, depth: number): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return value;
  if (depth >= maxDepth) return '[too deep]';
  return isList ? value.map((each) => redactValue(each, depth + 1)) : redact(value, depth + 1);
}

/** Errors and dates are not: the log has its own way to write them. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
