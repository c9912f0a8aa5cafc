/**
 * Every product folder, lowest layer first, with a sentence about its content. A folder may import only folders listed
 * before it, types included. `NEVER` forbids more imports.
 */
import { dirname } from 'node:path';
import { importsOf, production, type SourceFile } from './source.ts';

export const MAX_FILES = 25;

export const LAYERS: readonly (readonly [folder: string, what: string])[] = [
  ['shared/tracing', 'spans of traces, without a library; imports nothing'],
  ['shared/metrics', 'metrics by theme'],
  ['shared', 'errors, logging, metrics, timeouts: what every folder may use'],
  ['shared/error-codes', 'what each error code means and what helps'],
  ['shared/vocabulary', 'schemas and types of the glossary: ids, findings, coverage, what was spent'],
  ['shared/network', 'how this machine reaches other servers: proxies and certificates'],
  ['shared/text', 'text of strangers: sanitizer, redaction, fences, cuts'],
  ['shared/diff', 'the model of a diff and what is computed from it'],
  ['shared/diff/paths', 'globs, attributes and names of files'],
  ['shared/diff/parse', "git's patch format"],
  ['shared/diff/annotate', 'a diff as a model reads it'],
  ['shared/diff/position', 'lines and positions: where a claim is, where it is now, what was touched'],
  ['shared/forge', 'the port of a forge, and HTTP that all adapters use'],
  ['shared/owners', 'what CODEOWNERS says, and who is mentioned when a person must decide'],
  ['shared/rounds/model', 'state, events, facts and documents of a review'],
  ['shared/webhooks', 'verification and parsing of deliveries'],
  ['shared/forge/admin', 'webhooks and members as an administrator manages them: the port, and sending a request'],
  ['shared/forge/dialect', 'what each kind of forge has to define: its facts, and its functions'],
  ['shared/forge/forgejo/api', "Forgejo's API: schemas, paths, what the installation can do"],
  ['shared/forge/forgejo/webhooks', 'deliveries of Forgejo and Gitea'],
  ['shared/forge/forgejo', 'the kind Forgejo, whose adapter serves Gitea too'],
  ['shared/forge/gitea', 'the kind Gitea: in what it differs from Forgejo'],
  ['shared/forge/gitlab/api', "GitLab's API: requests, schemas, what the installation can do"],
  ['shared/forge/gitlab/project', 'accounts, branches, projects and rights on GitLab'],
  ['shared/forge/gitlab/status', 'pipelines and commit statuses on GitLab'],
  ['shared/forge/gitlab/webhooks', 'deliveries of GitLab'],
  ['shared/forge/gitlab', 'the kind GitLab'],
  ['shared/forge/kinds', 'the table of the kinds of forges, and what is the same for all kinds'],
  ['shared/config/text', 'settings as text: spelling, places in the file, similar names'],
  ['shared/config/projects', 'which projects a pattern matches, and settings that differ per project'],
  ['shared/config', 'settings and secrets'],
  [
    'shared/config/loaded',
    'what other folders derive from loaded settings: ports, secrets to redact, the effective settings of a project',
  ],
  ['shared/config/repository', "what a project's own settings file may say"],
  ['shared/notify', 'what the operator is told of, in the formats of the receivers'],
  ['shared/protocol/yaml', 'YAML with lines in its errors'],
  ['shared/protocol', 'messages between an author and a reviewer'],
  ['shared/rounds/model/posting', 'what the poster is to write'],
  ['shared/rounds/memory', "the bot's markers and comments: written, read back, merged into a history"],
  ['shared/rounds/duplicates', 'whether two findings say the same'],
  ['shared/eval', 'how good reviews are: cases, judges, scores'],
  ['shared/rounds/commands', 'what people write to the bot'],
  ['shared/rounds/gate', 'from a draft to what may be posted, and the verdict'],
  ['shared/rounds/bound', 'the numbers behind `fixpoint bound`'],
  ['shared/rounds/decide', "guard's decisions: events and facts in, effects out"],
  ['shared/rounds/plan/wording', 'sentences that plans post'],
  ['shared/rounds/plan/answers', 'answers to commands'],
  ['shared/rounds/plan', 'what the poster has to make true'],
  ['shared/protocol/round', 'a round as messages'],
  ['shared/analyzers/report', "reports of the operator's analyzers, parsed"],
  ['shared/analyzers/ci', 'reports that CI jobs upload: whether to wait for one, and how it is stored'],
  ['shared/rules/model', 'what a rule is, and its languages'],
  ['shared/rules/inserted', 'values that are inserted into strings, and whether somebody else may choose them'],
  ['shared/rules/patterns', 'regular expressions in the code under review, and how long they take'],
  ['shared/rules/secrets', 'the secret scan'],
  ['shared/rules/lines', 'rules that look at lines: CI, Dockerfile, Terraform, SQL, templates of components'],
  ['shared/rules/structural/compiled', 'rules for C#, Rust, Kotlin, C and C++'],
  ['shared/rules/structural/php', 'rules for PHP'],
  ['shared/rules/structural/shell', 'rules for shell scripts'],
  ['shared/rules/structural/javascript', 'rules for JavaScript: shell commands and prototype pollution'],
  ['shared/rules/structural', 'rules for ast-grep, as data'],
  ['shared/rules', 'running the built-in rules'],
  ['shared/rules/own', 'rules that a project or an organisation wrote: their format, their examples, what they find'],
  ['shared/agent/model', 'the port of a model, its errors, retries, prices and budgets'],
  ['shared/agent/models/anthropic', 'the Messages API'],
  ['shared/agent/models/openai', 'OpenAI-compatible chat completions'],
  ['shared/agent/models', 'one row per provider of models'],
  ['shared/agent/submission', 'what a model hands in, parsed'],
  ['shared/agent', 'the conversation with a model'],
  ['shared/agent/prompt', 'prompts'],
  ['shared/store/server', 'how Redis is reached, and whether it may lose jobs'],
  ['shared/store/spending', 'the record of what model calls cost'],
  ['shared/store', 'what is kept in Redis'],
  ['shared/store/sweep', 'what the sweep keeps in Redis'],
  ['shared/store/learning', 'what is counted about the use of reviews'],
  ['shared/store/board', "what the operator's page shows and changes"],
  ['shared/mailbox', 'messages as files'],
  ['shared/workspace/process', 'starting programs'],
  ['shared/workspace/cage', 'the sandbox'],
  ['shared/workspace/git', 'git as a library: objects, trees, diffs'],
  ['shared/workspace/mirror', 'mirrors of repositories'],
  ['shared/workspace/local', "the user's own repository"],
  ['shared/workspace/tree', 'checkouts: reading, searching, listing'],
  ['shared/workspace/bash', 'commands that a model may run'],
  ['shared/agent/tools', "a model's tools"],
  ['shared/outage', 'what an outage is, and which ones last'],
  ['shared/queue', 'queues: contracts, adding jobs, the inbox, errors in the terms of the queue'],
  ['shared/runtime/mirrors', 'the mirrors of a process: access, limits on the disk'],
  ['shared/runtime', 'the process around a service: connections, health, shutdown'],
  ['shared/overview', "what work is in progress and why it waits, for the command line and the operator's page"],
  ['shared/claude-code', 'the Claude Code CLI'],
  ['shared/validation', "the operator's validation commands"],
  ['shared/analyzers', "the operator's analyzers"],
  [
    'shared/rule-sources',
    'where own rules and guidelines are read from: the target branch, and repositories of the operator',
  ],
  ['services/author/change', "an author's change: what it may touch, as files and trees"],
  ['services/author/agents/claude-code', 'an author that is the Claude Code CLI'],
  ['services/author/agents', 'the kinds of authors'],
  ['services/author', 'fixes findings and pushes'],
  ['services/explorer', "answers a reviewer's questions about the code"],
  ['services/guard/sweep', 'looks for lost events and wrong statuses'],
  ['services/guard/learning', 'counts what people make of findings'],
  ['services/guard/board', "what the operator's page shows of guard's work"],
  ['services/guard/numbers', 'metrics of verdicts, queues, budgets and hand-offs'],
  ['services/guard/reports', 'reports of CI jobs: waits for them and stores them'],
  ['services/guard/stops', 'reasons for which guard decides nothing, such as a pause'],
  ['services/guard', 'decides about a change request'],
  ['services/console/access', "who may see the operator's page, and who may act"],
  ['services/console/bull-board', 'bull-board, as an optional part of the page'],
  ['services/console/read', "what the operator's page shows, read from Redis"],
  ['services/console/pages', "the operator's page as HTML"],
  ['services/console/routes', "the addresses of the operator's page"],
  ['services/console', "the operator's page"],
  ['services/ingress', 'takes deliveries'],
  ['services/poster/notify', "tells the operator's receivers"],
  ['services/poster/calls', 'who is mentioned when a person must decide'],
  ['services/poster', 'the only service that writes to a forge'],
  ['services/reviewer/packet', 'what a reviewer is given'],
  ['services/reviewer/parts', 'a large change in parts: the plan, its price, what fits'],
  ['services/reviewer/check', "checks a draft's claims against the code"],
  ['services/reviewer/rules', 'rules, guidelines and settings of the repository under review'],
  ['services/reviewer/run', 'one review by a model'],
  ['services/reviewer/runners/claude-code', 'a reviewer that is the Claude Code CLI'],
  ['services/reviewer/runners', 'the kinds of reviewers'],
  ['services/reviewer', 'reviews a change'],
  ['services/cli/terminal', 'arguments, output and exit codes'],
  ['services/cli/shell', 'the command line as shells and the manual show it'],
  ['services/cli/progress', 'what a review is doing, on a terminal or in a pipe'],
  ['services/cli/variables', 'the environment file beside the configuration'],
  ['services/cli/redis', "the command line's own Redis"],
  ['services/cli/address', 'which change request of which forge is meant, and with which token'],
  ['services/cli/health', 'whether a service on this machine is ready'],
  ['services/cli/doctor', '`fixpoint doctor`'],
  ['services/cli/setup/plan', 'what a setup has to change, from what was read: computes only'],
  ['services/cli/setup/delivery', 'a test delivery and its arrival'],
  ['services/cli/setup', '`fixpoint setup`'],
  ['services/cli/analyzers', "the operator's analyzers in a local review"],
  ['services/cli/review', '`fixpoint review`'],
  ['services/cli/report', 'a review in the formats of terminals and other tools'],
  ['services/cli/remote', '`fixpoint review` of a change request: its forge, and its result'],
  ['services/cli/replay', '`fixpoint replay`'],
  ['services/cli/cost', '`fixpoint cost`'],
  ['services/cli/ci', '`fixpoint ci`: the job, what it may do, and its reports'],
  ['services/cli/config', '`fixpoint config`'],
  ['services/cli/rules', '`fixpoint rules`'],
  ['services/cli/messages', '`fixpoint messages`'],
  ['services/slots/settings', 'settings of the local loop'],
  ['services/slots/agent', 'running an agent of the local loop'],
  ['services/slots/task', 'tasks of the local loop'],
  ['services/slots/worktree', 'work trees of the local loop'],
  ['services/slots', 'the local loop: several agents at once'],
  ['services/slots/views', 'the local loop on a terminal'],
  ['services/cli/jobs', '`fixpoint jobs`'],
  ['services/cli/eval/sets', 'evaluation sets in their own formats'],
  ['services/cli/eval/build', 'from an evaluation case to a repository with its change'],
  ['services/cli/eval/rounds', 'the reviews of all pushes of an evaluation case, without a server'],
  ['services/cli/eval', '`fixpoint eval`'],
  ['services/cli/loop', '`fixpoint loop`'],
  ['services/cli/up', '`fixpoint up`: starting services, starting them again, and showing their logs'],
  ['services/cli', 'all other commands'],
];

/** Forbidden imports beyond the order. A folder stands for its subfolders too. */
const NEVER: readonly (readonly [from: string, to: string])[] = [
  ['shared/rounds/memory', 'shared/rounds/duplicates'],
  ['shared/rounds/commands', 'shared/rounds/duplicates'],
  ['shared/rounds/commands', 'shared/rounds/gate'],
  ['shared/rounds/decide', 'shared/rounds/plan'],
];

const isIn = (folder: string, of: string): boolean => folder === of || folder.startsWith(`${of}/`);

const levelOf = (folder: string): number => LAYERS.findIndex(([known]) => known === folder);

/** Imports that break the order, one line each. */
export const wrongImports = (files: readonly SourceFile[] = production): readonly string[] =>
  files.flatMap((file) => {
    const from = dirname(file.path);
    return importsOf(file)
      .filter((name) => /^(?:services|shared)\//.test(name))
      .map((name) => ({ name, to: dirname(name) }))
      .filter(({ to }) => to !== from)
      .filter(
        ({ to }) =>
          levelOf(to) < 0 ||
          levelOf(to) > levelOf(from) ||
          NEVER.some(([one, other]) => isIn(from, one) && isIn(to, other)),
      )
      .map(({ name }) => `${file.path} imports ${name}`);
  });

export const filesPerFolder = (files: readonly SourceFile[] = production): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
};

export const importCycles = (files: readonly SourceFile[] = production): readonly (readonly string[])[] => {
  const known = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const walk = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path]);
    if (done.has(path)) return;
    done.add(path);
    for (const next of known.get(path) ?? []) if (known.has(next)) walk(next, [...way, path]);
  };
  for (const path of known.keys()) walk(path, []);
  return cycles;
};
