/** Counts the events in each second of a simulated day, and reports them. */

const daySeconds = 24 * 3600;
const million = 1_000_000;

export type Counted = 'requests' | 'heartbeats' | 'refreshes' | 'rows';

export class Tally {
  writes = 0;
  warnings = 0;
  readonly refused = { honest: 0, broken: 0 };
  readonly #seconds: Readonly<Record<Counted, Uint32Array>> = {
    requests: new Uint32Array(daySeconds),
    heartbeats: new Uint32Array(daySeconds),
    refreshes: new Uint32Array(daySeconds),
    rows: new Uint32Array(daySeconds),
  };

  count(what: Counted, at: number): void {
    const seconds = this.#seconds[what];
    seconds[at] = (seconds[at] ?? 0) + 1;
  }

  total(what: Counted): number {
    return this.#seconds[what].reduce((sum, number) => sum + number, 0);
  }

  /** Returns the mean rate per second in the busiest minute between two seconds of the day. */
  busiest(what: Counted, from = 0, until = daySeconds): { readonly perSecond: number; readonly at: number } {
    let best = { perSecond: 0, at: from };
    for (let at = from; at < until; at += 60) {
      const perSecond = this.#seconds[what].subarray(at, at + 60).reduce((sum, number) => sum + number, 0) / 60;
      if (perSecond > best.perSecond) best = { perSecond, at };
    }
    return best;
  }
}

export type Outcome = {
  readonly devices: number;
  readonly tally: Tally;
  /** The second in which the server comes back, if it was down. */
  readonly backAt: number | undefined;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly databaseBytes: { readonly before: number; readonly after: number };
};

/** Returns the report; figures that grow with the number of devices are also scaled to a million devices. */
export function formatOutcome({ devices, tally, backAt, cpuSeconds, memoryBytes, databaseBytes }: Outcome): string {
  const factor = million / devices;
  const scaled = (amount: number, show = count) => [show(amount), show(amount * factor)];
  const busiest = (what: Counted, name: string): string[] => {
    const { perSecond, at } = tally.busiest(what);
    return [`${name} a second, busiest minute (${timeOf(at)})`, ...scaled(perSecond, round)];
  };
  const afterOutage = () => tally.busiest('requests', backAt, (backAt ?? 0) + 1800).perSecond;
  const megabytes = (bytes: number) => round(bytes / 1e6);
  const rows: string[][] = [
    ['', count(devices), count(million)],
    ['requests', ...scaled(tally.total('requests'))],
    ['heartbeats', ...scaled(tally.total('heartbeats'))],
    ['refreshes', ...scaled(tally.total('refreshes'))],
    busiest('requests', 'requests'),
    busiest('heartbeats', 'heartbeats'),
    busiest('rows', 'rows written'),
    busiest('refreshes', 'refreshes'),
    ...(backAt ? [['requests a second, busiest minute after the outage', ...scaled(afterOutage(), round)]] : []),
    ['refused: clients that keep to their interval', ...scaled(tally.refused.honest)],
    ['refused: broken clients', ...scaled(tally.refused.broken)],
    ['warnings', ...scaled(tally.warnings)],
    ['writes that were asked for (some share a commit)', ...scaled(tally.writes)],
    ['database before, MB', ...scaled(databaseBytes.before, megabytes)],
    ['database growth, MB', ...scaled(databaseBytes.after - databaseBytes.before, megabytes)],
    ['memory of the process, simulated devices included, MB', megabytes(memoryBytes), ''],
    ['CPU for a heartbeat with all that goes with it, µs', round((cpuSeconds * 1e6) / tally.total('heartbeats')), ''],
  ];
  return rows
    .map(([name = '', own = '', many = '']) => name.padEnd(62) + own.padStart(14) + many.padStart(16))
    .join('\n');
}

export function timeOf(second: number): string {
  return `${Math.floor(second / 3600)}:${String(Math.floor((second % 3600) / 60)).padStart(2, '0')}`;
}

function count(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function round(number: number): string {
  return number >= 100 ? count(number) : number.toPrecision(3);
}
