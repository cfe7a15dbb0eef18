/** Content whose code is loaded on first use: a screen, or a dialog. */
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense, useDeferredValue } from 'react';
import { CodeNotLoaded, ErrorBoundary } from './ErrorBoundary.tsx';

/** `React.lazy` for a component; `CodeNotLoaded` is thrown in its place if its module cannot be loaded. */
export function lazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      throw new CodeNotLoaded(String(error));
    }
  });
}

/**
 * Renders nothing until the modules of its children are loaded, which takes a few milliseconds. A plain `Suspense` would
 * show its fallback first, and React keeps a fallback for at least 300 ms. To replace a child at once, change the `key`
 * of its `LazyContent`.
 */
export function LazyContent({ children }: { readonly children: ReactNode }) {
  return <Suspense>{useDeferredValue(children, null)}</Suspense>;
}

type LazyDialogProps = { readonly children: ReactNode; readonly onClose: () => void };

/** Like `LazyContent`, for a dialog. If it cannot be shown, another one says so, and the window goes on. */
export function LazyDialog({ children, onClose }: LazyDialogProps) {
  return (
    <ErrorBoundary onClose={onClose}>
      <LazyContent>{children}</LazyContent>
    </ErrorBoundary>
  );
}
