/** Content that uses components of `React.lazy`. */
import { type ReactNode, Suspense, useDeferredValue } from 'react';

/**
 * Renders nothing until the modules of its children are loaded, which takes a few milliseconds. A plain `Suspense` would
 * show its fallback first, and React keeps a fallback for at least 300 ms. To replace a child at once, change the `key`
 * of its `LazyContent`.
 */
export function LazyContent({ children }: { readonly children: ReactNode }) {
  return <Suspense>{useDeferredValue(children, null)}</Suspense>;
}
