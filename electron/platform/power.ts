/** Tells when the machine wakes and when the network comes back. */
import { net, powerMonitor } from 'electron';
import type { Power } from '../licensing/platform.ts';

const askEveryMs = 5_000;

/** Main has no event for a network that comes back, so it is asked. */
export const systemPower: Power = {
  onResume: (listener) => {
    let online = net.isOnline();
    const watch = setInterval(() => {
      const before = online;
      online = net.isOnline();
      if (online && !before) listener();
    }, askEveryMs);
    watch.unref();
    powerMonitor.on('resume', listener);
    return () => {
      clearInterval(watch);
      powerMonitor.off('resume', listener);
    };
  },
};
