/** The two simulators, each with the words in which it answers. */
import { argument, either, fields } from './answers.ts';
import type { Simulator } from './ways.ts';

const ASIDE = /\/(?:program-[a-z-]+|pages?|page-[a-z-]+|start|faults|represent[a-z-]*)\.ts$/;

export const FORGEJO: Simulator = {
  folder: 'test/sim/forgejo',
  vocabulary: {
    refusal: 'SimHttpError',
    words: ['test/sim/forgejo/reply.ts', 'test/sim/forgejo/paging.ts'],
    told: [],
    writes: { log: argument(2), record: fields(1, ['kind']), sendMail: argument(2) },
    fires: {
      fireHooks: argument(2),
      firePull: fields(2, ['event', 'action']),
      fireComment: fields(3, ['action'], 'pull_request_comment'),
    },
  },
  entry: { file: 'test/sim/forgejo/server.ts', name: 'answer' },
  routes: { file: 'test/sim/forgejo/router.ts', name: 'routesFor' },
  git: { file: 'test/sim/forgejo/git-http.ts', name: 'serveGit' },
  aside: ASIDE,
  readers: ['shared/forge/forgejo/webhooks/parse-forgejo.ts', 'shared/forge/forgejo/webhooks/verify-forgejo.ts'],
};

const GITLAB_READERS = [
  'discussion',
  'merge-request',
  'pipeline',
  'project',
  'reviewers',
  'parse-gitlab',
  'verify-gitlab',
];

export const GITLAB: Simulator = {
  folder: 'test/sim/gitlab',
  vocabulary: {
    refusal: 'GitlabRefusal',
    words: ['test/sim/forgejo/reply.ts', 'test/sim/gitlab/errors.ts', 'test/sim/gitlab/paging.ts'],
    told: ['replyWritten'],
    writes: { logOn: fields(3, ['kind']), record: fields(1, ['kind']), sendMail: fields(2, ['kind']) },
    fires: {
      fireHooks: fields(2, ['name']),
      fireSystemHooks: fields(1, ['event'], 'System Hook'),
      fireMergeRequest: fields(2, ['action'], 'Merge Request Hook'),
      fireNote: either(argument(3, 'Note Hook '), argument(3, 'Confidential Note Hook ')),
      fireEmoji: argument(3, 'Emoji Hook '),
    },
  },
  entry: { file: 'test/sim/gitlab/server.ts', name: 'answer' },
  routes: { file: 'test/sim/gitlab/router.ts', name: 'routesFor' },
  git: { file: 'test/sim/gitlab/git-http.ts', name: 'serveGit' },
  aside: ASIDE,
  readers: GITLAB_READERS.map((name) => `shared/forge/gitlab/webhooks/${name}.ts`),
};
