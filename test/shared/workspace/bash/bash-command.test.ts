import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BashCommand, describeBash, parseBashCommand } from '../../../../shared/workspace/bash/bash-command.ts';
import { COMMAND_RULES } from '../../../../shared/workspace/bash/bash-grammar.ts';
import { splitBashWords } from '../../../../shared/workspace/bash/bash-words.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { anyBashText, attacksOn, harmlessOn } from '../bash-attacks.ts';

const PATCHES = '--no-ext-diff --no-textconv --full-index --no-color --submodule=short';
const LOG = `log --no-show-signature ${PATCHES}`;
const SHOW = `show --no-show-signature ${PATCHES}`;
const GREP = 'grep -n -I -z --full-name --no-color --no-textconv --threads=1';

const commandOf = (text: string): BashCommand => {
  const parsed = parseBashCommand(text);
  if (parsed.kind === 'refused') throw new Error(`${parsed.word}: ${parsed.reason}`);
  return parsed;
};

describe('splitBashWords', () => {
  it.each([
    ['git  log   -5 ', ['git', 'log', '-5']],
    ["a'b c'd", ['ab cd']],
    ["''", ['']],
    ["'$(x)' '\"' '*'", ['$(x)', '"', '*']],
    ['"a b" "it\'s" x"y"\'z\'', ['a b', "it's", 'xyz']],
    ['HEAD~1 HEAD^ a^2~', ['HEAD~1', 'HEAD^', 'a^2~']],
    ['', []],
  ])('divides %j at spaces, and takes quotes literally', (text, words) => {
    expect(splitBashWords(text)).toEqual({ kind: 'words', words });
  });

  it('refuses every byte that is not printable ASCII, inside of quotes as well', () => {
    for (let code = 0; code < 0x200; code += 1) {
      const character = String.fromCodePoint(code);
      const isPrintable = code >= 0x20 && code < 0x7f && character !== "'";
      const kind = splitBashWords(`ls 'a${character}b'`).kind;
      expect([code, kind]).toEqual([code, isPrintable ? 'words' : 'refused']);
    }
  });

  it('takes 2,000 characters and no more', () => {
    expect(splitBashWords('ab '.repeat(666)).kind).toBe('words');
    expect(splitBashWords('ab '.repeat(667)).kind).toBe('refused');
  });

  it('takes no character outside of quotes that means something to a shell', () => {
    for (const character of '$`\\;&|<>(){}[]*?!#"\n') expect(splitBashWords(`ls a${character}b`).kind).toBe('refused');
    for (const character of '~^') expect(splitBashWords(`ls ${character}b`).kind).toBe('refused');
  });
});

describe('parseBashCommand', () => {
  it.each([
    ['git log', `${LOG} --`],
    ['git log --oneline -n 5', `${LOG} --oneline -n5 --`],
    ['git log -5 --since 2.weeks base..HEAD -- src', `${LOG} -5 --since=2.weeks base..HEAD -- src`],
    ["git log -S 'a  b' 'HEAD~2...HEAD'", `${LOG} -Sa  b HEAD~2...HEAD --`],
    ["git log --grep 'fix: it' -i", `${LOG} --grep=fix: it -i --`],
    ['git show', `${SHOW} --`],
    ['git show HEAD:src/a.ts', `${SHOW} HEAD:src/a.ts --`],
    ['git show --stat abc1234 -- src', `${SHOW} --stat abc1234 -- src`],
    ['git diff base HEAD', `diff ${PATCHES} base HEAD --`],
    ['git diff -U0 base..HEAD -- a b', `diff ${PATCHES} -U0 base..HEAD -- a b`],
    ['git blame src/a.ts', 'blame HEAD -- src/a.ts'],
    ['git blame base src/a.ts', 'blame base -- src/a.ts'],
    ['git blame -L 10,+5 base -- src/a.ts', 'blame -L10,+5 base -- src/a.ts'],
    ['git grep -i x', `${GREP} -i -e x HEAD --`],
    ["git grep -C 2 'a b' base -- src", `${GREP} -C2 -e a b base -- src`],
    ['git ls-files', 'ls-tree --full-tree -r --name-only HEAD --'],
    ['git ls-files src', 'ls-tree --full-tree -r --name-only HEAD -- src'],
    ['git ls-tree -r HEAD . src/', 'ls-tree --full-tree -r HEAD -- src/'],
    ['git cat-file -p HEAD:./src', 'cat-file -p HEAD:./src'],
    ['git rev-parse --short HEAD', 'rev-parse --short HEAD'],
    ['ls', '--'],
    ['ls -la src', '-la -- src'],
    ['wc -l a b', '-l -- a b'],
    ['head -n 5 a', '-n5 -- a'],
    ['tail -n +5 -- a', '-n+5 -- a'],
    ['git log HEAD~1..HEAD', `${LOG} HEAD~1..HEAD --`],
    ['git show HEAD^', `${SHOW} HEAD^ --`],
    ['git log -S"a b" --author=Ann --max-count=3', `${LOG} -Sa b --author=Ann --max-count=3 --`],
    ['git blame -L10,20 src/a.ts', 'blame -L10,20 HEAD -- src/a.ts'],
    ['git diff base', `diff ${PATCHES} base HEAD --`],
    ['git diff base -- src', `diff ${PATCHES} base HEAD -- src`],
    ['git log --format=%h', `${LOG} --format=tformat:%h --`],
    ["git log --pretty=format:'%h %an: %s'", `${LOG} --format=tformat:%h %an: %s --`],
    ['git show --pretty=tformat:%B HEAD', `${SHOW} --format=tformat:%B HEAD --`],
    ['git log --format=oneline', `${LOG} --pretty=oneline --`],
  ])('gives %s to the program as words of ours', (text, args) => {
    expect(commandOf(text).args.join(' ')).toBe(args);
  });

  it.each([
    ['git log -p', { objects: [], patches: true, matches: false }],
    ['git show HEAD', { objects: ['HEAD'], patches: true, matches: false }],
    ['git show base..HEAD', { objects: [], patches: true, matches: false }],
    ['git show HEAD:a', { objects: ['HEAD:a'], patches: false, matches: false }],
    ['git show HEAD:a base', { objects: ['HEAD:a', 'base'], patches: true, matches: false }],
    ['git diff base HEAD', { objects: [], patches: true, matches: false }],
    ['git blame ./src//a.ts', { objects: ['HEAD:src/a.ts'], patches: false, matches: false }],
    ['git grep x', { objects: [], patches: false, matches: true }],
    ['git grep -c x', { objects: [], patches: false, matches: false }],
    ['git cat-file -p abc', { objects: ['abc'], patches: false, matches: false }],
    ['git cat-file -s abc', { objects: [], patches: false, matches: false }],
    ['head a ./b', { objects: ['HEAD:a', 'HEAD:b'], patches: false, matches: false }],
    ['wc a', { objects: [], patches: false, matches: false }],
  ])('knows what %s shows parts of', (text, sources) => {
    expect(commandOf(text).sources).toEqual(sources);
  });

  it.each([
    ['git log --output=x', '--output=x', /^option not allowed here\. git log takes: -/],
    ['cat a', 'cat', /^unknown command; the commands are git ls wc head tail; use the tool Read/],
    ['rg a', 'rg', /; use the tool Grep, which takes context and glob$/],
    ['touch a', 'touch', /^unknown command; the commands are git ls wc head tail$/],
    ['git fetch', 'fetch', /^unknown git command; the git commands are log show diff blame grep /],
    ['git -C x log', '-C', /with no option before them$/],
    ['head ../x', '../x', /^a path that leads out of the repository$/],
    ['git log -n x', '-n', /^this option needs a number as the next word\. git log takes: /],
    ['git log ~1', '', /^~ at the start of a word; there is no shell$/],
    ['git log "$x"', '', /^\$ inside of double quotes; use single quotes$/],
    ['git log *', '', /^\* outside of quotes; there is no shell$/],
    ['git log --format=%G?', '', /^\? outside of quotes; there is no shell$/],
    ['git log --format=%GK', '--format=%GK', /^only %h %H %s %B /],
    ["git log '--format=%<(5,trunc)%s'", '--format=%<(5,trunc)%s', /^only %h %H %s %B /],
    ['git log --format=%x00', '--format=%x00', /^only %h %H %s %B /],
    ["git log '--pretty=format:%(trailers)'", '--pretty=format:%(trailers)', /^only %h %H %s %B /],
    ['git log --format=%ae', '--format=%ae', /^only %h %H %s %B /],
    ['git log --format=', '--format=', /^only %h %H %s %B /],
    ['git log --author=-x', '--author=-x', /^option not allowed here/],
    ['git diff --format=%h base', '--format=%h', /^option not allowed here/],
    ['wc', '', /^missing operand\. wc takes: /],
  ])('says of %s which word was refused and what is allowed', (text, word, reason) => {
    expect(parseBashCommand(text)).toMatchObject({ kind: 'refused', word, reason: expect.stringMatching(reason) });
  });

  it('names every command once for the description; a refusal names its options', () => {
    const names = describeBash().replace('git ', '').split(/[,;] /);
    expect(names).toEqual(Object.keys(COMMAND_RULES).map((name) => name.replace('git ', '')));
    expect(parseBashCommand('git blame -x -- a.ts')).toMatchObject({
      reason: 'option not allowed here. git blame takes: -w -s -e -l -L LINES',
    });
  });
});

const TARGETS = { canary: '/outside/made', outside: '/outside/canary.txt' };
const ATTACKS = attacksOn(TARGETS);
const ALL = Object.entries(ATTACKS).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const));

describe('T6: the table of what got through other allowlists', () => {
  it('has at least 120 strings, each once', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(120);
    expect(new Set(ALL.map(([, text]) => text)).size).toBe(ALL.length);
  });

  it.each(Object.keys(ATTACKS))('is refused for its words alone: %s', (kind) => {
    const taken = ALL.filter(([each, text]) => each === kind && parseBashCommand(text).kind !== 'refused');
    expect(taken).toEqual([]);
  });

  it.each(harmlessOn(TARGETS))('takes %s, which has no effect', (text) => {
    expect(parseBashCommand(text).kind).toBe('command');
  });
});

const FORCED = new Set([PATCHES, GREP, '--full-tree -r --name-only --no-show-signature'].join(' ').split(' '));

const isOwnOption = (word: string): boolean => {
  if (FORCED.has(word)) return true;
  return Object.values(COMMAND_RULES).some(
    ({ flags, values, digits }) =>
      flags.includes(word) ||
      /^--format=tformat:(?:%(?:[hHsBn%]|a[ndrs]|c[ndrs])|[^%])*$/.test(word) ||
      digits.some((stem) => /^\d{1,6}$/.test(word.slice(stem.length)) && word.startsWith(stem)) ||
      Object.keys(values).some((option) => word.startsWith(option.startsWith('--') ? `${option}=` : option)),
  );
};

describe('a text of any kind', () => {
  it('is refused, or becomes words of which each is an option of ours, a revision, or a path inside', () => {
    let taken = 0;
    fc.assert(
      fc.property(anyBashText, (text) => {
        const parsed = parseBashCommand(text);
        if (parsed.kind === 'refused') return;
        taken += 1;
        const { args, program } = parsed;
        expect(['git', 'ls', 'wc', 'head', 'tail']).toContain(program);
        expect(args.filter((word) => /[^\u0020-\u007e]/.test(word))).toEqual([]);
        const words = args[0] === 'grep' ? args.filter((_, at) => !['-e', undefined].includes(args[at - 1])) : args;
        const dashed = words.filter((word) => word.startsWith('-') && word !== '--' && word !== '-e');
        expect(dashed.filter((word) => !isOwnOption(word))).toEqual([]);
        const end = args.indexOf('--');
        const paths = end < 0 ? [] : args.slice(end + 1);
        expect(paths.filter((path) => /^\/|^-|(?:^|\/)\.\.(?:\/|$)|(?:^|\/)\.git(?:\/|$)/i.test(path))).toEqual([]);
      }),
      propertyRuns(5_000, 20_000),
    );
    // Worth something only while some get through.
    expect(taken).toBeGreaterThan(20);
  });
});
