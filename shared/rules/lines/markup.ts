import type { LineLanguage, TextRule } from '../model/rule.ts';
import { linesWhere } from './line-matches.ts';

/** The file cleans HTML somewhere, or the value is drawn by the program itself. */
const CLEANED = /sanitiz|sanitis|purify|\bxss\b|escapeHtml/i;
const HARMLESS =
  /(?:svg|icon|html)\w{0,40}\s*$|escape|encode|highlight|katex|\$?\b(?:i18n|strings|getString|translate|intl|format(?:Message)?)\b|^\s*\$?(?:t|_)\(/i;
const CONSTANT = /^\s*(?:'[^']*'|"[^"]*"|`[^`$]*`)?\s*$/;

/** The line shows the value only if it is a picture. */
const SVG = /['"]svg['"]/;
/** A message of the page itself. */
const OWN_STATE = /^\s*state\./;

/** A property. Of a plain variable, or of what a function makes of the data, a line says too little. */
const DATA = /^[^(]*\.[^(]*$|\bmarked(?:\.parse)?\(/;

const unsafe =
  (pattern: RegExp): TextRule['scan'] =>
  (lines) =>
    lines.some((line) => CLEANED.test(line))
      ? []
      : linesWhere(lines, (line) => {
          const [, value] = pattern.exec(line) ?? [];
          if (value === undefined || [CONSTANT, HARMLESS, OWN_STATE].some((harmless) => harmless.test(value)))
            return false;
          return !line.includes('<!--') && !SVG.test(line) && DATA.test(value);
        });

type Own = Pick<TextRule, 'id' | 'scan' | 'examples'>;
const EXPLANATION =
  'Script in the value runs in the browser of everyone who views the page. Render the value as text, or sanitise it first (for example with DOMPurify).';

const dataRule = (language: LineLanguage, own: Own): TextRule => ({
  ...own,
  language,
  severity: 'P1',
  blocking: true,
  title: 'Unsanitised HTML is inserted into the page',
  explanation: EXPLANATION,
  where: 'production',
});

const VUE = /\sv-html\s{0,9}=\s{0,9}"([^"]{0,1000})"?/;
const SVELTE = /\{@html\s{1,9}([^}]{1,1000})\}?/;

export const MARKUP_RULES: readonly TextRule[] = [
  dataRule('Vue', {
    id: 'vue-unsafe-html',
    scan: unsafe(VUE),
    examples: [
      { path: 'src/Comment.vue', code: '<template>\n  <p v-html="comment.body" />\n</template>\n', lines: [2] },
      { path: 'test/Comment.vue', code: '<template>\n  <p v-html="comment.body" />\n</template>\n', lines: [] },
      {
        path: 'src/Comment.vue',
        code: '<template>\n  <p v-html="\'<b>new</b>\'" />\n  <p v-text="comment.body" />\n  <i v-html="closeIcon" />\n  <p v-html="$t(\'help\')" />\n  <p v-html="body" />\n  <i v-if="data.type === \'svg\'" v-html="data.content" />\n  <p v-html="state.message" />\n</template>\n',
        lines: [],
      },
      {
        path: 'src/Comment.vue',
        code: '<script setup>\nimport DOMPurify from \'dompurify\';\nconst body = computed(() => DOMPurify.sanitize(props.body));\n</script>\n<template>\n  <p v-html="body" />\n</template>\n',
        lines: [],
      },
    ],
  }),
  dataRule('Svelte', {
    id: 'svelte-unsafe-html',
    scan: unsafe(SVELTE),
    examples: [
      { path: 'src/Comment.svelte', code: '<p>{@html comment.body}</p>\n', lines: [1] },
      {
        path: 'src/Comment.svelte',
        code: "<p>{comment.body}</p>\n<p>{@html '<b>new</b>'}</p>\n<p>{@html body}</p>\n",
        lines: [],
      },
    ],
  }),
];
