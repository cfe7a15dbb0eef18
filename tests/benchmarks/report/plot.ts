/** Every goal as a bar in an SVG: the ratio of the measured value to the goal on a logarithmic axis. */
import { hasBound, type JudgedGoal } from '../measurement.ts';
import { describeBound, describeComparison, formatOutcome } from './format.ts';
import type { Report } from './report.ts';

export type Theme = 'light' | 'dark';

const colors = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    line: '#d1d9e0',
    met: '#0969da',
    missed: '#bc4c00',
  },
  dark: {
    background: '#0d1117',
    text: '#f0f6fc',
    faint: '#9198a1',
    line: '#3d444d',
    met: '#4493f8',
    missed: '#f0883e',
  },
} as const;

const [width, labelWidth, valueWidth, rowHeight, top] = [1280, 560, 320, 22, 56];
const barsWidth = width - labelWidth - valueWidth;
/** The ends of the axis; longer bars are cut off there. */
const [lowest, highest] = [1 / 16, 8];
const ticks = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4];

type Bar = { readonly label: string; readonly goal: JudgedGoal };

/** Returns how many times better than the goal the value is; 1 is the goal itself, for lower and upper bounds alike. */
export function attainment({ atLeast, atMost }: JudgedGoal, value: number): number {
  if (atLeast !== undefined) return value / atLeast;
  // A difference may be negative.
  return (atMost ?? Number.NaN) / Math.max(value, Number.MIN_VALUE);
}

export function drawGoals(report: Report, theme: Theme): string {
  const bars = report.rows.flatMap(({ name, goals, onlyFull }) =>
    (onlyFull ? [] : goals.filter(hasBound)).map((goal): Bar => ({ label: describeComparison(name, goal), goal })),
  );
  const color = colors[theme];
  const height = top + bars.length * rowHeight + 16;
  const style = `font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="12"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${style}>`,
    '<title>How each measured value compares with its goal</title>',
    `<rect width="${width}" height="${height}" fill="${color.background}"/>`,
    `<text x="12" y="24" font-size="15" font-weight="600" fill="${color.text}">Measured value against its goal</text>`,
    `<text x="12" y="42" fill="${color.faint}">Right of the line marked 1 × the goal is met; thin lines span the rounds. ${escapeText(describeMachine(report))}</text>`,
    ...ticks.map((tick) => drawTick(tick, height, color)),
    ...bars.map((bar, index) => drawBar(bar, top + index * rowHeight, color)),
    '</svg>',
    '',
  ].join('\n');
}

type Colors = (typeof colors)[Theme];

function drawTick(tick: number, height: number, color: Colors): string {
  const x = position(tick);
  const name = tick < 1 ? `1/${1 / tick} ×` : `${tick} ×`;
  const weight = tick === 1 ? `stroke="${color.text}" stroke-width="1.5"` : `stroke="${color.line}"`;
  return [
    `<line x1="${x}" x2="${x}" y1="${top - 4}" y2="${height - 16}" ${weight}/>`,
    `<text x="${x}" y="${height - 4}" text-anchor="middle" font-size="10" fill="${color.faint}">${name}</text>`,
  ].join('');
}

function drawBar({ label, goal }: Bar, y: number, color: Colors): string {
  const { median, low, high } = goal.measured;
  const fill = goal.isMet ? color.met : color.missed;
  const [from, to] = [position(lowest), position(attainment(goal, median))];
  const [left, right] = [low, high].map((value) => position(attainment(goal, value))).sort((a, b) => a - b);
  const middle = y + rowHeight / 2;
  const { orCoresBusy: _, ...goalOfRatio } = goal;
  const outcome = goal.isMet ? 'met' : 'not met';
  const result = `${formatOutcome(goal)}, goal ${describeBound(goalOfRatio)}: ${outcome}`;
  return [
    `<text x="${labelWidth - 10}" y="${middle + 4}" text-anchor="end" fill="${color.text}">${escapeText(label)}</text>`,
    `<rect x="${from}" y="${y + 5}" width="${round(to - from)}" height="${rowHeight - 10}" rx="2" fill="${fill}"/>`,
    `<line x1="${left}" x2="${right}" y1="${middle}" y2="${middle}" stroke="${color.text}" stroke-width="1"/>`,
    `<text x="${labelWidth + barsWidth + 8}" y="${middle + 4}" fill="${fill}">${escapeText(result)}</text>`,
  ].join('');
}

function position(value: number): number {
  const within = Math.min(Math.max(value, lowest), highest);
  return round(labelWidth + (Math.log(within / lowest) / Math.log(highest / lowest)) * barsWidth);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function describeMachine({ machine, measuredOn }: Report): string {
  return `Measured on ${measuredOn} with Node ${machine.node} on ${machine.cores} cores (${machine.cpu}).`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
