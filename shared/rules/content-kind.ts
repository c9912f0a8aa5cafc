/** Classifies content for reviews without a model. If content may contain code, it counts as code. */
import { extensionOf, hasMediaName } from '../diff/binary-names.ts';
import { isSteeringFile } from '../diff/paths/steering-files.ts';
import { classifyName } from '../diff/paths/well-known-files.ts';
import { ruleLanguageOf } from './model/language.ts';
import { unknownLanguageOf } from './unknown-languages.ts';

export type ContentKind =
  | { readonly kind: 'rules'; readonly language: string }
  | { readonly kind: 'no_code'; readonly language: 'prose' | 'data' | 'image' | 'lock file' }
  | { readonly kind: 'unknown'; readonly language: string };

const PROSE_EXTENSIONS: ReadonlySet<string> = new Set('md markdown rst txt text adoc asciidoc org rtf'.split(' '));
const PROSE_NAMES =
  /^(?:readme|changelog|changes|history|news|license|licence|copying|notice|authors|contributors|contributing|maintainers|security|code_of_conduct|support|todo|version|install|thanks|credits)$/i;
const DATA_EXTENSIONS: ReadonlySet<string> = new Set(
  'json jsonl ndjson geojson json5 jsonc csv tsv toml yaml yml po pot'.split(' '),
);
const DATA_NAMES: ReadonlySet<string> = new Set(['.gitignore', '.gitkeep', '.keep', '.editorconfig', '.mailmap']);

/** Names of files that control what is installed, built, run or deployed, whatever their extension. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker|container)file(?:\.|$)|\.(?:docker|container)file$|^\.(?:docker|container)ignore$/i, 'Dockerfile'],
  [/^(?:docker-|podman-)?compose(?:[.-][\w.-]*)?\.ya?ml$/i, 'container definition'],
  [/^(?:gnu)?makefile(?:\.|$)|^justfile$|^taskfile(?:\.dist)?\.ya?ml$/i, 'Make'],
  [/^cmakelists\.txt$|^cmake\w*presets\.json$/i, 'CMake'],
  [/^(?:meson\.build|meson_options\.txt|meson\.options|sconstruct|sconscript|wscript)$/i, 'build file'],
  [/^(?:build|workspace|module)(?:\.bazel)?$|^\.bazelrc$|^tiltfile$/i, 'Starlark'],
  [/^jenkinsfile/i, 'CI definition'],
  [/^(?:package|bower|deno|jsr|composer|lerna|nx|turbo|rush|angular)\.jsonc?$/i, 'package manifest'],
  [/^(?:tsconfig|jsconfig)[\w.-]*\.json$|^babel\.config\.json$|^\.babelrc(?:\.json)?$|^\.swcrc$/i, 'build file'],
  [/^\.(?:eslintrc|prettierrc|stylelintrc|mocharc|nycrc|lintstagedrc|huskyrc|releaserc)(?:\.\w+)?$/i, 'tool settings'],
  [/^(?:pyproject|cargo|rust-toolchain|netlify|fly|wrangler|pixi|pdm|poetry|uv|\.?mise)\.toml$/i, 'package manifest'],
  [/^pipfile$|^(?:[\w-]*-)?(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/i, 'package manifest'],
  [
    /^(?:pubspec|shard|stack|snapcraft|environment|galaxy|package|pnpm-workspace|\.yarnrc)\.ya?ml$/i,
    'package manifest',
  ],
  [/^(?:go\.(?:mod|work)|podfile|cartfile|brewfile|procfile|vcpkg\.json|conanfile\.txt)$/i, 'package manifest'],
  [
    /^\.(?:npmrc|yarnrc|pypirc|gemrc|tool-versions|nvmrc|node-version|python-version|ruby-version|envrc)$/i,
    'tool settings',
  ],
  [/^\.env(?:\.|$)/i, 'Configuration'],
  [/^(?:chart|values[\w.-]*|kustomization|skaffold|helmfile)\.ya?ml$/i, 'infrastructure'],
  [
    /^(?:serverless|cloudformation|sam|appspec|render|vercel|firebase|amplify|pulumi[\w.-]*|[\w-]*playbook)\.(?:ya?ml|json)$/i,
    'infrastructure',
  ],
  [/^cdk\.json$|\.tf\.json$|\.tfvars\.json$|\.template(?:\.\w+)?$/i, 'infrastructure'],
  [/^(?:devcontainer|\.?mcp)\.json$/i, 'tool settings'],
  [/^(?:crontab|sudoers|\.htaccess|\.htpasswd)$/i, 'Configuration'],
  [/^(?:renovate|\.renovaterc|dependabot)(?:\.\w+)?$/i, 'CI definition'],
  [/(?:^|[._-])(?:ci|pipelines?|workflow|cloudbuild|buildspec)\.ya?ml$/i, 'CI definition'],
  [
    /^\.?(?:travis|appveyor|cirrus|codefresh|lefthook)\.ya?ml$|^\.pre-commit-(?:config|hooks)\.ya?ml$/i,
    'CI definition',
  ],
];

/** Folders whose YAML and JSON configure CI, containers or clusters. */
const ORDER_FOLDER =
  /(?:^|\/)(?:\.github|\.gitea|\.forgejo|\.gitlab|\.circleci|\.woodpecker|\.drone|\.buildkite|\.tekton|\.semaphore|\.azure[\w-]*|\.ci|ci|workflows|pipelines|k8s|kubernetes|kube|manifests|helm|charts?|deploy|deployments?|infra(?:structure)?|terraform|ansible|playbooks|roles|argocd|flux|docker|\.devcontainer|\.vscode|\.idea|\.husky|\.claude|\.cursor)\//i;

/** Matches typical lines of Kubernetes manifests, compose files, playbooks, CloudFormation templates and workflows. */
const ORDERS =
  /^(?:["']?(?:apiVersion|services|AWSTemplateFormatVersion|Resources|jobs|stages)["']?|-[ \t]{1,8}hosts|[ \t]{1,8}(?:before_|after_)?script)[ \t]{0,8}:/m;

const isYaml = (extension: string): boolean => extension === 'yml' || extension === 'yaml';

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//;

const unknown = (language: string): ContentKind => ({ kind: 'unknown', language });
const noCode = (language: (ContentKind & { kind: 'no_code' })['language']): ContentKind => ({
  kind: 'no_code',
  language,
});

/** `text` may be only the beginning of the file, which is searched for the name of an interpreter. */
export const contentKindOf = (path: string, text: string): ContentKind => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = extensionOf(path);
  const language = ruleLanguageOf(path, text);
  if (language !== null) return { kind: 'rules', language };
  const named = NAMED.find(([pattern]) => pattern.test(name));
  if (LFS_POINTER.test(text)) return noCode('data');
  if (classifyName(path) === 'lock') return noCode('lock file');
  if (named !== undefined) return unknown(named[1]);
  const byExtension = unknownLanguageOf(extension);
  if (byExtension !== null) return unknown(byExtension);
  return byLook({ path, name, extension, text });
};

type Look = { readonly path: string; readonly name: string; readonly extension: string; readonly text: string };

const byLook = ({ path, name, extension, text }: Look): ContentKind => {
  if (text.startsWith('#!')) return unknown(`script for ${interpreterOf(text)}`);
  if (isSteeringFile(path) && name !== '.gitignore' && name !== '.gitkeep') return unknown('instructions to tools');
  if (PROSE_EXTENSIONS.has(extension) || (extension === '' && PROSE_NAMES.test(name))) return noCode('prose');
  if (DATA_EXTENSIONS.has(extension))
    return givesOrders({ path, extension, text }) ? unknown('infrastructure') : noCode('data');
  if (DATA_NAMES.has(name)) return noCode('data');
  if (hasMediaName(path) && text === '') return noCode('image');
  return unknown(extension === '' ? name.slice(0, 40) : `.${extension.slice(0, 40)}`);
};

const givesOrders = ({ path, extension, text }: Omit<Look, 'name'>): boolean =>
  ORDER_FOLDER.test(path) || (isYaml(extension) && ORDERS.test(text.slice(0, 64 * 1024)));

const interpreterOf = (text: string): string =>
  /^#!\s*(?:\S*\/)?(?:env\s+)?(\S{1,40})/.exec(text)?.[1] ?? 'an interpreter';

/**
 * Whether the file's name belongs to a language or text format. Such a file counts as text even if it contains NUL
 * bytes.
 */
export const isKnownText = (path: string): boolean => {
  const kind = contentKindOf(path, '');
  if (kind.kind !== 'unknown') return kind.language !== 'image' && !isBinaryLock(path);
  const extension = extensionOf(path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return unknownLanguageOf(extension) !== null || NAMED.some(([pattern]) => pattern.test(name)) || isSteeringFile(path);
};

const isBinaryLock = (path: string): boolean => path.endsWith('.lockb');
