/** Numbers and goals as text, the same in the terminal, the README and the plot. */
import {
  type Figure,
  figures,
  type Goal,
  hasBound,
  type JudgedGoal,
  type Sample,
  type Spread,
  spreadOfFigure,
} from '../measurement.ts';

/** What a goal compares: `key validation ÷ bare route, per CPU second`, or the figure alone: `start, ms`. */
export function describeComparison(name: string, { figure, against, isDifference }: Goal): string {
  const other = against === undefined ? '' : ` ${isDifference ? '−' : '÷'} ${against}`;
  return `${name}${other}, ${figures[figure].label}`;
}

/** `≥ 0.72`; empty for what is only compared. */
export function describeBound({ atLeast, atMost, orCoresBusy }: Goal): string {
  if (atLeast === undefined && atMost === undefined) return '';
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return orCoresBusy === undefined ? bound : `${bound}, or ≥ 1 with ${orCoresBusy * 100} % of all cores busy`;
}

/** How a goal came out: `0.81 (0.79–0.84)`, with the cores where they matter. */
export function formatOutcome({ measured, coresBusy }: JudgedGoal): string {
  const spread = formatSpread(measured);
  return coresBusy === undefined ? spread : `${spread}, ${Math.round(coresBusy * 100)} % busy`;
}

/** `0.81 (0.79–0.84)`: the median, and the lowest and the highest of the rounds. */
function formatSpread({ median, low, high }: Spread): string {
  return low === high ? significant(median) : `${significant(median)} (${significant(low)}–${significant(high)})`;
}

/** The median of a figure; empty where these samples do not have it. */
export function formatMedian(samples: readonly Sample[], figure: Figure): string {
  const spread = spreadOfFigure(samples, figure);
  return spread === undefined ? '' : formatNumber(spread.median, figures[figure].digits);
}

/** The medians of those figures that the samples have, with their units: `208 MiB, 1.15 growth factor`. */
export function describeFigures(
  { samples }: { readonly samples: readonly Sample[] },
  names: readonly Figure[],
): string {
  const texts = names.flatMap((figure) => {
    const text = formatMedian(samples, figure);
    return text === '' ? [] : [`${text} ${figures[figure].label}`];
  });
  return texts.join(', ');
}

/** How all goals of a row came out, as a cell of a Markdown table. The name of the row is in its first column. */
export function describeGoals({ goals }: { readonly goals: readonly JudgedGoal[] }): string {
  const texts = goals.map((goal) => {
    const outcome = goal.isMet ? 'met' : '**not met**';
    const comparison = describeComparison('', goal).replace(/^[\s,]+/, '');
    const judgement = hasBound(goal) ? `; goal ${describeBound(goal)}, ${outcome}` : '';
    return `${comparison}: ${formatOutcome(goal)}${judgement}`;
  });
  return texts.join('<br>');
}

function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function significant(value: number): string {
  return formatNumber(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
