import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AuthorFile,
  type ChangeRequestFile,
  type ChangeRules,
  decideChange,
} from '../../../../services/author/change/decide-change.ts';
import type { HeadFolders } from '../../../../services/author/change/new-file.ts';
import { whyPathIsProtected } from '../../../../services/author/change/protected-paths.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

const rules = (patch: Partial<ChangeRules> = {}): ChangeRules => ({
  protectedPaths: [],
  lockFiles: false,
  newFiles: true,
  maxFiles: 5,
  maxBytes: 100,
  secrets: [],
  ...patch,
});

const file = (patch: Partial<ChangeRequestFile> = {}): ChangeRequestFile => ({
  kind: 'file',
  mode: '100644',
  objectId: 'a'.repeat(40),
  ...patch,
});

const NOTHING: HeadFolders = new Map([['', []]]);

const write = (path: string, content = 'x'): AuthorFile => ({ kind: 'write', path, content: Buffer.from(content) });

describe('a path', () => {
  it.each([
    '.gitlab-ci.yml',
    '.GitLab-CI.yml',
    'sub/.gitlab-ci.yml',
    '.github/workflows/a.yml',
    '.forgejo/workflows/a.yml',
    '.gitea/workflows/a.yml',
    '.gitmodules',
    'src/.gitattributes',
    '.woodpecker/a.yml',
    '.woodpecker.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    'azure-pipelines.yml',
    '.travis.yml',
    '.pre-commit-config.yaml',
    '.husky/pre-push',
    'CODEOWNERS',
    'docs/codeowners',
    '.fixpoint.toml',
    '.fixpoint/guidelines.md',
    'fixpoint.toml',
    'AGENTS.md',
    'pkg/CLAUDE.md',
    '.claude/settings.json',
    'package-lock.json',
    'sub/go.sum',
  ])('called %s is protected', (path) => {
    expect(whyPathIsProtected(path, rules())).not.toBeNull();
  });

  it.each([
    'src/run.js',
    'legit.yml',
    'ci.ts',
    'docs/git.md',
    'jenkins.md',
    'src/fixpoints.ts',
    'owners.ts',
    'agents.ts',
  ])('called %s is not', (path) => {
    expect(whyPathIsProtected(path, rules())).toBeNull();
  });

  it('of a lock file may be touched where the operator says so', () => {
    expect(whyPathIsProtected('package-lock.json', rules({ lockFiles: true }))).toBeNull();
  });

  it('is protected when the pattern of the operator cannot be understood', () => {
    expect(whyPathIsProtected('src/run.js', rules({ protectedPaths: ['[z-'] }))).toBe('the operator protects it');
  });

  it.each(['.gitlab-ci.yml', 'CODEOWNERS', '.fixpoint.toml', '.git/config'])(
    'called %s stays protected, whatever the patterns of the operator say',
    (path) => {
      for (const pattern of [`!${path}`, '!**', '**/!*', '', 'other/**']) {
        expect(whyPathIsProtected(path, rules({ protectedPaths: [pattern], lockFiles: true }))).not.toBeNull();
      }
    },
  );

  it('F-T16: is protected also when it is written in look-alike characters', () => {
    const protectedPaths = ['deploy/**'];
    for (const path of ['\uff44eploy/prod.tf', 'deplo\uff59/prod.tf', 'DEPL\uff2fY/prod.tf']) {
      expect(whyPathIsProtected(path, rules({ protectedPaths }))).toBe('the operator protects it');
    }
  });

  it('is compared with the patterns of the operator in any case', () => {
    expect(whyPathIsProtected('Deploy/Prod.TF', rules({ protectedPaths: ['deploy/**'] }))).toBe(
      'the operator protects it',
    );
  });
});

describe('a change', () => {
  it.each<[string, Partial<ChangeRequestFile>]>([
    ['a link', { kind: 'symlink', mode: '120000' }],
    ['a submodule', { kind: 'submodule', mode: '160000' }],
    ['a file of a mode that git does not make', { mode: '100664' }],
  ])('of %s is refused', (_what, patch) => {
    const decision = decideChange([write('a')], {
      files: new Map([['a', file(patch)]]),
      folders: NOTHING,
      rules: rules(),
    });
    expect(decision).toMatchObject({ kind: 'refused', refusals: [{ path: 'a', reason: 'it is not a regular file' }] });
  });

  it('F-T16: of binary content is refused', () => {
    const changes = [write('a', 'x\0y')];
    expect(decideChange(changes, { files: new Map([['a', file()]]), folders: NOTHING, rules: rules() })).toMatchObject({
      kind: 'refused',
      refusals: [{ path: 'a', reason: 'its content is binary' }],
    });
  });

  it('that names a file twice is refused', () => {
    const changes: readonly AuthorFile[] = [write('a'), { kind: 'delete', path: 'a' }];
    expect(decideChange(changes, { files: new Map([['a', file()]]), folders: NOTHING, rules: rules() })).toMatchObject({
      kind: 'refused',
    });
  });

  it.each<[string, readonly AuthorFile[], string]>([
    ['as large as it may be', [write('a', 'x'.repeat(100))], 'apply'],
    ['one byte larger', [write('a', 'x'.repeat(101))], 'refused'],
    ['of as many files as may be', ['a', 'b', 'c', 'd', 'e'].map((path) => write(path)), 'apply'],
    ['of one file more', ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => write(path)), 'refused'],
  ])('%s is decided: %s', (_what, changes, kind) => {
    const files = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((path) => [path, file()]));
    expect(decideChange(changes, { files, folders: NOTHING, rules: rules() }).kind).toBe(kind);
  });

  it('that is applied touches regular, unprotected files alone, with their modes, and all of it', () => {
    const names = fc.constantFrom(
      'a.js',
      'b/c.js',
      '.gitlab-ci.yml',
      'b/.git/x',
      'go.sum',
      '../x',
      'run',
      'link',
      'gone',
    );
    const kinds = fc.constantFrom<Partial<ChangeRequestFile>>(
      {},
      { mode: '100755' },
      { kind: 'symlink', mode: '120000' },
    );
    const change = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), path: names, content: fc.uint8Array({ maxLength: 30 }) }),
      fc.record({ kind: fc.constant('delete' as const), path: names }),
      fc.record({ kind: fc.constant('odd' as const), path: names, what: fc.constant('a pipe') }),
    );
    const trees = fc.array(fc.tuple(names, kinds.map(file)), { maxLength: 9 });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 7 }), trees, (changes, entries) => {
        const files = new Map<string, ChangeRequestFile>(entries);
        const decision = decideChange(changes, { files, folders: NOTHING, rules: rules() });
        if (decision.kind !== 'apply') return;
        expect(decision.edits.map(({ path }) => path)).toEqual(changes.map(({ path }) => path));
        for (const { path, mode, content } of decision.edits) {
          expect(whyPathIsProtected(path, rules())).toBeNull();
          const there = files.get(path) ?? file();
          expect(there).toMatchObject({ kind: 'file', mode });
          expect(content === null || !content.includes(0)).toBe(true);
        }
      }),
      { seed: 11, numRuns: DEEP ? 20_000 : 500 },
    );
  });
});

describe('a new file', () => {
  const entry = (name: string, kind: 'file' | 'folder' | 'symlink' = 'file') => ({ kind, name: Buffer.from(name) });
  const folders: HeadFolders = new Map([
    [
      '',
      [
        entry('src', 'folder'),
        entry('lib', 'folder'),
        entry('Tests', 'folder'),
        entry('link', 'symlink'),
        entry('.gitlab-ci.yml'),
      ],
    ],
    ['src', [entry('run.js'), entry('Kept.js'), entry('caf\u00e9.js'), entry('link', 'symlink')]],
    ['lib', [entry('a.js')]],
    ['Tests', [entry('run.test.js'), entry('unit', 'folder')]],
    ['Tests/unit', []],
  ]);
  const files = new Map([
    ['src/run.js', file()],
    ['.gitlab-ci.yml', file()],
    ['only/link', file({ kind: 'symlink', mode: '120000' })],
  ]);
  const decide = (changes: readonly AuthorFile[], patch: Partial<ChangeRules> = {}) =>
    decideChange(changes, { files, folders, rules: rules(patch) });
  const reasonsOf = (...changes: readonly AuthorFile[]) => {
    const decision = decide(changes);
    return decision.kind === 'refused' ? decision.refusals.map(({ reason }) => reason) : [];
  };

  it.each([
    'src/new.js',
    'src/__tests__/run.test.js',
    'Tests/new.test.js',
    'Tests/unit/deep/er/new.test.js',
    'test/run.test.js',
    'lib/spec/a_spec.rb',
    'src/[id].test.ts',
    'src/gr\u00fc\u00dfe.js',
  ])('F-F20: called %s is taken as a plain one', (path) => {
    expect(decide([write(path)])).toMatchObject({ kind: 'apply', edits: [{ path, mode: '100644' }] });
  });

  const ELSEWHERE = 'it is a new file, neither in a folder that the change touches nor in a test folder';
  const SPELLING = 'the head has this path in another spelling';
  const IN_THE_WAY = 'the head has a file where a folder is needed';
  const LEFT = 'it looks like a leftover of a tool';
  it.each<[string, string]>([
    ['lib/new.js', ELSEWHERE],
    ['new.js', ELSEWHERE],
    ['only/new.js', ELSEWHERE],
    ['src/deep/new.js', ELSEWHERE],
    ['not/there/test/new.js', ELSEWHERE],
    ['lib/a.js', 'it is not a file of the change request'],
    ['src', 'it is not a file of the change request'],
    ['src/kept.js', SPELLING],
    ['src/RUN.js', SPELLING],
    ['SRC/new.js', SPELLING],
    ['tests/new.test.js', SPELLING],
    ['src/cafe\u0301.js', SPELLING],
    ['src/\uff52un.js', SPELLING],
    ['src/run.js/test/x.js', IN_THE_WAY],
    ['src/link/x.js', IN_THE_WAY],
    ['link/test/x.js', IN_THE_WAY],
    ['src/\uff4eew.js', 'its name has confusable Unicode characters'],
    ['src/.env', 'it is a new hidden file'],
    ['Tests/.cache/x', 'it is a new hidden file'],
    ['src/a:b.js', 'its name is not portable across file systems'],
    ['src/nul.js', 'its name is not portable across file systems'],
    ['src/new.js.', 'its name is not portable across file systems'],
    ['src/run.js.orig', LEFT],
    ['src/run.js~', LEFT],
    ['Tests/__pycache__/x.py', LEFT],
    ['Tests/node_modules/x.js', 'it is a new vendored file'],
    ['src/a.min.js', 'it is a new minified file'],
    ['src/.gitlab-ci.yml', 'it is protected'],
    ['src/\uff23ODEOWNERS', 'it is protected'],
    ['Tests/claude.MD', 'it is protected'],
    ['src/Package-Lock.JSON', 'it is a lock file'],
    ['src/\uff47o.sum', 'it is a lock file'],
    ['src/../new.js', 'a relative name'],
    ['/src/new.js', 'an empty name'],
    ['src/', 'an empty name'],
    ['src/a\u200bb.js', 'a control character'],
    ['src/.GIT/hooks/x', 'a name of git'],
  ])('F-F20: called %s is refused', (path, reason) => {
    expect(reasonsOf(write(path))).toEqual([reason]);
  });

  const COLLIDES = 'it collides with another file of the fix';
  it.each<[string, readonly string[]]>([
    ['in another case', ['src/new.js', 'src/New.js']],
    ['in another case of a folder', ['Tests/a/x.js', 'Tests/A/y.js']],
    ['as its folder', ['Tests/a', 'Tests/a/x.js']],
    ['as its folder in another case', ['Tests/a', 'Tests/A/x.js']],
  ])('F-F20: that meets another one %s is refused, and so is the other', (_how, paths) => {
    expect(reasonsOf(...paths.map((path) => write(path)))).toEqual([COLLIDES, COLLIDES]);
  });

  it.each<[string, AuthorFile, Partial<ChangeRules>, string]>([
    [
      'where the operator wants none',
      write('src/new.js'),
      { newFiles: false },
      'it is not a file of the change request',
    ],
    ['of binary content', write('src/new.js', 'a\0b'), {}, 'its content is binary'],
    ['with a secret', write('src/new.js', 'a-secret'), { secrets: ['secret'] }, 'its content contains a secret'],
    ['that is a link', { kind: 'odd', path: 'src/new.js', what: 'a link' }, {}, 'it is a link'],
    ['that is taken away', { kind: 'delete', path: 'src/new.js' }, {}, 'it is not a file of the change request'],
    ['that the operator protects', write('SRC/new.js'), { protectedPaths: ['src/n*'] }, 'the operator protects it'],
  ])('F-F20: %s is refused', (_what, change, patch, reason) => {
    expect(decide([change], patch)).toEqual({
      kind: 'refused',
      code: 'CHANGE_REFUSED',
      refusals: [{ path: change.path, reason }],
    });
  });

  it('F-F20: counts in the limits of files and bytes', () => {
    const two = [write('src/run.js'), write('src/new.js', 'x'.repeat(50))];
    expect(decide(two).kind).toBe('apply');
    expect(decide(two, { maxFiles: 1 })).toMatchObject({ code: 'CHANGE_TOO_LARGE' });
    expect(decide(two, { maxBytes: 50 })).toMatchObject({ code: 'CHANGE_TOO_LARGE' });
  });
});
