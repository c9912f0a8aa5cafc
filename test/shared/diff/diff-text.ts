import type { Diff } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';

/** A modified file with one hunk body after another, as git writes it. */
export const modified = (path: string, ...hunks: readonly string[]): string =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;

export const renamed = (from: string, to: string, ...hunks: readonly string[]): string =>
  `diff --git a/${from} b/${to}\nsimilarity index 90%\nrename from ${from}\nrename to ${to}\nindex 1111111..2222222 100644\n--- a/${from}\n+++ b/${to}\n${hunks.join('')}`;

export const added = (path: string, ...lines: readonly string[]): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;

export const deleted = (path: string, ...lines: readonly string[]): string =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\nindex 2222222..0000000\n--- a/${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n${lines.map((line) => `-${line}\n`).join('')}`;

export const diffOf = (...texts: readonly string[]): Diff => parseDiff(texts.join(''));
