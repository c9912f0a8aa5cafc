import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChangedFile,
  type ChangeRequestFile,
  type ChangeRules,
  decideChange,
} from '../../../services/author/decide-change.ts';
import { whyPathIsProtected } from '../../../services/author/protected-paths.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

const rules = (patch: Partial<ChangeRules> = {}): ChangeRules => ({
  protectedPaths: [],
  lockFiles: false,
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

const write = (path: string, content = 'x'): ChangedFile => ({ kind: 'write', path, content: Buffer.from(content) });

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
    const decision = decideChange([write('a')], { files: new Map([['a', file(patch)]]), rules: rules() });
    expect(decision).toMatchObject({ kind: 'refused', refusals: [{ path: 'a', reason: 'it is no regular file' }] });
  });

  it('F-T16: of binary content is refused', () => {
    const changes = [write('a', 'x\0y')];
    expect(decideChange(changes, { files: new Map([['a', file()]]), rules: rules() })).toMatchObject({
      kind: 'refused',
      refusals: [{ path: 'a', reason: 'its content is binary' }],
    });
  });

  it('that names a file twice is refused', () => {
    const changes: readonly ChangedFile[] = [write('a'), { kind: 'delete', path: 'a' }];
    expect(decideChange(changes, { files: new Map([['a', file()]]), rules: rules() })).toMatchObject({
      kind: 'refused',
    });
  });

  it.each<[string, readonly ChangedFile[], string]>([
    ['as large as it may be', [write('a', 'x'.repeat(100))], 'apply'],
    ['one byte larger', [write('a', 'x'.repeat(101))], 'refused'],
    ['of as many files as may be', ['a', 'b', 'c', 'd', 'e'].map((path) => write(path)), 'apply'],
    ['of one file more', ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => write(path)), 'refused'],
  ])('%s is decided: %s', (_what, changes, kind) => {
    const files = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((path) => [path, file()]));
    expect(decideChange(changes, { files, rules: rules() }).kind).toBe(kind);
  });

  it('that is applied touches regular, unprotected files of the change request alone, with their modes, and all of it', () => {
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
        const decision = decideChange(changes, { files, rules: rules() });
        if (decision.kind !== 'apply') return;
        expect(decision.edits.map(({ path }) => path)).toEqual(changes.map(({ path }) => path));
        for (const { path, mode, content } of decision.edits) {
          expect(whyPathIsProtected(path, rules())).toBeNull();
          expect(files.get(path)).toMatchObject({ kind: 'file', mode });
          expect(content === null || !content.includes(0)).toBe(true);
        }
      }),
      { seed: 11, numRuns: DEEP ? 20_000 : 500 },
    );
  });
});
