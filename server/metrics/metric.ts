/** Metrics in the form in which prom-client exchanges them between processes, and adds up those of several. */
import { bucketSeconds, type DurationCounts } from '../duration-counts.ts';

type Labels = Readonly<Record<string, string | number>>;
type Value = { readonly value: number; readonly labels: Labels; readonly metricName?: string };

export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How those of several processes become one; `first` for what is the same in each of them. */
  readonly aggregator: 'sum' | 'first';
  readonly values: readonly Value[];
};

type Description = Pick<Metric, 'name' | 'help'>;

export function counter(description: Description, values: readonly Value[]): Metric {
  return { ...description, type: 'counter', aggregator: 'sum', values };
}

export function gauge(description: Description & Pick<Metric, 'aggregator'>, values: readonly Value[]): Metric {
  return { ...description, type: 'gauge', values };
}

export type Series = { readonly labels: Labels; readonly durations: DurationCounts };

export function histogram(description: Description, series: readonly Series[]): Metric {
  const { name } = description;
  const values = series.flatMap(({ labels, durations }) => {
    const counts = durations.cumulative();
    const bucket = (le: number | string, value: number) => ({
      value,
      labels: { ...labels, le },
      metricName: `${name}_bucket`,
    });
    return [
      ...bucketSeconds.map((seconds, index) => bucket(seconds, counts[index] ?? 0)),
      bucket('+Inf', durations.total),
      { value: durations.sumSeconds, labels, metricName: `${name}_sum` },
      { value: durations.total, labels, metricName: `${name}_count` },
    ];
  });
  return { ...description, type: 'histogram', aggregator: 'sum', values };
}

/** Where several processes serve the same port, how one of them gets the metrics of all. */
export type MetricsChannel = {
  /** Sets what reads the metrics of this process. */
  provide(readOwn: () => Promise<Metric[]>): void;
  /** The metrics of each process, this one included. */
  readAll(): Promise<readonly Metric[][]>;
};
