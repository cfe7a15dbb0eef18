/** A chart of the server connection per hour over the last seven days, with a text alternative. */
import type { ConnectionHour } from '../../shared/ipc/diagnostics.ts';
import { shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useNow } from '../use-timers.ts';

const hours = 7 * 24;
const hourMs = 3_600_000;
const [barWidth, height, line] = [4, 48, 30];

export function ConnectionPlot({ connection }: { readonly connection: readonly ConnectionHour[] }) {
  const { t, locale } = useMessages();
  const now = useNow(60_000);
  const first = Math.floor(now / hourMs) - hours + 1;
  const byHour = new Map(connection.map((hour) => [Math.floor(Date.parse(hour.hour) / hourMs), hour]));
  const asked = connection.filter(({ hour }) => Date.parse(hour) / hourMs >= first);
  const failed = asked.filter((hour) => hour.failed > 0).length;
  const summary = t('diagnostics.plotSummary', { count: asked.length, failed });
  return (
    <figure className="connection-plot">
      <svg
        viewBox={`0 0 ${hours * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${t('diagnostics.connection')}. ${summary}`}
      >
        {Array.from({ length: hours }, (_, index) => first + index).map((hour) => (
          <Bar key={hour} x={(hour - first) * barWidth} hour={byHour.get(hour)} />
        ))}
      </svg>
      <figcaption className="connection-caption hint">
        <span>{shortDay(new Date(first * hourMs).toISOString(), now, locale)}</span>
        <span>{summary}</span>
        <span>{t('diagnostics.now')}</span>
      </figcaption>
    </figure>
  );
}

/** A bar for one hour: the answered share of requests above the line, the failed share below it. */
function Bar({ x, hour }: { readonly x: number; readonly hour: ConnectionHour | undefined }) {
  const all = hour === undefined ? 0 : hour.answered + hour.failed;
  const width = barWidth - 1;
  if (hour === undefined || all === 0) {
    return <rect className="plot-none" x={x} y={line - 1} width={width} height={2} />;
  }
  const answered = (hour.answered / all) * line;
  return (
    <>
      <rect className="plot-good" x={x} y={line - answered} width={width} height={answered} />
      <rect className="plot-failed" x={x} y={line} width={width} height={(hour.failed / all) * (height - line)} />
    </>
  );
}
