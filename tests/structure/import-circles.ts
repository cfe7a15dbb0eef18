/** Finds circular imports. */
import type { Import } from '../../electron/release/imports.ts';

/** Returns the imports that are part of a circle or connect two circles. Type imports count. */
export function importsInCircles(imports: readonly Import[]): Import[] {
  const importing = new Set(imports.map(({ file }) => file));
  const imported = new Set(imports.map(({ target }) => target));
  const inner = imports.filter(({ file, target }) => importing.has(target) && imported.has(file));
  return inner.length === imports.length ? inner : importsInCircles(inner);
}
