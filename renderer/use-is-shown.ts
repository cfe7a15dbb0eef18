/** Hook for work that outlives the component that began it. */
import { type RefObject, useEffect, useRef } from 'react';

/** The returned ref is true for as long as the component is shown. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
