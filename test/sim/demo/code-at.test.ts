import { expect, it } from 'vitest';
import { codeAt } from './code-at.ts';

const DIFF = `diff --git "a/src/men\\303\\274.js" "b/src/men\\303\\274.js"
--- "a/src/men\\303\\274.js"
+++ "b/src/men\\303\\274.js"
@@ -1,3 +1,6 @@
 one\r
-two\r
+2\r
+3\r
+4\r
 five\r
+six\r
\\ No newline at end of file
`;

const at = (line: number, side: 'new' | 'old' = 'new', path = 'src/menü.js') =>
  codeAt(DIFF, { path, line, side }).map(({ kind, text }) => `${kind} ${text}`);

it('shows at most four lines, and ends with the commented one, in a file with a quoted name and CRLF', () => {
  expect(at(6)).toEqual(['added 3', 'added 4', 'context five', 'added six']);
  expect(at(1)).toEqual(['context one']);
});

it('counts the lines of the old side for a comment there', () => {
  expect(at(2, 'old')).toEqual(['context one', 'removed two']);
});

it('is empty where the diff does not contain the line or the file', () => {
  expect([at(7), at(2, 'new', 'src/other.js'), codeAt('', { path: 'a', line: 1, side: 'new' })]).toEqual([[], [], []]);
});
