/** What there is to look at: each screen in each of its states. */
import type { Page } from '@playwright/test';
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { FakeBridge, Script } from '../renderer/fake-bridge.ts';
import { blockedState, filledState, firstRunState, offlineState, signedOutState } from '../renderer/sample-states.ts';

export type Scene = {
  readonly name: string;
  /** `null`: main has not answered yet. */
  readonly state: AppState | null;
  readonly script?: Script;
  readonly hash?: string;
  readonly widths?: readonly ('wide' | 'folded' | 'narrow')[];
  readonly height?: number;
  /** 2 is text at 200 %. */
  readonly textSize?: number;
  readonly forcedColors?: boolean;
  readonly act?: (page: Page, fake: FakeBridge) => Promise<void>;
};

const now = Date.now();
const all = ['wide', 'folded', 'narrow'] as const;

export const scenes: readonly Scene[] = [
  { name: 'sign-in', state: signedOutState(now), widths: ['wide', 'narrow'] },
  { name: 'overview-first-run', state: firstRunState(now) },
  { name: 'overview', state: filledState(now), widths: all },
  { name: 'overview-offline', state: offlineState(now) },
  { name: 'overview-revoked', state: blockedState(now, 'revoked') },
  { name: 'features', state: filledState(now), hash: '#features', widths: all },
];
