import { describe, expect, it } from 'vitest';
import { RecentMap } from '../../server/recent-map.ts';

describe('a map of what was used last', () => {
  it('keeps what is read, and never holds more than its capacity', () => {
    const map = new RecentMap<number, string>(10);
    map.set(0, 'read again and again');
    for (let key = 1; key <= 1000; key++) {
      map.set(key, `value ${key}`);
      expect(map.get(0)).toBe('read again and again');
    }
    const held = Array.from({ length: 1001 }, (_, key) => key).filter((key) => map.get(key) !== undefined);
    expect(held).toContain(1000);
    expect(held.length).toBeLessThanOrEqual(10);
  });

  it('counts an entry by its size', () => {
    const map = new RecentMap<string, number>(100, (size) => size);
    map.set('large', 1000);
    expect(map.get('large')).toBe(1000);
    map.set('small', 1);
    map.set('other', 60);
    map.set('another', 1);
    expect(map.get('large')).toBeUndefined();
    expect(map.get('another')).toBe(1);
  });

  it('holds nothing of what was deleted, wherever it was', () => {
    const map = new RecentMap<string, number>(4);
    for (const key of ['a', 'b', 'c']) map.set(key, 1);
    for (const key of ['a', 'b', 'c']) map.delete(key);
    for (const key of ['a', 'b', 'c']) expect(map.get(key)).toBeUndefined();
    map.set('a', 2);
    map.clear();
    expect(map.get('a')).toBeUndefined();
  });
});
