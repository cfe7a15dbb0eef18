/** What the benchmark found, as text. */
import type { Effort, EndpointMeasurement } from './measure-endpoints.ts';
import type { HashMeasurement } from './measure-hash.ts';

export type Report = {
  readonly machine: { readonly node: string; readonly cpu: string; readonly cores: number };
  readonly effort: Effort;
  readonly endpoints: readonly EndpointMeasurement[];
  readonly sha256: HashMeasurement;
};

export function formatReport({ machine, effort, endpoints, sha256 }: Report): string {
  const { rounds, seconds, connections } = effort;
  const rows = endpoints.map(({ name, requestsPerSecond, ratio, p50Ms, p99Ms }) => [
    name,
    Math.round(requestsPerSecond).toLocaleString('en'),
    ratio.toFixed(2),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]);
  return [
    `Node ${machine.node} on ${machine.cores} × ${machine.cpu}`,
    `${connections} connections, medians of ${rounds} rounds of ${seconds} s; the ratio is to the bare route of the same round`,
    '',
    ...formatColumns([['', 'requests/s', 'ratio', 'p50 ms', 'p99 ms'], ...rows]),
    '',
    formatHash(sha256),
  ].join('\n');
}

/** The first column to the left, the figures to the right. */
function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
}

function formatHash(measured: HashMeasurement): string {
  const { megabytes, megabytesPerSecond, opensslMegabytesPerSecond, ratio, eventLoopP99Ms } = measured;
  const own = `SHA-256 of ${megabytes} MB: ${Math.round(megabytesPerSecond)} MB/s, event loop p99 ${eventLoopP99Ms.toFixed(1)} ms`;
  if (ratio === null || opensslMegabytesPerSecond === null) return `${own}; there is no openssl to compare with`;
  return `${own}; openssl ${Math.round(opensslMegabytesPerSecond)} MB/s, ratio ${ratio.toFixed(2)}`;
}
