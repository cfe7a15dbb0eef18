/** Removes secrets from log entries and support files, by field name and by patterns in texts. */

const secretName = /token|secret|password|authorization|api.?key|license.?key|machine.?id/i;
const secretPatterns: readonly RegExp[] = [
  /svc_live_[\w-]{5,}/g,
  /\bSVC(?:-?[0-9A-Z]{4}){4}\b/gi,
  /\bv1\.[\w-]{20,}/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bBearer\s+\S+/gi,
  // User name and password of a URL.
  /(?<=\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#"'<>]+(?=@)/gi,
];
const redacted = '[redacted]';

/** Returns the text with everything that looks like a token or key replaced. */
export function redactText(text: string): string {
  return secretPatterns.reduce((rest, pattern) => rest.replace(pattern, redacted), text);
}

/** Returns the value with every secret at any depth replaced. */
export function redactFacts(facts: unknown): unknown {
  if (typeof facts === 'string') return redactText(facts);
  if (facts instanceof Error) return redactText(facts.message);
  if (Array.isArray(facts)) return facts.map(redactFacts);
  if (typeof facts !== 'object' || facts === null) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, secretName.test(name) ? redacted : redactFacts(value)]),
  );
}
