/** Formats times, sizes, plans and platforms. */
import { describeBrowser } from './describe-browser.ts';
import type { SharedTranslate } from './shared-messages.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats "2 minutes ago" or "in 15 seconds"; `justNow` for less than five seconds. */
export function relativeTime(instant: string, now: number, locale: string, justNow: string): string {
  const distance = Date.parse(instant) - now;
  const size = Math.abs(distance);
  if (size < 5_000) return justNow;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (size < minute) return format.format(Math.trunc(distance / 1000), 'second');
  if (size < hour) return format.format(Math.trunc(distance / minute), 'minute');
  if (size < day) return format.format(Math.trunc(distance / hour), 'hour');
  if (size < 30 * day) return format.format(fullDays(instant, now), 'day');
  if (size < 365 * day) return format.format(Math.round(distance / (30 * day)), 'month');
  return format.format(Math.round(distance / (365 * day)), 'year');
}

/** Returns "now". */
export function nowText(locale: string): string {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');
}

/**
 * Returns the distance in calendar days of an instant at least a day away: "tomorrow" is a date, and a day may have 25
 * hours.
 */
function fullDays(instant: string, now: number): number {
  return daysBetween(instant, now) || Math.sign(Date.parse(instant) - now);
}

/** Formats the full date and time, for tooltips and details. */
export function exactTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'medium' });
}

/** Formats "14:02" or "4:07 AM". */
export function clockTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleTimeString(locale, { timeStyle: 'short' });
}

/** Formats "14:02" or "04:07 AM": always as wide, for a column of times. */
export function alignedTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
}

/** Formats the shortest unambiguous form: "14:02" today, otherwise like `shortDay`. */
export function shortTime(instant: string, now: number, locale: string): string {
  if (daysBetween(instant, now) === 0) return clockTime(instant, locale);
  return shortDay(instant, now, locale);
}

/** Formats "today", "Thursday" within six days, otherwise "3 March", with the year if it is not the current one. */
export function shortDay(instant: string, now: number, locale: string): string {
  const date = new Date(instant);
  if (daysBetween(instant, now) === 0) return relativeDay(0, locale);
  if (Math.abs(daysBetween(instant, now)) < 7) return date.toLocaleDateString(locale, { weekday: 'long' });
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(locale, { day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' }) });
}

function relativeDay(days: number, locale: string): string {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
}

/** Formats "3 March 2027". */
export function fullDay(instant: string, locale: string, timeZone?: string): string {
  return new Date(instant).toLocaleDateString(locale, { dateStyle: 'long', timeZone });
}

/** Formats "3 March 2027 at 14:05", rounded up to the next minute, so that it is never too early. */
export function fullMinute(instant: string, locale: string): string {
  const minuteMs = Math.ceil(Date.parse(instant) / minute) * minute;
  return new Date(minuteMs).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
}

/** Formats "3 March 2027 at 14:05", rounded down to the minute. */
export function fullTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' });
}

/** Formats "3 March – 3 April 2027". */
export function dayRange(start: string, end: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).formatRange(new Date(start), new Date(end));
}

/** Returns the distance in local calendar days: 0 today, -1 yesterday. */
export function daysBetween(instant: string, now: number): number {
  const from = new Date(now).setHours(0, 0, 0, 0);
  const to = new Date(instant).setHours(0, 0, 0, 0);
  return Math.round((to - from) / day);
}

/** Formats "Today", "Yesterday", otherwise like `shortDay`; capitalized, for headings. */
export function dayName(instant: string, now: number, locale: string): string {
  const name = daysBetween(instant, now) === -1 ? relativeDay(-1, locale) : shortDay(instant, now, locale);
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

/** Formats "25 minutes", "8 hours" or "3 days", in the largest unit of which the duration has at least two. */
export function duration(ms: number, locale: string): string {
  const [unit, size] =
    ms < 2 * hour ? (['minute', minute] as const) : ms < 2 * day ? (['hour', hour] as const) : (['day', day] as const);
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 });
  return format.format(ms / size);
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats "18.2 MB": always one decimal from kilobytes on, so that a changing number keeps its width. */
export function byteCount(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const digits = power === 0 ? 0 : 1;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power],
    unitDisplay: 'short',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(bytes / 1000 ** power);
}

const seededPlans = ['free', 'standard', 'advanced'] as const;

/** Returns whether the plan is one that every server has. */
export function isSeededPlan(plan: string): plan is (typeof seededPlans)[number] {
  return seededPlans.some((name) => name === plan);
}

/** Returns the plan's name: translated for our plans, otherwise capitalized. */
export function planName(plan: string, t: SharedTranslate): string {
  return isSeededPlan(plan) ? t(`plans.${plan}`) : plan.charAt(0).toUpperCase() + plan.slice(1);
}

const systems: readonly (readonly [RegExp, string])[] = [
  [/^win(?:32|dows)\b/i, 'Windows'],
  [/^(?:darwin|macos)\b/i, 'macOS'],
  [/^linux\b/i, 'Linux'],
];

/** Returns "Windows x64" for `win32 x64`; an unknown platform is returned unchanged. */
export function platformName(platform: string): string {
  const known = systems.find(([pattern]) => pattern.test(platform));
  return known === undefined ? platform : platform.replace(known[0], known[1]);
}

/** Returns a session's client in a form that users recognize; for our own app, device name and platform. */
export function clientName(userAgent: string): string {
  const [, platform = '', device] = /^Latchkey\/\S+ \(([^;)]*)(?:; ([^)]*))?\)$/.exec(userAgent) ?? [];
  if (platform === '') return (userAgent.startsWith('Mozilla/') && describeBrowser(userAgent)) || userAgent;
  return device === undefined ? platformName(platform) : `${device} · ${platformName(platform)}`;
}
