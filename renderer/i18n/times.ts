/** Instants as people say them; each is exact elsewhere (on hover). */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "2 minutes ago", "in 15 seconds"; `justNow` stands for less than five seconds. */
export function relativeTime(instant: string, now: number, locale: string, justNow: string): string {
  const distance = Date.parse(instant) - now;
  const size = Math.abs(distance);
  if (size < 5_000) return justNow;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (size < minute) return format.format(Math.trunc(distance / 1000), 'second');
  if (size < hour) return format.format(Math.trunc(distance / minute), 'minute');
  if (size < day) return format.format(Math.trunc(distance / hour), 'hour');
  if (size < 30 * day) return format.format(Math.round(distance / day), 'day');
  if (size < 365 * day) return format.format(Math.round(distance / (30 * day)), 'month');
  return format.format(Math.round(distance / (365 * day)), 'year');
}

/** Exact, for hovering and for details. */
export function exactTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'medium' });
}

/** The hour and minute. */
export function clockTime(instant: string, locale: string): string {
  return new Date(instant).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
}

/** The shortest true name of a moment nearby: "14:02", "Thursday", "3 March", "3 March 2028". */
export function shortMoment(instant: string, now: number, locale: string): string {
  if (daysBetween(instant, now) === 0) return clockTime(instant, locale);
  return shortDay(instant, now, locale);
}

/** The shortest true name of a day: "Thursday" within six days, else "3 March", with the year where it differs. */
export function shortDay(instant: string, now: number, locale: string): string {
  const date = new Date(instant);
  if (Math.abs(daysBetween(instant, now)) < 7) return date.toLocaleDateString(locale, { weekday: 'long' });
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(locale, { day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** A day in full: "3 March 2027". */
export function fullDay(instant: string, locale: string): string {
  return new Date(instant).toLocaleDateString(locale, { dateStyle: 'long' });
}

/** From one day to another: "3 March – 3 April 2027". */
export function dayRange(start: string, end: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).formatRange(new Date(start), new Date(end));
}

/** Calendar days from now to the instant, in local time: 0 today, -1 yesterday. */
export function daysBetween(instant: string, now: number): number {
  const from = new Date(now).setHours(0, 0, 0, 0);
  const to = new Date(instant).setHours(0, 0, 0, 0);
  return Math.round((to - from) / day);
}

/** "Today", "Yesterday", else as `shortDay`, with a capital where the language has them. */
export function dayName(instant: string, now: number, locale: string): string {
  const days = daysBetween(instant, now);
  const name =
    days === 0 || days === -1
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
      : shortDay(instant, now, locale);
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}
