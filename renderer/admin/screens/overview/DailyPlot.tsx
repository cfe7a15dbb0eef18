/** A bar chart of one value per day over the last 30 days; the text alternative has the numbers. */
import { useMessages } from '../../i18n/messages.ts';

type Day = {
  /** `2026-11-22` */
  readonly date: string;
  /** `null` if nothing was counted. */
  readonly value: number | null;
};

type DailyPlotProps = {
  readonly name: string;
  readonly days: readonly Day[];
  readonly tone: 'accent' | 'attention';
};

const height = 72;
const barWidth = 8;
const gap = 2;

export function DailyPlot({ name, days, tone }: DailyPlotProps) {
  const { t, locale } = useMessages();
  const largest = Math.max(1, ...days.map(({ value }) => value ?? 0));
  const total = days.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const today = days.at(-1)?.value ?? 0;
  const day = (date: string) =>
    new Date(`${date}T00:00:00Z`).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const count = (value: number | null) => (value === null ? '–' : value.toLocaleString(locale));
  const label =
    total === 0
      ? t('overview.plotEmpty', { name, days: days.length })
      : t('overview.plot', { name, today: count(today), largest: count(largest), days: days.length });
  return (
    <figure className="plot">
      <p className="plot-today tabular">
        {count(today)} <span className="hint">{t('overview.today')}</span>
      </p>
      <svg
        viewBox={`0 0 ${days.length * (barWidth + gap) - gap} ${height}`}
        preserveAspectRatio="none"
        className={`plot-bars plot-${tone}`}
        role="img"
        aria-label={label}
      >
        {days.map(({ date, value }, index) => {
          const bar = value === null || value === 0 ? 1 : Math.max(2, (value / largest) * height);
          return (
            <rect
              key={date}
              x={index * (barWidth + gap)}
              y={height - bar}
              width={barWidth}
              height={bar}
              className={value ? 'plot-bar' : 'plot-bar plot-bar-none'}
            >
              <title>{`${day(date)}: ${count(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="plot-foot hint">
        <span>{days[0] !== undefined && day(days[0].date)}</span>
        <span>{total === 0 && t('overview.nothing')}</span>
        <span>{t('overview.today')}</span>
      </figcaption>
    </figure>
  );
}
