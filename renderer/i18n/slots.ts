/** The device slots of a license, where the server told them. */

export type Slots = { readonly used: number; readonly max: number };

/** `null` where nothing is known, which is not the same as no slot at all. */
export function slotsOf(
  license: { readonly activations: number; readonly maxActivations: number } | null,
): Slots | null {
  if (license === null || license.maxActivations === 0) return null;
  return { used: license.activations, max: license.maxActivations };
}
