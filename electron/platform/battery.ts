/** Reads the battery level while the machine runs on battery. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { powerMonitor } from 'electron';

const linuxFolder = '/sys/class/power_supply';

/** Returns `null` on mains power or if the level is unknown; Electron does not report it. Never rejects. */
export async function readBattery(): Promise<{ readonly level: number } | null> {
  try {
    if (!powerMonitor.isOnBatteryPower()) return null;
    return process.platform === 'linux' ? await readLinuxBattery(linuxFolder) : null;
  } catch {
    return null;
  }
}

/** Returns the level of the fullest battery that the kernel lists in the folder. */
export async function readLinuxBattery(folder: string): Promise<{ readonly level: number } | null> {
  const names = (await readdir(folder)).filter((name) => /^(?:BAT|CMB)/.test(name));
  const texts = names.map((name) => readFile(join(folder, name, 'capacity'), 'utf8').catch(() => ''));
  const levels = (await Promise.all(texts)).flatMap((text) => (/^\d{1,3}\s*$/.test(text) ? [Number(text) / 100] : []));
  return levels.length === 0 ? null : { level: Math.max(...levels) };
}
