/** Keeps the tabs of a page in step: they share the session cookie, so a call of one tab uses the latest sign-in. */

type TabChannel = {
  /** Tells the other tabs that somebody has signed in or out here. */
  readonly notify: () => void;
  readonly close: () => void;
};

/** Calls back when another tab has told, and when the browser restores this page from its cache. */
export function openTabChannel(name: string, onChange: () => void): TabChannel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', onChange);
  const onShown = ({ persisted }: PageTransitionEvent) => {
    if (persisted) onChange();
  };
  window.addEventListener('pageshow', onShown);
  return {
    notify: () => channel.postMessage(null),
    close: () => {
      window.removeEventListener('pageshow', onShown);
      channel.close();
    },
  };
}
