import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { anchor, type AnchorOptions } from '../../../../shared/diff/position/anchor.ts';
import { toForgejoLines } from '../../../../shared/diff/position/forgejo-position.ts';
import { gitlabLineCode, toGitlabLines } from '../../../../shared/diff/position/gitlab-position.ts';
import type { Diff } from '../../../../shared/diff/model.ts';
import type { Position } from '../../../../shared/diff/position/position.ts';
import { renderSuggestion } from '../../../../shared/diff/position/suggestion.ts';
import type { Place } from '../../../../shared/vocabulary/finding.ts';
import { added, deleted, diffOf, modified, renamed } from '../diff-text.ts';

// Old lines 4 to 8 are a b c d e; new lines 4 to 9 are a B1 B2 c d e.
const HUNK =
  '@@ -4,5 +4,6 @@ fn\n first(alpha);\n-second(beta);\n+second(gamma);\n+third(delta);\n fourth(same);\n fifth(same);\n sixth(last);\n';
const FAR = '@@ -40,3 +41,3 @@\n forty();\n-forty_one();\n+forty_two();\n end();\n';
const diff = diffOf(
  modified('src/a.ts', HUNK, FAR),
  renamed('old/b.ts', 'new/b.ts', HUNK),
  added('src/new.ts', 'one', 'two'),
  deleted('src/gone.ts', 'one', 'two'),
  'diff --git a/p.png b/p.png\nindex 1111111..2222222 100644\nBinary files a/p.png and b/p.png differ\n',
);

const place = (path: string, side: 'new' | 'old', startLine: number, line = startLine): Place => ({
  path,
  side,
  startLine,
  line,
});

const positionOf = (at: Place, from: Diff = diff, options?: AnchorOptions): Position => {
  const result = anchor(from, at, options);
  if (result.kind === 'refused') throw new Error(result.reason);
  return result.position;
};

const numbersOf = (line: Position['end']) => [
  line.kind,
  line.oldLine,
  line.newLine,
  line.lineCodeOld,
  line.lineCodeNew,
];

describe('anchor', () => {
  test.each<[string, Place, Place['path'], readonly unknown[]]>([
    ['an added line', place('src/a.ts', 'new', 5), 'src/a.ts', ['added', null, 5, 6, 5]],
    ['the second added line', place('src/a.ts', 'new', 6), 'src/a.ts', ['added', null, 6, 6, 6]],
    ['a removed line', place('src/a.ts', 'old', 5), 'src/a.ts', ['removed', 5, null, 5, 5]],
    ['a context line before', place('src/a.ts', 'new', 4), 'src/a.ts', ['context', 4, 4, 4, 4]],
    ['a context line behind, by its new number', place('src/a.ts', 'new', 7), 'src/a.ts', ['context', 6, 7, 6, 7]],
    ['a context line behind, by its old number', place('src/a.ts', 'old', 6), 'src/a.ts', ['context', 6, 7, 6, 7]],
    ['a line of the second hunk', place('src/a.ts', 'new', 42), 'src/a.ts', ['added', null, 42, 42, 42]],
    ['the first line of a new file', place('src/new.ts', 'new', 1), 'src/new.ts', ['added', null, 1, 0, 1]],
    ['the last line of a new file', place('src/new.ts', 'new', 2), 'src/new.ts', ['added', null, 2, 0, 2]],
    ['a line of a deleted file', place('src/gone.ts', 'old', 2), 'src/gone.ts', ['removed', 2, null, 2, 0]],
  ])('gives both numbers and both running counters of %s', (_name, at, path, expected) => {
    const position = positionOf(at);
    expect(position.newPath).toBe(path);
    expect(numbersOf(position.end)).toEqual(expected);
    expect(position.start).toEqual(position.end);
  });

  test('counts the line before the gap in hunks without context', () => {
    const bare = diffOf(modified('f', '@@ -4,0 +5,2 @@\n+x\n+y\n@@ -9,2 +11,0 @@\n-p\n-q\n'));
    expect(numbersOf(positionOf(place('f', 'new', 6), bare).end)).toEqual(['added', null, 6, 5, 6]);
    expect(numbersOf(positionOf(place('f', 'old', 10), bare).end)).toEqual(['removed', 10, null, 10, 12]);
  });

  test('gives both names of a renamed file, whichever one the old side is called by', () => {
    for (const path of ['old/b.ts', 'new/b.ts']) {
      expect(positionOf(place(path, 'old', 5))).toMatchObject({ oldPath: 'old/b.ts', newPath: 'new/b.ts' });
    }
    expect(positionOf(place('new/b.ts', 'new', 5))).toMatchObject({ oldPath: 'old/b.ts', newPath: 'new/b.ts' });
  });

  test('gives both ends of a range', () => {
    const { start, end } = positionOf(place('src/a.ts', 'new', 5, 7));
    expect([numbersOf(start), numbersOf(end)]).toEqual([
      ['added', null, 5, 6, 5],
      ['context', 6, 7, 6, 7],
    ]);
  });

  test.each<[string, Place, string]>([
    ['file_not_in_diff', place('src/other.ts', 'new', 1), 'a file that did not change'],
    ['file_has_no_such_side', place('src/gone.ts', 'new', 1), 'the new side of a deleted file'],
    ['file_has_no_such_side', place('src/new.ts', 'old', 1), 'the old side of a new file'],
    ['file_has_no_such_side', place('old/b.ts', 'new', 5), 'the new side under the old name'],
    ['file_has_no_lines', place('p.png', 'new', 1), 'a binary file'],
    ['line_not_in_diff', place('src/a.ts', 'new', 3), 'the line before a hunk'],
    ['line_not_in_diff', place('src/a.ts', 'new', 10), 'the line behind a hunk'],
    ['line_not_in_diff', place('src/a.ts', 'new', 4000), 'a line far away'],
    ['range_not_in_diff', place('src/a.ts', 'new', 7, 41), 'a range over two hunks'],
    ['range_not_in_diff', place('src/a.ts', 'new', 8, 10), 'a range that leaves its hunk'],
  ])('refuses with %s: %o (%s)', (reason, at) => {
    expect(anchor(diff, at)).toEqual({ kind: 'refused', reason });
  });

  test('refuses combined diffs, whose old side is not the merge base', () => {
    const text =
      'diff --cc f\nindex 1111111,2222222..3333333\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n';
    expect(anchor(diffOf(text), place('f', 'new', 1))).toEqual({ kind: 'refused', reason: 'combined_diff' });
  });
});

describe('snapping', () => {
  const snap = (at: Place, quote: string) => {
    const result = anchor(diff, at, { quote });
    return result.kind === 'refused'
      ? result.reason
      : [result.snapped, result.position.start.newLine, result.position.end.newLine];
  };

  test.each<[string, Place, string, unknown]>([
    ['stays where the quotation is', place('src/a.ts', 'new', 6), 'third(delta);', [false, 6, 6]],
    ['moves to the only line quoted', place('src/a.ts', 'new', 8), 'third(delta);', [true, 6, 6]],
    [
      'moves from outside the diff to the only line quoted',
      place('src/a.ts', 'new', 200),
      'forty_two();',
      [true, 42, 42],
    ],
    ['moves to all the lines quoted', place('src/a.ts', 'new', 41), 'second(gamma);\n  third(delta);', [true, 5, 6]],
    ['overlooks white space', place('src/a.ts', 'new', 8), '  third(delta);\r\n', [true, 6, 6]],
    ['stays when the quotation fits twice', place('src/a.ts', 'new', 5), '(same);', [false, 5, 5]],
    [
      'is refused when it fits twice and the line is outside',
      place('src/a.ts', 'new', 300),
      '(same);',
      'line_not_in_diff',
    ],
    ['stays when the quotation is of another file', place('src/a.ts', 'new', 5), 'elsewhere()', [false, 5, 5]],
    ['does not move for a scrap', place('src/a.ts', 'new', 5), 'end', [false, 5, 5]],
    ['does not move to the other side', place('src/a.ts', 'new', 5), 'second(beta);', [false, 5, 5]],
  ])('%s', (_name, at, quote, expected) => {
    expect(snap(at, quote)).toEqual(expected);
  });

  test('keeps the line given among six equal ones', () => {
    const six = diffOf(added('f', ...Array.from({ length: 6 }, () => 'same(line);')));
    for (let line = 1; line <= 6; line++) {
      expect(positionOf(place('f', 'new', line), six, { quote: 'same(line);' }).end.newLine).toBe(line);
    }
  });
});

describe('GitLab', () => {
  const code = (path: string, old: number, fresh: number) =>
    `${createHash('sha1').update(path).digest('hex')}_${old}_${fresh}`;

  test('knows the published line code of the first line of a new README', () => {
    const position = positionOf(place('README.md', 'new', 1), diffOf(added('README.md', 'x')));
    expect(gitlabLineCode('README.md', position.end)).toBe('8ec9a00bfd09b3190ac6b22251dbb1aa95a0579d_0_1');
  });

  test.each<[string, Place, object]>([
    ['an added line by its new number', place('src/a.ts', 'new', 5), { new_line: 5 }],
    ['a removed line by its old number', place('src/a.ts', 'old', 5), { old_line: 5 }],
    ['an unchanged line by both', place('src/a.ts', 'new', 7), { old_line: 6, new_line: 7 }],
    ['an unchanged line of the old side by both', place('src/a.ts', 'old', 6), { old_line: 6, new_line: 7 }],
  ])('names %s', (_name, at, lines) => {
    expect(toGitlabLines(positionOf(at))).toEqual({ old_path: 'src/a.ts', new_path: 'src/a.ts', ...lines });
  });

  test('hangs a range on its last line and gives line codes with the running counters', () => {
    expect(toGitlabLines(positionOf(place('new/b.ts', 'new', 5, 7)))).toEqual({
      old_path: 'old/b.ts',
      new_path: 'new/b.ts',
      old_line: 6,
      new_line: 7,
      line_range: {
        start: { line_code: code('new/b.ts', 6, 5), type: 'new', old_line: null, new_line: 5 },
        end: { line_code: code('new/b.ts', 6, 7), type: null, old_line: 6, new_line: 7 },
      },
    });
  });
});

describe('GitLab ranges', () => {
  test.each([
    ['removed', 'old', '@@ -1,2 +0,0 @@\n-a\n-b\n'],
    ['added', 'new', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
  ] as const)('are ranges even when one counter stands still: %s lines', (_name, side, hunk) => {
    const lines = toGitlabLines(positionOf(place('f', side, 1, 2), diffOf(modified('f', hunk))));
    expect(lines.line_range).toBeDefined();
  });
});

describe('Forgejo', () => {
  const RANGES = { supportsRanges: true };

  test.each<[string, Place, object]>([
    ['an added line', place('src/a.ts', 'new', 5), { old_position: 0, new_position: 5 }],
    ['a removed line', place('src/a.ts', 'old', 5), { old_position: 5, new_position: 0 }],
    ['an unchanged line on the new side', place('src/a.ts', 'old', 6), { old_position: 0, new_position: 7 }],
    [
      'a range by its first line',
      place('src/a.ts', 'new', 5, 7),
      { old_position: 0, new_position: 5, extra_lines_count: 2 },
    ],
    [
      'a range of old lines',
      place('src/a.ts', 'old', 5, 7),
      { old_position: 5, new_position: 0, extra_lines_count: 2 },
    ],
  ])('names %s by the numbers of the file', (_name, at, lines) => {
    expect(toForgejoLines(positionOf(at), RANGES)).toEqual({ path: 'src/a.ts', ...lines });
  });

  test('hangs a range on its last line where ranges are unknown', () => {
    const lines = toForgejoLines(positionOf(place('src/a.ts', 'new', 5, 7)), { supportsRanges: false });
    expect(lines).toEqual({ path: 'src/a.ts', old_position: 0, new_position: 7 });
  });

  test('names a renamed file by the name it has on the side of the line', () => {
    const pathOf = (side: 'new' | 'old', line: number) =>
      toForgejoLines(positionOf(place('new/b.ts', side, line)), RANGES).path;
    expect([pathOf('old', 5), pathOf('old', 6), pathOf('new', 5)]).toEqual(['old/b.ts', 'new/b.ts', 'new/b.ts']);
  });
});

describe('suggestions', () => {
  const on = (startLine: number, line: number) => positionOf(place('src/a.ts', 'new', startLine, line));

  test.each([
    ['one line', 5, 5, 'x', '```suggestion:-0+0\nx\n```'],
    ['a range', 5, 7, 'x\ny', '```suggestion:-2+0\nx\ny\n```'],
    ['nothing, which deletes the lines', 5, 5, '', '```suggestion:-0+0\n```'],
  ] as const)('replaces exactly the range with %s', (...[, start, line, replacement, text]) => {
    expect(renderSuggestion(on(start, line), replacement)).toEqual({ kind: 'rendered', text });
  });

  test.each([
    ['no', 'plain', 3],
    ['three', 'a\n```\nb', 4],
    ['five', '`````', 6],
    ['scattered', '` `` ````', 5],
  ])('is fenced longer than any run of backticks inside: %s', (_name, replacement, length) => {
    const result = renderSuggestion(on(5, 5), replacement);
    expect(result.kind === 'rendered' && /^`+/.exec(result.text)?.[0].length).toBe(length);
  });

  test('is refused on removed lines', () => {
    expect(renderSuggestion(positionOf(place('src/a.ts', 'old', 5)), 'x')).toEqual({
      kind: 'refused',
      reason: 'removed_lines',
    });
  });

  test.each([
    '.gitlab-ci.yml',
    '.GitHub/workflows/ci.yml',
    'a/.woodpecker/x.yml',
    'Jenkinsfile',
    '.ci/run',
    'AGENTS.md',
  ])('is refused in %s, which gives orders', (newPath) => {
    const position = { ...on(5, 5), newPath };
    expect(renderSuggestion(position, 'x')).toEqual({ kind: 'refused', reason: 'steering_file' });
  });

  test.each(['a\0b', 'a\rb'])('is refused for %j, which nobody would see', (replacement) => {
    expect(renderSuggestion(on(5, 5), replacement)).toEqual({ kind: 'refused', reason: 'holds_control_characters' });
  });

  test.each(['\n', ' ', '\t\n  \n', '\u00a0', '\u3000\n', '\u0085'])(
    'GL11: is refused for %j, which GitLab would apply as a deletion',
    (replacement) => {
      expect(renderSuggestion(on(5, 5), replacement)).toEqual({ kind: 'refused', reason: 'only_blank' });
    },
  );

  test('is refused for more lines than the forge replaces', () => {
    const long = diffOf(added('f', ...Array.from({ length: 150 }, (_, index) => `line ${index}`)));
    const over = (line: number) => renderSuggestion(positionOf(place('f', 'new', 1, line), long), 'x').kind;
    expect([over(101), over(102)]).toEqual(['rendered', 'refused']);
  });
});
