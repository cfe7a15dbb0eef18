/** Removes secrets from log lines by field name. Nothing logs one on purpose; this catches what slips through. */

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
 * Returns a copy of the fields in which every secret, at any depth, is replaced. Pino's own `redact` takes paths
 * instead of names, and with as many paths as this needs it takes a quarter of the time of a fast request.
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

/** False for errors and dates, which the log formats in its own way. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
