import { describe, expect, it } from 'vitest';
import { parseGitlabOwners } from '../../../shared/forge/gitlab/parse-gitlab-owners.ts';

const DOCUMENTED = String.raw`# Specify a default Code Owner
* @default-owner
README.md @doc-team @tech-lead
*.rb @ruby-owner
#file_with_pound.rb @comment
\#file_with_pound.rb @owner-file-with-pound
LICENSE @legal janedoe@example.com
README @group @group/with-nested/subgroup
/docs/ @all-docs
/docs/* @root-docs
/docs/**/*.md @markdown-docs
/db/**/index.md @index-docs
path\ with\ spaces/ @space-owner
lib/ @lib-owner
/config/ @@maintainer @@developers
/either @one @tab	@two # @said-in-a-comment
`;

const SECTIONS = `* @admin

[README Owners]
README.md @user1 @user2
internal/README.md @user4

[README other owners]
README.md @user3

[Documentation][2] @docs-team @group/docs
docs/
guide.md @writer

^[Optional]
*.go @gopher

[documentation]
*.adoc

[Ruby]
*.rb @ruby-devs
!/config/**/*.rb
!/vendor/
`;

const ROWS: readonly (readonly [what: string, text: string, path: string, people: string[], groups: string[]])[] = [
  ['the default', DOCUMENTED, 'app/assets/something.vue', ['default-owner'], []],
  ['the last pattern that matches', DOCUMENTED, 'app/models/repository.rb', ['ruby-owner'], []],
  ['a relative path anywhere', DOCUMENTED, 'internal/README.md', ['doc-team', 'tech-lead'], []],
  ['an escaped pound sign', DOCUMENTED, 'examples/#file_with_pound.rb', ['owner-file-with-pound'], []],
  ['no addresses', DOCUMENTED, 'LICENSE', ['legal'], []],
  ['a group with a slash as a group', DOCUMENTED, 'README', ['group'], ['group/with-nested/subgroup']],
  ['a folder', DOCUMENTED, 'docs/projects/index.txt', ['all-docs'], []],
  ['files of a folder itself', DOCUMENTED, 'docs/index.txt', ['root-docs'], []],
  ['folders between', DOCUMENTED, 'docs/a/b.md', ['markdown-docs'], []],
  ['folders between, also none', DOCUMENTED, 'db/index.md', ['index-docs'], []],
  ['escaped blanks', DOCUMENTED, 'path with spaces/docs.txt', ['space-owner'], []],
  ['a folder anywhere', DOCUMENTED, 'ee/lib/gitlab/x.go', ['lib-owner'], []],
  ['no roles', DOCUMENTED, 'config/database.yml', [], []],
  ['tabs, and names behind a pound sign too', DOCUMENTED, 'either', ['one', 'tab', 'two', 'said-in-a-comment'], []],
  ['each section', SECTIONS, 'README.md', ['admin', 'user1', 'user2', 'user3'], []],
  ['the last pattern of each section', SECTIONS, 'internal/README.md', ['admin', 'user4', 'user3'], []],
  ["a section's default owners", SECTIONS, 'docs/a.txt', ['admin', 'docs-team'], ['group/docs']],
  ["a pattern's own owners before them", SECTIONS, 'guide.md', ['admin', 'writer'], []],
  ['an optional section like another', SECTIONS, 'x.go', ['admin', 'gopher'], []],
  ['a section that comes again, in any case, without defaults', SECTIONS, 'x.adoc', ['admin'], []],
  ['a section unless it excludes', SECTIONS, 'app/user.rb', ['admin', 'ruby-devs'], []],
  ['nothing of a section that excludes', SECTIONS, 'config/a/b.rb', ['admin'], []],
  ['nothing of a section that excludes a folder', SECTIONS, 'vendor/b.rb', ['admin'], []],
  ['nothing where an exclusion stands before', '!/x.rb\n*.rb @a', 'x.rb', [], []],
  ['a pattern in the place of its exclusion', '!*.rb\n*.rb @a', 'x.rb', ['a'], []],
  ['the first place of a pattern that comes twice', '*.rb @a\n/x.rb @b\n*.rb @c', 'x.rb', ['b'], []],
  ['names without @ not at all', '*.js alice Bob', 'x.js', [], []],
  ['no @all', '* @all @ALL @ann', 'x', ['ann'], []],
  ['a name once, in any case', '* @Ann @ann @bob', 'x', ['Ann', 'bob'], []],
  ['names that end a sentence', '* @ann. (@bob)', 'x', ['ann', 'bob'], []],
  ['nothing in an empty file', '', 'x', [], []],
  ['a line that ends as on Windows', '* @ann\r\n*.md @bob\r\n', 'x.md', ['bob'], []],
  ['a header with an empty name', '[] @ann\n*', 'x', ['ann'], []],
];

describe('CODEOWNERS of GitLab', () => {
  it.each(ROWS)('gives %s', (_what, text, path, people, groups) => {
    expect(parseGitlabOwners(text).ownersOf(path)).toEqual({ people, groups });
  });

  it.each([
    ['[Not closed\n* @ann', 1],
    ['^[Not closed', 1],
    ['/[a @ann\n* @bob', 1],
    [DOCUMENTED, 0],
    [SECTIONS, 0],
  ])('counts what it skips: %j', (text, skipped) => {
    expect(parseGitlabOwners(text).skipped).toBe(skipped);
  });

  it('reads at most so many patterns, and counts the others', () => {
    const text = Array.from({ length: 10_002 }, (_, index) => `/${index} @ann`).join('\n');
    expect(parseGitlabOwners(text).skipped).toBe(2);
  });

  it('gives up counting on a file that was made to keep it busy', () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `/${'**/a*'.repeat(30)}${index} @ann`).join('\n');
    const began = performance.now();
    expect(parseGitlabOwners(text).ownersOf(`${'a/'.repeat(2_000)}b`)).toEqual({ people: [], groups: [] });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('takes names that begin with a dot, and nothing that is only dots', () => {
    const { named } = parseGitlabOwners('a.ts @.jane @. @.. @... @.infra/core @._');
    expect(named).toEqual({ people: ['.jane', '._'], groups: ['.infra/core'] });
  });
});
