import { describe, expect, it } from 'vitest';
import { parseForgejoOwners } from '../../../shared/forge/forgejo/parse-forgejo-owners.ts';

const FORGEJO = { dropsSlash: false };
const GITEA = { dropsSlash: true };

/** After the documentation of both: https://docs.gitea.com/usage/code-owners */
const DOCUMENTED = String.raw`.*\\.go @user1 @user2
# Assigns user1 and user2 to Go files
frontend/src/.*\\.css @user3 # a comment
\\.forgejo/.* @org/team  user4
!frontend/.*|backend/.* @user5
docs/(aws|google|azure)/[^/]*\\.(md|txt) @user8 @org/team2
with\ blank\#1 @user9
`;

const ROWS: readonly (readonly [
  what: string,
  syntax: typeof FORGEJO,
  text: string,
  path: string,
  people: string[],
  groups: string[],
])[] = [
  ['each line that matches', FORGEJO, DOCUMENTED, 'backend/x.go', ['user1', 'user2'], []],
  ['no comment', FORGEJO, DOCUMENTED, 'frontend/src/x.css', ['user3'], []],
  ['teams, and names without @', FORGEJO, DOCUMENTED, '.forgejo/x', ['user4', 'user5'], ['org/team']],
  ['negative lines that do not match', FORGEJO, DOCUMENTED, 'other', ['user5'], []],
  ['groups of an expression', FORGEJO, DOCUMENTED, 'docs/aws/a.md', ['user5', 'user8'], ['org/team2']],
  ['escaped blanks and pound signs', FORGEJO, DOCUMENTED, 'with blank#1', ['user5', 'user9'], []],
  ['nothing for a part of the path', FORGEJO, 'src @ann', 'src/x', [], []],
  ['an alternative that is anchored on one side, as Go does', FORGEJO, 'a|b @ann', 'xb', ['ann'], []],
  ['nothing behind a leading slash on Forgejo', FORGEJO, '/src/.* @ann', 'src/x', [], []],
  ['files behind a leading slash on Gitea', GITEA, '/src/.* @ann', 'src/x', ['ann'], []],
  ['those too behind "!"', GITEA, '!/src/.* @ann', 'lib/x', ['ann'], []],
  ['a single backslash as nothing', FORGEJO, String.raw`a\.b @ann`, 'axb', ['ann'], []],
  ['no addresses', FORGEJO, '.* ann@example.com @bob', 'x', ['bob'], []],
  ['no @all', FORGEJO, '.* @all @bob', 'x', ['bob'], []],
  ['no team of a team', FORGEJO, '.* @a/b/c @bob', 'x', ['bob'], []],
  ['in any case where it is asked for', FORGEJO, '(?i)readme.* @ann', 'README.md', ['ann'], []],
  ['classes of Go', FORGEJO, String.raw`[[:alpha:]]+\\pL @ann`, 'abcé', ['ann'], []],
  ['nothing in an empty file', FORGEJO, '', 'x', [], []],
];

describe('CODEOWNERS of Forgejo and Gitea', () => {
  it.each(ROWS)('gives %s', (_what, syntax, text, path, people, groups) => {
    expect(parseForgejoOwners(text, syntax).ownersOf(path)).toEqual({ people, groups });
  });

  it.each([
    ['a line without owners', '.*', 1],
    ['an expression that is none', '.*( @ann', 1],
    ['a look ahead', '(?!src/).* @ann', 1],
    ['a back reference', String.raw`(a)\\1 @ann`, 1],
    ['nobody that could be mentioned', '.* ann@example.com', 1],
    ['too large a repetition', '((a{1000}){1000}){1000} @ann', 1],
    ['a range of Unicode in any case', '(?i)[a-\u{10ffff}] @ann', 1],
    ['a class of Unicode in any case', String.raw`(?si:\\pL) @ann`, 1],
    ['too long an expression', `${'a'.repeat(501)} @ann`, 1],
    ['neither comments nor blank lines', '# x\n\n   \n\t# y\n.* @ann', 0],
  ])('counts as skipped: %s', (_what, text, skipped) => {
    expect(parseForgejoOwners(text, FORGEJO).skipped).toBe(skipped);
  });

  it('reads at most so many lines, and counts the others', () => {
    const text = Array.from({ length: 2_003 }, (_, index) => `a${index} @ann`).join('\n');
    expect(parseForgejoOwners(text, FORGEJO).skipped).toBe(3);
  });

  it.each([
    ['repeats within repeats', '((a+)+)+b'],
    ['many choices', `${'(a|a)*'.repeat(60)}b`],
    ['counted repetitions', '(a{1,100}b?){1,9}c'],
    ['classes of Unicode', String.raw`[\\pL\\pN]`.repeat(40)],
    ['ranges of Unicode', '[a-\u{10ffff}]'.repeat(60)],
    ['negated classes in any case', `(?i)${'[^a-z]'.repeat(80)}`],
    ['nothing but the beginning of flags', '(?'.repeat(240)],
    ['many stars', `${'a*'.repeat(240)}b`],
  ])('is not kept busy by %s', (_what, expression) => {
    const text = Array.from({ length: 2_000 }, (_, index) => `${expression}${index} @ann`).join('\n');
    const began = performance.now();
    parseForgejoOwners(text, FORGEJO).ownersOf('a'.repeat(4_000));
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});
