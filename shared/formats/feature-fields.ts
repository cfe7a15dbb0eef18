/** Names and values of features. Without zod, since the window and the admin page bundle it. */

/** Returns whether the text is a feature name. `max_devices`, stored beside the features, is not. */
export function isFeatureName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,49}$/.test(name) && name !== 'max_devices';
}

/** Maximum length of a feature's texts, in characters. */
export const maxFeatureText = { title: 80, does: 300 } as const;

/** Returns the feature names in order, without `max_devices`. */
export function namesOf(of: object): string[] {
  return Object.keys(of).filter((name) => name !== 'max_devices');
}

/** Returns whether the feature is on. */
export function isOn(of: Readonly<Record<string, unknown>>, name: string): boolean {
  return of[name] === true;
}
