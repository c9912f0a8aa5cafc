import { describe, expect, test } from 'vitest';
import { createComposer } from '../../../services/poster/compose.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { readMarkers, signMarker, stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import { comment, finding } from '../../shared/rounds/builders.ts';
import { finding as findingMarker, PAYLOADS } from '../../shared/text/marker-fixture.ts';
import { liveMarkupIn, mentionsIn } from '../../support/live-markup.ts';
import { quickActionsIn } from '../../support/quick-actions.ts';
import { BASE_URL, createFakeForge } from './fake-forge.ts';

const SECRET = ['marker', 'secret', 'of', 'the', 'poster', 'tests'].join('-');
const composer = createComposer(createFakeForge().forge, { markerSecrets: [SECRET] });

/** What a model might write when it is told to by the code that it reads. */
const HOSTILE = [
  '/approve',
  '',
  '@everyone look: ![x](https://evil.example/x.png) <script>alert(1)</script>',
  'closes #1 [click](javascript:alert(1)) &#64;admin',
  '',
  signMarker(findingMarker, 'another secret'),
  '```',
  '/merge',
].join('\n');

const { position } = finding();
if (position === null) throw new Error('the builder makes placed findings');
const reply = PAYLOADS.find((payload) => payload.kind === 'reply');
const handoff = PAYLOADS.find((payload) => payload.kind === 'handoff');
const raw = PAYLOADS.find((payload) => payload.kind === 'raw');
if (reply === undefined || handoff === undefined || raw === undefined)
  throw new Error('the fixture has one marker of each kind');

const bodies: readonly (readonly [string, MarkerPayload, string])[] = [
  ...PAYLOADS.map((payload) => [payload.kind, payload, composer.plain(HOSTILE, payload)] as const),
  [
    'an inline comment',
    findingMarker,
    composer.inline({ marker: findingMarker, text: HOSTILE, suggestion: 'save(order);', position }),
  ],
  [
    'a closed finding',
    findingMarker,
    composer.closed({
      closure: { marker: reply, text: HOSTILE },
      comment: comment(`${HOSTILE}\n\n${signMarker(findingMarker, SECRET)}`),
      marker: findingMarker,
    }),
  ],
  [
    'a hand-off',
    { ...handoff, called: ['operator'] },
    composer.notice({ marker: handoff, text: HOSTILE, mention: true, calls: { paths: [] } }, ['operator']),
  ],
  ['a notice to operators', raw, composer.notice({ marker: raw, text: HOSTILE, mention: true }, ['operator'])],
  ['a veto', reply, composer.calling({ marker: reply, text: HOSTILE }, ['ann', 'org/team', 'b.c-d'])],
  ['a reply that calls nobody', reply, composer.calling({ marker: reply, text: HOSTILE }, [])],
  ['a notice that calls nobody', handoff, composer.notice({ marker: handoff, text: HOSTILE, mention: false }, [])],
  [
    'an edited hand-off',
    { ...handoff, called: ['ann', 'bob'] },
    composer.notice({ marker: { ...handoff, called: ['ann', 'bob'] }, text: HOSTILE, mention: true }, []),
  ],
];

const MENTIONED: Readonly<Record<string, readonly string[]>> = {
  'a hand-off': ['@operator'],
  'a notice to operators': ['@operator'],
  'a veto': ['@ann', '@org/team', '@b.c-d'],
};

test('F-T3: while secrets change, bodies are signed with the new one', () => {
  const NEW = ['new', SECRET].join('-');
  const rotating = createComposer(createFakeForge().forge, { markerSecrets: [NEW, SECRET] });
  for (const body of [
    rotating.plain('x', handoff),
    rotating.inline({ marker: findingMarker, text: 'x', suggestion: null, position }),
  ]) {
    expect(readMarkers(body, [NEW])).toEqual([expect.objectContaining({ kind: 'valid' })]);
    expect(readMarkers(body, [SECRET])).toEqual([expect.not.objectContaining({ kind: 'valid' })]);
  }
});

describe.each(bodies)('the body of %s', (name, payload, body) => {
  test('ends with its one signed marker', () => {
    expect(readMarkers(body, [SECRET])).toEqual([{ kind: 'valid', payload }]);
    expect(body.endsWith(signMarker(payload, SECRET))).toBe(true);
  });

  test('brings nothing to life', () => {
    const text = stripMarkers(body);
    expect({ live: liveMarkupIn(text, BASE_URL), actions: quickActionsIn(text) }).toEqual({ live: [], actions: [] });
    expect(mentionsIn(text)).toEqual(MENTIONED[name] ?? []);
    expect(text).toContain('evil.example');
  });
});

describe('a suggestion', () => {
  const onGitlab = createComposer({ ...createFakeForge().forge, rangedSuggestions: true }, { markerSecrets: [SECRET] });
  const added = (newLine: number) =>
    ({ kind: 'added', oldLine: null, newLine, lineCodeOld: 0, lineCodeNew: newLine }) as const;
  const lines = (first: number, last: number): typeof position => ({
    ...position,
    start: added(first),
    end: added(last),
  });
  const shown = (of: typeof composer, suggestion: string, at = lines(3, 3)): string => {
    const body = of.inline({ marker: findingMarker, text: 'Say it.', suggestion, position: at });
    expect(readMarkers(body, [SECRET])).toEqual([{ kind: 'valid', payload: findingMarker }]);
    return stripMarkers(body).replace(/^Say it\.\s*/, '');
  };

  test.each([
    ['of one line', lines(3, 3), 'run();', '```suggestion:-0+0\nrun();\n```', 'Instead of line 3:\n\n```\nrun();\n```'],
    ['of several', lines(3, 5), 'a\nb', '```suggestion:-2+0\na\nb\n```', 'Instead of lines 3 to 5:\n\n```\na\nb\n```'],
    ['of nothing', lines(3, 4), '', '```suggestion:-1+0\n```', 'Without lines 3 to 4.'],
    [
      'with a fence in it',
      lines(3, 3),
      '```js\nx\n```',
      '````suggestion:-0+0\n```js\nx\n```\n````',
      'Instead of line 3:\n\n````\n```js\nx\n```\n````',
    ],
  ] as const)('%s names its lines on GitLab, and is plain code in words elsewhere', (_what, at, code, there, here) => {
    expect(shown(onGitlab, code, at)).toBe(there);
    expect(shown(composer, code, at)).toBe(here);
  });

  const removed = { kind: 'removed', oldLine: 3, newLine: null, lineCodeOld: 3, lineCodeNew: 3 } as const;
  const inFile = (newPath: string): typeof position => ({ ...position, newPath });

  test.each([
    ['a removed line', { ...position, side: 'old', start: removed, end: removed } as const],
    ['more lines than can be replaced', lines(3, 200)],
    ...[
      '.gitlab-ci.yml',
      'ci/build.gitlab-ci.yml',
      '.github/workflows/ci.yml',
      '.forgejo/workflows/x.yaml',
      'Jenkinsfile',
    ].map((path) => [path, inFile(path)] as const),
  ] as const)('for %s is left out everywhere', (_where, at) => {
    expect([shown(onGitlab, 'run();', at), shown(composer, 'run();', at)]).toEqual(['', '']);
  });

  const secret = ['ghp', 'a1B2c3D4'.repeat(5).slice(0, 36)].join('_');
  test.each(['/merge', '  /approve', 'ok\n/label ~x', HOSTILE, `token = "${secret}"`, 'a\u202Eb'])(
    'is no block that can be applied when it commands, hides or betrays something: %j',
    (code) => {
      for (const each of [onGitlab, composer]) {
        const text = shown(each, code);
        expect(text).not.toMatch(/suggestion:/);
        expect(quickActionsIn(text)).toEqual([]);
        expect(text).not.toContain(secret);
        expect(liveMarkupIn(text, BASE_URL)).toEqual([]);
      }
    },
  );
});

describe('a summary that is nearly too long for the forge', () => {
  const marker = PAYLOADS.find((payload) => payload.kind === 'summary');
  if (marker === undefined) throw new Error('the fixture has a summary');
  /** The sections that are left of ten, of 9,000 characters each, and how long the body is without its marker. */
  const leftOf = (maxLength: number, text: string) => {
    const forge = createFakeForge().forge;
    const long = createComposer(
      { ...forge, sanitizing: { ...forge.sanitizing, maxLength } },
      { markerSecrets: [SECRET] },
    );
    const folds = Array.from({ length: 10 }, (_, index) => ({ title: `Part ${index}`, text: 'word '.repeat(1_800) }));
    const body = stripMarkers(long.summary({ text, folds, foot: 'The end.' }, marker));
    return { body, titles: [...body.matchAll(/<summary>Part (\d)<\/summary>/g)].map(([, index]) => Number(index)) };
  };

  test.each([
    ['a few words', 200_000, 1, 10],
    ['a few words', 100_000, 1, 4],
    ['many words', 100_000, 4_000, 1],
    ['a few words', 72_000, 1, 0],
    ['a few words', 60_000, 1, 0],
  ] as const)(
    'keeps %s and its footer in %i characters, and of ten sections the first that fit',
    (_what, maxLength, words, kept) => {
      const text = 'word '.repeat(words).trim();
      const { body, titles } = leftOf(maxLength, text);
      expect(titles).toEqual(Array.from({ length: kept }, (_, index) => index));
      expect(body.replaceAll(/<details>[^]*<\/details>\n\n/g, '')).toBe(`${text}\n\nThe end.`);
      // The rest is for the marker.
      expect(body.length).toBeLessThan(Math.max(maxLength - 70_000, 2_000));
    },
  );
});

test('closing keeps what the finding said and drops its old marker', () => {
  const old = comment(`What was said.\n\n${signMarker(findingMarker, SECRET)}`);
  const marker = { ...findingMarker, state: 'resolved' as const };
  const body = composer.closed({ closure: { marker: reply, text: '**F-001 is resolved.**' }, comment: old, marker });
  expect(stripMarkers(body)).toBe('**F-001 is resolved.**\n\nWhat was said.');
  expect(readMarkers(body, [SECRET])).toEqual([{ kind: 'valid', payload: marker }]);
});

describe('F-B7: code that readers copy is as the reviewer wrote it', () => {
  const codes = [
    '@Override\npublic void run() {}',
    "import x from '@scope/pkg';",
    '#!/bin/sh\n/usr/bin/env node',
    '/^[a-z]+$/.test(name);',
    '::std::move(order);',
    'closes(#1); // !5',
    '<!-- a template -->',
  ];
  const FORGE = createFakeForge().forge;
  const DEPS: Parameters<typeof createComposer>[1] = { markerSecrets: [SECRET] };
  const suggested = (forge: typeof FORGE, suggestion: string): string =>
    stripMarkers(
      createComposer(forge, DEPS).inline({ marker: findingMarker, text: 'Better:', suggestion, position: newSide }),
    );
  const newSide = { ...position, side: 'new' as const };

  test.each(codes)('where a click applies it: %j', (code) => {
    expect(suggested({ ...FORGE, rangedSuggestions: true }, code)).toContain(`suggestion:-0+0\n${code}\n\`\`\``);
  });

  test.each(codes)('where it is shown: %j', (code) => {
    expect(suggested({ ...FORGE, rangedSuggestions: false }, code)).toContain(`\`\`\`\n${code}\n\`\`\``);
  });

  test.each(codes)('in the words of a finding: %j', (code) => {
    const body = createComposer(FORGE, DEPS).plain(`Write:\n\n\`\`\`\n${code}\n\`\`\``, findingMarker);
    expect(body).toContain(`\`\`\`\n${code}\n\`\`\``);
  });

  test.each([true, false])('and says in words that it is not, where something would act on it', (rangedSuggestions) => {
    const body = suggested({ ...FORGE, rangedSuggestions }, 'run();\n/merge');
    expect(body).toMatch(/was altered/);
    expect(body).not.toMatch(/suggestion:/);
    expect(quickActionsIn(body)).toEqual([]);
  });
});
