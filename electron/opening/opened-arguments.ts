/** Finds what the start arguments ask to open: one link or one lease file. */
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Opened =
  | { readonly kind: 'link'; readonly link: string }
  | { readonly kind: 'file'; readonly path: string }
  /** More than one, of which none is opened: a page could have added the second. */
  | { readonly kind: 'several' };

/**
 * Returns `null` if nothing is to be opened. Chromium adds its own arguments and may change the order, so positions
 * mean nothing. Relative paths are resolved against `folder`.
 */
export function openedByArguments(parameters: readonly string[], scheme: string, folder: string): Opened | null {
  const found = parameters.flatMap((parameter) => readParameter(parameter, scheme, folder) ?? []);
  return found.length > 1 ? { kind: 'several' } : (found[0] ?? null);
}

function readParameter(parameter: string, scheme: string, folder: string): Opened | null {
  if (parameter.startsWith(`${scheme}:`)) return { kind: 'link', link: parameter };
  if (parameter.startsWith('-') || !isLeaseFile(parameter)) return null;
  const path = pathOf(parameter);
  return path === null ? null : { kind: 'file', path: isAbsolute(path) ? path : resolve(folder, path) };
}

export function isLeaseFile(path: string): boolean {
  return path.toLowerCase().endsWith('.lease');
}

/** File managers on Linux may pass a file as a URL. */
function pathOf(parameter: string): string | null {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(parameter)) return parameter;
  try {
    return fileURLToPath(parameter);
  } catch {
    return null;
  }
}
