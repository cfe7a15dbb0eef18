/** Numbers and goals as text, the same in the terminal, the README and the plot. */
import {
  type Figure,
  figures,
  type Goal,
  type JudgedGoal,
  type Sample,
  type Spread,
  spreadOfFigure,
} from '../measurement.ts';

/** What a goal compares: `key validation ÷ bare route, per CPU second`, or the figure alone: `start, ms`. */
export function describeComparison(name: string, { figure, against }: Goal): string {
  return `${name}${against === undefined ? '' : ` ÷ ${against}`}, ${figures[figure].label}`;
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

function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function significant(value: number): string {
  return formatNumber(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
