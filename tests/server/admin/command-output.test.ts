/** The text output of commands. */
import { expect, it } from 'vitest';
import { formatFields, formatTable } from '../../../server/admin/command-output.ts';

it('a table has aligned columns, and an empty one says so', () => {
  const rows = [
    { email: 'a@b.example', full_name: '', staff: true },
    { email: 'longer@b.example', full_name: 'Bob', staff: false },
  ];
  expect(formatTable(rows, ['email', 'full_name', 'staff'])).toBe(
    ['email             full name  staff', 'a@b.example       -          yes', 'longer@b.example  Bob        no'].join(
      '\n',
    ),
  );
  expect(formatTable([], [])).toBe('Nothing to list.');
});

it('each field has its own line, and nested objects are indented below their name', () => {
  const value = {
    id: '1',
    created_at: null,
    names: ['a', 'b'],
    inner: { deep: 2 },
    list: [{ x: 1 }, { x: 2 }],
    none: [],
  };
  expect(formatFields(value)).toBe(
    [
      'id          1',
      'created at  -',
      'names       a, b',
      'inner',
      '  deep  2',
      'list',
      '  x',
      '  1',
      '  2',
      'none        -',
    ].join('\n'),
  );
});

it('control characters are escaped', () => {
  expect(formatFields({ full_name: 'Eve\u001b[2J\u202e\nx' })).toBe('full name  Eve\\u001b[2J\\u202e\\u000ax');
});
