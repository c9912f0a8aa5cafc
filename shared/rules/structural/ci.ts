import type { GrepNode, StructuralRule } from '../model/rule.ts';

const YAML = ['Yaml'] as const;

const pair = (key: string, value: string): GrepNode => ({
  kind: 'block_mapping_pair',
  all: [{ has: { field: 'key', regex: `^["']?(${key})["']?$` } }, { has: { field: 'value', regex: value } }],
});

const steps = (lines: string): string => `jobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${lines}`;

/** Rules for workflows of GitHub, Forgejo and Gitea; only CI definitions are parsed as YAML. */
export const CI_STRUCTURE_RULES: readonly StructuralRule[] = [
  {
    id: 'ci-untrusted-checkout',
    languages: YAML,
    severity: 'P1',
    blocking: true,
    title: 'Code of a stranger is checked out beside secrets',
    explanation:
      '`pull_request_target` runs with the secrets and the write token of this repository, also for forks. A script, a hook or a build file of the checked-out head can read them. Use `pull_request`, or check out the base.',
    rule: {
      all: [
        pair('ref', 'github\\.event\\.pull_request\\.head\\.(sha|ref)|github\\.head_ref|refs/pull/'),
        {
          inside: {
            stopBy: 'end',
            kind: 'block_mapping',
            has: {
              kind: 'block_mapping_pair',
              all: [{ has: { field: 'key', regex: '^["\']?on["\']?$' } }, { regex: '\\bpull_request_target\\b' }],
            },
          },
        },
        {
          inside: {
            stopBy: 'end',
            kind: 'block_sequence_item',
            regex: '\\buses:\\s*["\']?actions/checkout@',
          },
        },
      ],
    },
    examples: [
      {
        code: `on: pull_request_target\n${steps('      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n')}`,
        lines: [8],
      },
      {
        code: `on:\n  pull_request_target:\n    types: [opened]\n${steps('      - uses: actions/checkout@v4\n')}`,
        lines: [],
      },
      {
        code: `on: pull_request\n${steps('      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n')}`,
        lines: [],
      },
    ],
  },
  {
    id: 'ci-write-all',
    languages: YAML,
    severity: 'P2',
    blocking: true,
    title: 'Token of the job may write everything',
    explanation:
      'Every step, and every action that a step uses, can push code and publish releases. List only the permissions that the job needs.',
    rule: pair('permissions', '^["\']?write-all["\']?$'),
    examples: [
      { code: 'on: push\npermissions: write-all\n', lines: [2] },
      { code: 'on: push\npermissions:\n  contents: read\n', lines: [] },
    ],
  },
  {
    id: 'ci-action-on-branch',
    languages: YAML,
    severity: 'P2',
    blocking: false,
    title: 'Action of a third party follows a branch',
    explanation:
      'Anyone who can push to the branch can run code in this job and read its secrets. Name a commit, or at least a tag.',
    rule: {
      all: [
        pair('uses', '^["\']?[\\w.-]+/[\\w./-]+@(main|master|HEAD)["\']?$'),
        { not: { regex: '^uses:\\s*["\']?((actions|github|dtolnay|google/oss-fuzz)/|.*/\\.github/workflows/)' } },
      ],
    },
    examples: [
      { code: `on: push\n${steps('      - uses: someone/deploy@master\n')}`, lines: [6] },
      {
        code: `on: push\n${steps('      - uses: actions/checkout@main\n      - uses: someone/deploy@v2\n      - uses: ./local\n')}`,
        lines: [],
      },
    ],
  },
  {
    id: 'ci-tls-not-verified',
    languages: YAML,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and change what the job downloads. Add a private certificate authority instead.',
    rule: {
      any: [
        pair('GIT_SSL_NO_VERIFY', '^["\']?(1|true)["\']?$'),
        pair('NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY', '^["\']?0["\']?$'),
      ],
    },
    examples: [
      { code: 'variables:\n  GIT_SSL_NO_VERIFY: "true"\n', lines: [2] },
      { code: 'variables:\n  GIT_SSL_NO_VERIFY: "false"\n', lines: [] },
    ],
  },
  {
    id: 'ci-unsecure-commands',
    languages: YAML,
    severity: 'P1',
    blocking: true,
    title: 'Output of a step can change later steps',
    explanation:
      'With this setting, any text that a step prints can set environment variables and the path, so that an issue title can run code. Write to `$GITHUB_ENV` instead.',
    rule: pair('ACTIONS_ALLOW_UNSECURE_COMMANDS', '^["\']?true["\']?$'),
    examples: [
      { code: 'env:\n  ACTIONS_ALLOW_UNSECURE_COMMANDS: true\n', lines: [2] },
      { code: 'env:\n  ACTIONS_STEP_DEBUG: true\n', lines: [] },
    ],
  },
];
