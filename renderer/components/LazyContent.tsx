/** Content that uses components of `React.lazy`. */
import { type ReactNode, Suspense, useDeferredValue } from 'react';

/**
 * Renders its children, but keeps what it showed before (at first, nothing) until their modules are loaded. A plain
 * `Suspense` would show its fallback instead, and React keeps a fallback for at least 300 ms, although the modules of
 * the app are loaded in a few milliseconds. To remove a child at once, remove its `LazyContent`.
 */
export function LazyContent({ children }: { readonly children: ReactNode }) {
  return <Suspense>{useDeferredValue(children, null)}</Suspense>;
}
