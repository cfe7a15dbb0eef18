/** The imports between the parts of the server, drawn as a matrix: a row imports the columns in which it has a dot. */
import { join } from 'node:path';
import { readImports } from '../../electron/release/imports.ts';
import { importsOfParts, layers, type PartImport, parts } from './server-layers.ts';

export type Theme = 'light' | 'dark';

const colors = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    line: '#d1d9e0',
    band: '#f6f8fa',
    dot: '#0969da',
  },
  dark: {
    background: '#0d1117',
    text: '#f0f6fc',
    faint: '#9198a1',
    line: '#3d444d',
    band: '#151b23',
    dot: '#4493f8',
  },
} as const;
type Colors = (typeof colors)[Theme];

const cell = 22;
const [left, top] = [270, 150];
const size = parts.length * cell;
const [width, height] = [left + size + 110, top + size + 50];
const root = join(import.meta.dirname, '../..');

/** Path of the drawing, relative to the root of the repository. */
export const pictureOf = (theme: Theme) => `tests/pictures/readme/server-imports-${theme}.svg`;

/** Returns the drawing of the current sources. */
export function drawServer(theme: Theme): string {
  const color = colors[theme];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="12">`,
    '<title>Which part of the server imports which</title>',
    `<rect width="${width}" height="${height}" fill="${color.background}"/>`,
    ...drawBands(color),
    ...parts.map((part, index) => drawLabels(part, index, color)),
    ...importsOfParts(readImports(root)).map((found) => drawImport(found, color)),
    drawLegend(color),
    '</svg>',
    '',
  ].join('\n');
}

/** Draws each layer as a band of rows with its name, and a square for imports within the layer. */
function drawBands(color: Colors): string[] {
  return layers.map(({ name, parts: [first = '', ...rest] }) => {
    const from = parts.indexOf(first) * cell;
    const length = (rest.length + 1) * cell;
    return [
      `<rect x="${left + from}" y="${top + from}" width="${length}" height="${length}" fill="${color.band}" stroke="${color.line}"/>`,
      `<line x1="12" x2="${left + size}" y1="${top + from}" y2="${top + from}" stroke="${color.line}"/>`,
      `<text x="12" y="${top + from + 15}" font-weight="600" fill="${color.faint}">${name}</text>`,
    ].join('');
  });
}

function drawLabels(part: string, index: number, color: Colors): string {
  const middle = index * cell + cell / 2;
  const [x, y] = [left + middle, top + middle];
  return [
    `<text x="${left - 8}" y="${y + 4}" text-anchor="end" fill="${color.text}">${part}</text>`,
    `<text transform="translate(${x + 4} ${top - 8}) rotate(-55)" fill="${color.text}">${part}</text>`,
    `<path d="M${x - 4} ${y - 4}l8 8" stroke="${color.line}"/>`,
  ].join('');
}

function drawImport({ from, to, types }: PartImport, color: Colors): string {
  const [row, column] = [parts.indexOf(from), parts.indexOf(to)];
  return drawDot(left + column * cell + cell / 2, top + row * cell + cell / 2, types ? 'none' : color.dot, color.dot);
}

function drawDot(x: number, y: number, fill: string, stroke: string): string {
  return `<circle cx="${x}" cy="${y}" r="5" fill="${fill}" stroke="${stroke}" stroke-width="1.5"/>`;
}

function drawLegend(color: Colors): string {
  const y = top + size + 28;
  const entries = [
    { x: left, fill: color.dot, stroke: color.dot, text: 'the row imports the column' },
    { x: left + 200, fill: 'none', stroke: color.dot, text: 'types only' },
  ];
  return entries
    .map(({ x, fill, stroke, text }) => {
      return `${drawDot(x, y, fill, stroke)}<text x="${x + 12}" y="${y + 4}" fill="${color.faint}">${text}</text>`;
    })
    .join('');
}
