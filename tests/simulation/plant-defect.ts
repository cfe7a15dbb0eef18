/**
 * Preloaded by a process whose defect `SIMULATION_DEFECT` names: replaces a piece of one source file while it is
 * loaded.
 */
import { registerHooks } from 'node:module';
import { defects } from './defects.ts';

const name = process.env.SIMULATION_DEFECT;
const defect = defects.find((each) => each.name === name);
if (!defect) throw new Error(`there is no defect "${name}"`);
const { file, from, to } = defect;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(from)) throw new Error(`${file} has changed: the defect "${name}" cannot be planted`);
    return { ...loaded, source: source.replace(from, () => to) };
  },
});
