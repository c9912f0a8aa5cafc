/** Code about which the text of a rule would be false, and the same code about which it is true. */
import { describe, expect, it } from 'vitest';
import { reviewFiles } from './review-files.ts';

const linesOf = async (rule: string, path: string, text: string): Promise<readonly number[]> => {
  const changedLines = new Set(text.split('\n').map((_, index) => index + 1));
  const { findings } = await reviewFiles([{ path, text, changedLines }], new AbortController().signal);
  return findings.filter((finding) => finding.rule === rule).map(({ line }) => line);
};

const RUN = 'module.exports.run = function (query) {\n  return exec(query);\n};\n';

describe('js-shell-from-parameters', () => {
  it.each([
    ['its own module', "const { exec } = require('./engine');\n", []],
    ['nowhere in the file', "'use strict';\n", []],
    ['a comment on the module of Node', "const { exec } = require('./engine'); // no child_process\n", []],
    ['the module of Node', "const { exec } = require('child_process');\n", [3]],
    ['the module of Node by its prefix', "const { exec } = require('node:child_process');\n", [3]],
    ['a library with a shell', "const { exec } = require('shelljs');\n", [3]],
  ])('knows an `exec` from %s', async (_what, head, lines) => {
    expect(await linesOf('js-shell-from-parameters', 'src/run.js', `${head}${RUN}`)).toEqual(lines);
  });
});

const setter = (parameters: string, group: string, key: string): string =>
  `class Table {\n  set(${parameters}) {\n    if (!this.cells[${group}]) this.cells[${group}] = {};\n    this.cells[${group}][${key}] = value;\n  }\n}\n`;

describe('js-two-keys-prototype', () => {
  it.each([
    ['a.js', 'row, column, value', 'row', 'column', []],
    ['a.js', 'x, y, value', 'x', 'y', []],
    ['a.js', 'section, item, value', 'section', 'item', [4]],
    ['a.js', 'section, index, value', 'section', 'index', [4]],
    ['a.ts', 'row: number, column: number, value: Cell', 'row', 'column', []],
    ['a.ts', 'team: number, member: string, value: Cell', 'team', 'member', []],
    ['a.ts', 'team: number = 0, member: string = "a", value?: Cell', 'team', 'member', []],
    ['a.ts', 'team: number | string, member: string, value: Cell', 'team', 'member', [4]],
    ['a.ts', 'team: string, member: number, value: Cell', 'team', 'member', [4]],
    ['a.tsx', 'team: number, member: string, value: Cell', 'team', 'member', []],
    ['a.tsx', 'team: string, member: string, value: Cell', 'team', 'member', [4]],
  ])('in %s: set(%s)', async (path, parameters, group, key, lines) => {
    expect(await linesOf('js-two-keys-prototype', `src/${path}`, setter(parameters, group, key))).toEqual(lines);
  });

  it('finds names of a grid that a text is split into', async () => {
    const text =
      "function read(text) {\n  const [row, column] = text.split(',');\n  if (!cells[row]) cells[row] = {};\n  cells[row][column] = 1;\n}\n";
    expect(await linesOf('js-two-keys-prototype', 'src/a.js', text)).toEqual([4]);
  });
});
