/** `latchkey-client/react`: the license state in the components of a page. */
import { createContext, createElement, type ReactNode, useContext, useEffect, useState } from 'react';
import type { AppState, FeatureOffReason } from '../../shared/ipc/app-state.ts';
import type { FeatureFlag } from './create-licensing-client.ts';
import type { LicensingBridge } from './licensing-bridge.ts';

export type { AppState, FeatureFlag, FeatureOffReason, LicensingBridge };

const StateContext = createContext<AppState | null>(null);

/** The part of the bridge that the provider needs. */
export type StateBridge = Pick<LicensingBridge, 'getState' | 'onState'>;
export type LicensingProviderProps = { readonly bridge: StateBridge; readonly children?: ReactNode };

/**
 * Provides the state to all components below it. The bridge is `window.licensing`, or anything else with the state.
 * @example
 * import { createElement } from 'react';
 * import { LicensingProvider, type StateBridge, useFeature } from 'latchkey-client/react';
 *
 * function ExportButton() {
 *   return createElement('button', { disabled: !useFeature('csv_export').on }, 'Export');
 * }
 *
 * export const page = (bridge: StateBridge) =>
 *   createElement(LicensingProvider, { bridge, children: createElement(ExportButton) });
 */
export function LicensingProvider({ bridge, children }: LicensingProviderProps): ReactNode {
  const [state, setState] = useState<AppState | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const unsubscribe = bridge.onState(setState);
    // A state that arrived meanwhile is newer than this one. Without an answer everything stays off.
    bridge.getState().then(
      // The main process answers an unknown page with a failure.
      (first) => isCurrent && 'features' in first && setState((later) => later ?? first),
      () => {},
    );
    return () => {
      isCurrent = false;
      unsubscribe();
      setState(null);
    };
  }, [bridge]);
  return createElement(StateContext.Provider, { value: state }, children);
}

/** Returns the state; `null` until the first has arrived. */
export function useAppState(): AppState | null {
  return useContext(StateContext);
}

/** Returns whether a feature is on. `reason` is `null` if it is, before the first state, and for an unknown feature. */
export function useFeature(flag: FeatureFlag): { readonly on: boolean; readonly reason: FeatureOffReason | null } {
  const found = useAppState()?.features.find(({ feature }) => feature === flag);
  if (found === undefined) return { on: false, reason: null };
  return found.on ? { on: true, reason: null } : { on: false, reason: found.reason };
}

export type GateProps = {
  readonly feature: FeatureFlag;
  /** Shown if the feature is off. */
  readonly fallback?: ReactNode;
  readonly children?: ReactNode;
};

/**
 * Shows its children if the feature is on.
 * @example
 * import { createElement } from 'react';
 * import { Gate } from 'latchkey-client/react';
 *
 * export const report = createElement(Gate, { feature: 'pdf_reports', fallback: 'Not in your plan', children: 'Report' });
 */
export function Gate({ feature, fallback = null, children }: GateProps): ReactNode {
  return useFeature(feature).on ? children : fallback;
}
