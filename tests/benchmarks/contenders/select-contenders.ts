/** Selects the contenders of a run. */
import { goals } from '../goals.ts';
import type { Contender } from '../measurement.ts';

/**
 * Returns the contenders with these names or groups, and all that their goals compare them with. Throws for an unknown
 * name.
 */
export function selectContenders(all: readonly Contender[], names: readonly string[] | undefined): Contender[] {
  if (names === undefined) return [...all];
  const unknown = names.find((wanted) => !all.some(({ name, group }) => name === wanted || group === wanted));
  if (unknown !== undefined) throw new Error(`There is no row or group "${unknown}": --list shows them.`);
  const chosen = all.filter(({ name, group }) => names.includes(name) || names.includes(group));
  const compared = chosen.flatMap(({ name }) => (goals[name] ?? []).flatMap(({ against }) => against ?? []));
  return all.filter((contender) => chosen.includes(contender) || compared.includes(contender.name));
}
