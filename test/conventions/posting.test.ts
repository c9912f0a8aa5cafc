/**
 * Only the poster writes to a forge, with bodies from `text/sanitize`. The types check the bodies; these tests check that
 * no other file creates the body type or uses the writing part of a forge.
 */
import { expect, test } from 'vitest';
import { importsOf, production, readProjectFile, type SourceFile, withoutComments } from './source.ts';

type Rule = { readonly what: string; readonly breaks: (file: SourceFile) => readonly string[] };

/** The file that defines the brand, and the files that may use it: they sanitize and join. */
const BRAND = 'shared/text/postable.ts';
const BRANDING: ReadonlySet<string> = new Set(['shared/text/sanitize.ts', 'services/poster/compose-body.ts']);

const mayWrite = (path: string): boolean => path.startsWith('services/poster/') || path.startsWith('shared/forge/');

/** The writing interfaces of the port, with their methods. */
const WRITERS = [
  ...`${readProjectFile('shared/forge/port.ts')}${readProjectFile('shared/forge/port-statuses.ts')}`.matchAll(
    /^export interface ((?:Writes|Answers|Resolves|Deletes|Reacts)\w*) \{\n([^]*?)^\}/gm,
  ),
].map(([, name = '', body = '']) => ({
  name,
  methods: [...body.matchAll(/^ {2}(\w+)\(/gm)].flatMap(([, method]) => method ?? []),
}));
const METHODS = WRITERS.flatMap(({ methods }) => methods);
const TYPES = [...WRITERS.map(({ name }) => name), 'WritingForge', 'OptionalAbilities'];

const found = (text: string, pattern: RegExp): readonly string[] =>
  [...withoutComments(text).matchAll(pattern)].map(([match]) => match.trim());

/** They send to the operator's own receivers, whose addresses come from the environment alone. */
const DIALS_RECEIVERS = new Set(['services/poster/notify/send.ts', 'shared/notify/judge-outcome.ts']);

const RULES: readonly Rule[] = [
  {
    what: 'asks for the brand of a sanitized body',
    breaks: (file) => (BRANDING.has(file.path) ? [] : importsOf(file).filter((name) => name === BRAND)),
  },
  {
    what: 'claims that a text is a sanitized body',
    breaks: ({ path, text }) =>
      path === BRAND
        ? []
        : found(text, /\bas (?:unknown as )?PostableBody\b|<PostableBody>\s*[('"`\w]|custom<PostableBody\b/g),
  },
  {
    what: 'names what writes to a forge',
    breaks: ({ path, text }) => (mayWrite(path) ? [] : found(text, new RegExp(`\\b(?:${TYPES.join('|')})\\b`, 'g'))),
  },
  {
    what: 'calls what writes to a forge',
    breaks: ({ path, text }) =>
      mayWrite(path)
        ? []
        : found(
            text,
            new RegExp(`(?:\\.|\\?\\.|\\['|\\b(?:forge|forges)\\b.*)\\b(?:${METHODS.join('|')})\\b(?='?\\]?\\()`, 'g'),
          ),
  },
  {
    what: 'takes the writing half of a forge',
    breaks: ({ path, text }) =>
      mayWrite(path)
        ? []
        : found(
            text,
            /\bforge\w*\??\.(?:write|threads|resolving)\b|\{[^{}]*\b(?:write|threads|resolving)\b[^{}]*\} = (?:\w+\.)*forge\w*\b/g,
          ),
  },
  {
    what: 'goes around the entrance of the forges',
    breaks: (file) =>
      file.path.startsWith('shared/forge/') || DIALS_RECEIVERS.has(file.path)
        ? []
        : [
            ...importsOf(file).filter((name) => /^shared\/forge\/(?:(?:forgejo|gitlab)\/|transport\.ts)/.test(name)),
            ...found(file.text, /\bcreateForgeHttp\b/g),
          ],
  },
];

test('the port has the writers that this looks for', () => {
  expect(WRITERS.map(({ name }) => name).toSorted()).toEqual([
    'AnswersThreads',
    'DeletesComments',
    'Reacts',
    'ResolvesThreads',
    'WritesComments',
    'WritesReviews',
    'WritesStatuses',
    'WritesVerdicts',
  ]);
  expect(METHODS.length).toBeGreaterThan(10);
});

test.each(RULES)('nobody $what', ({ breaks }) => {
  const broken = production.flatMap((file) => breaks(file).map((what) => `${file.path}: ${what}`));
  expect(broken).toEqual([]);
});

const BREACHES: readonly (readonly [what: string, line: string])[] = [
  ['asks for the brand of a sanitized body', "import { asPostable } from '../../shared/text/postable.ts';"],
  ['claims that a text is a sanitized body', 'const body = text as PostableBody;'],
  ['claims that a text is a sanitized body', 'const body = text as unknown as PostableBody;'],
  ['claims that a text is a sanitized body', 'const body = <PostableBody>text;'],
  ['names what writes to a forge', "import type { WritesComments } from '../../shared/forge/port.ts';"],
  ['names what writes to a forge', 'type Writer = WritingForge;'],
  ['calls what writes to a forge', 'await writer.createComment(of, body, signal);'],
  ['calls what writes to a forge', "await writer['giveVerdict'](of, given, signal);"],
  ['takes the writing half of a forge', 'const writer = forge.write;'],
  ['takes the writing half of a forge', 'const { read, write } = deps.forge;'],
  ['takes the writing half of a forge', 'const answer = forge.threads?.reply;'],
  [
    'goes around the entrance of the forges',
    "import { writesComments } from '../../shared/forge/gitlab/write-comments.ts';",
  ],
  ['goes around the entrance of the forges', "import { createForgeHttp } from '../../shared/forge/http.ts';"],
];

test.each(BREACHES)('it would be seen that somebody %s: %s', (what, line) => {
  const file = { path: 'services/guard/handle.ts', text: `${line}\n` };
  expect(RULES.filter(({ breaks }) => breaks(file).length > 0).map((rule) => rule.what)).toContain(what);
  const poster = { ...file, path: 'services/poster/handle.ts' };
  const ours = RULES.filter(({ breaks }) => breaks(poster).length > 0).map((rule) => rule.what);
  // The poster may write, but it must also use sanitized bodies and the shared connection.
  expect(ours).toEqual(/writes|writing/.test(what) ? [] : [what]);
});
