/** Where the window stood, kept across starts and brought back only onto a screen that is there. */
import { z } from 'zod';
import type { PlainStore } from '../licensing/platform.ts';

export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type WindowPlace = { readonly bounds: Rectangle | null; readonly maximized: boolean };

const savedPlace = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  maximized: z.boolean(),
});

const storeName = 'window';
/** So much of the window has to be on a screen for a person to grab it. */
const visiblePx = 80;

/** The saved place, or none where nothing was saved or its screen is gone. */
export async function readWindowPlace(store: PlainStore, screens: readonly Rectangle[]): Promise<WindowPlace> {
  const read = await store.read(storeName);
  const place = read.kind === 'value' ? savedPlace.safeParse(parseJson(read.value)).data : undefined;
  if (place === undefined || !screens.some((screen) => overlaps(place.bounds, screen))) {
    return { bounds: null, maximized: place?.maximized ?? false };
  }
  return place;
}

/** Keeps the place for the next start. */
export async function writeWindowPlace(store: PlainStore, place: WindowPlace): Promise<void> {
  await store.write(storeName, JSON.stringify(place));
}

function overlaps(window: Rectangle, screen: Rectangle): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const down = Math.min(window.y + window.height, screen.y + screen.height) - Math.max(window.y, screen.y);
  return across >= visiblePx && down >= visiblePx;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
