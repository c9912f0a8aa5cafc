const LOCK_FILES: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'composer.lock',
  'Gemfile.lock',
  'gems.locked',
  'poetry.lock',
  'pdm.lock',
  'uv.lock',
  'Pipfile.lock',
  'pixi.lock',
  'Cargo.lock',
  'go.sum',
  'go.work.sum',
  'mix.lock',
  'rebar.lock',
  'pubspec.lock',
  'Podfile.lock',
  'Cartfile.resolved',
  'Package.resolved',
  'packages.lock.json',
  'paket.lock',
  'gradle.lockfile',
  'buildscript-gradle.lockfile',
  'flake.lock',
  'conan.lock',
  'Chart.lock',
  '.terraform.lock.hcl',
  'MODULE.bazel.lock',
]);

const GENERATED =
  /(?:\.pb\.(?:go|cc|h|swift|dart)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts)|\.pb\.gw\.go|_generated\.(?:go|ts|rs|h)|\.generated\.(?:ts|js|cs|go)|\.g\.(?:cs|dart)|\.freezed\.dart|\.designer\.cs|\.(?:js|css)\.map|zz_generated\.[^/]{1,255}\.go)$/i;

const MINIFIED = /[.-]min\.(?:js|mjs|cjs|css)$/i;

const VENDORED = /(?:^|\/)(?:node_modules|bower_components|vendor|third[_-]party|\.yarn\/(?:releases|plugins)|Pods)\//;

/** Classifies a file only by its name. The author of the change chooses the name, so each caller states why that is acceptable. */
export const classifyName = (path: string): 'lock' | 'generated' | 'minified' | 'vendored' | null => {
  if (LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1))) return 'lock';
  if (VENDORED.test(path)) return 'vendored';
  if (MINIFIED.test(path)) return 'minified';
  return GENERATED.test(path) ? 'generated' : null;
};

const FOLDED_LOCK_FILES: ReadonlySet<string> = new Set([...LOCK_FILES].map((name) => name.toLowerCase()));

/** Case is ignored and the name is normalised, because some file systems do that. */
export const isLockName = (path: string): boolean =>
  FOLDED_LOCK_FILES.has(
    path
      .slice(path.lastIndexOf('/') + 1)
      .normalize('NFKC')
      .toLowerCase(),
  );
