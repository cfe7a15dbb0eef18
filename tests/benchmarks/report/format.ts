/** Numbers and goals as text, shared by the terminal, the README and the plot. */
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

/** Describes what a goal compares: `key validation ÷ bare route, per CPU second`, or the figure alone: `start, ms`. */
export function describeComparison(name: string, { figure, against, isDifference }: Goal): string {
  const other = against === undefined ? '' : ` ${isDifference ? '−' : '÷'} ${against}`;
  return `${name}${other}, ${figures[figure].label}`;
}

/** Returns the bound as `≥ 0.72`, or an empty text for a mere comparison. */
export function describeBound({ atLeast, atMost, orCoresBusy }: Goal): string {
  if (atLeast === undefined && atMost === undefined) return '';
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return orCoresBusy === undefined ? bound : `${bound}, or ≥ 1 with ${orCoresBusy * 100} % of all cores busy`;
}

/** Returns the outcome of a goal: `0.81 (0.79–0.84)`, with the busy cores if they matter. */
export function formatOutcome({ measured, coresBusy }: JudgedGoal): string {
  const spread = formatSpread(measured);
  return coresBusy === undefined ? spread : `${spread}, ${Math.round(coresBusy * 100)} % busy`;
}

/** Returns the median with the lowest and the highest of the rounds: `0.81 (0.79–0.84)`. */
function formatSpread({ median, low, high }: Spread): string {
  return low === high ? significant(median) : `${significant(median)} (${significant(low)}–${significant(high)})`;
}

/** Returns the median of a figure, or an empty text if the samples lack it. */
export function formatMedian(samples: readonly Sample[], figure: Figure): string {
  const spread = spreadOfFigure(samples, figure);
  return spread === undefined ? '' : formatNumber(spread.median, figures[figure].digits);
}

/** Returns the medians of those figures that the samples have, with their units: `208 MiB, 1.15 growth factor`. */
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

/** Returns the outcomes of all goals of a row as a cell of a Markdown table, whose first column has the row's name. */
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
