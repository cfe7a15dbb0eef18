/** What a feature may be called, and how features are read. Without zod, since the window and the admin page bundle it. */

/** Whether it is the name of a feature. `max_devices` stands beside the features and is none. */
export function isFeatureName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,49}$/.test(name) && name !== 'max_devices';
}

/** The most characters of the texts of a feature. */
export const maxFeatureText = { title: 80, does: 300 } as const;

/** The names of the features, without the number of devices, in their order. */
export function namesOf(of: object): string[] {
  return Object.keys(of).filter((name) => name !== 'max_devices');
}

/** Whether the feature is on. */
export function isOn(of: Readonly<Record<string, unknown>>, name: string): boolean {
  return of[name] === true;
}
