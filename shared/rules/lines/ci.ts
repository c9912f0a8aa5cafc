import type { TextRule } from '../model/rule.ts';
import { ciScriptLines } from './ci-scripts.ts';
import { UNPROTECTED } from './line-matches.ts';

/** Fields of an event that anyone who opens an issue or a change request chooses. */
const CHOSEN_BY_STRANGERS =
  /\$\{\{[^}]{0,200}\bgithub\.(?:head_ref\b|event\.(?:(?:issue|pull_request|discussion|comment|review|review_comment|head_commit|workflow_run)\.)(?:title|body|message|head\.(?:ref|label)|head_branch|head_commit\.message|author\.(?:name|email)|display_title|pull_requests)\b)/;

/** The value is an argument of an expression that yields true or false, or a value of JavaScript. */
const ONLY_COMPARED =
  /\$\{\{\s*!?\s*(?:contains|startsWith|endsWith)\s*\(|\$\{\{[^}]*(?:==|!=)|\b(?:const|let|var)\s+\w+\s*=\s*\$\{\{\s*toJSON\(/i;

const DOWNLOAD_TO_SHELL = /\b(?:curl|wget)\s[^|;&]{0,500}\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:ba|z|da)?sh\b/;

/** The log shows the value as text; forges mask the exact value only. */
const PRINTS_SECRET =
  /^(?:echo|printf)\s[^|><;&]*(?:\$\{\{\s*secrets\.\w+\s*\}\}|\$\{?CI_(?:JOB_TOKEN|REGISTRY_PASSWORD|DEPLOY_PASSWORD)\b)[^|><;&]*$/;

const inScript =
  (test: (text: string) => boolean): TextRule['scan'] =>
  (lines) =>
    ciScriptLines(lines)
      .filter(({ text }) => test(text))
      .map(({ number }) => [number, number]);

const workflow = (steps: string): string =>
  `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
const PATH = '.github/workflows/build.yml';

export const CI_RULES: readonly TextRule[] = [
  {
    id: 'ci-script-injection',
    language: 'CI definition',
    severity: 'P1',
    blocking: true,
    title: 'Text of a stranger becomes part of a script',
    explanation:
      'Anyone who opens an issue or a change request can run commands in this job: the expression is inserted before the shell reads the script. Put the value into `env` and use the variable in quotes.',
    scan: inScript((text) => CHOSEN_BY_STRANGERS.test(text) && !ONLY_COMPARED.test(text)),
    examples: [
      {
        path: PATH,
        code: workflow(
          '      - run: echo "${{ github.event.issue.title }}"\n      - name: branch\n        run: |\n          set -e\n          git switch ${{ github.head_ref }}\n',
        ),
        lines: [6, 10],
      },
      {
        path: PATH,
        code: workflow(
          '      - run: echo "$TITLE"\n        env:\n          TITLE: ${{ github.event.issue.title }}\n      - run: echo ${{ github.event.pull_request.number }} ${{ github.sha }}\n      - if: contains(github.event.issue.title, "a")\n        run: echo ${{ contains(github.event.issue.title, \'a\') }}\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'ci-secret-printed',
    language: 'CI definition',
    severity: 'P2',
    blocking: true,
    title: 'Secret is printed to the log',
    explanation:
      'The forge masks only the exact value, and everyone who can read the log can read the rest. Pass the secret to the program that needs it, through `env` or standard input.',
    scan: inScript((text) => PRINTS_SECRET.test(text)),
    examples: [
      { path: PATH, code: workflow('      - run: echo ${{ secrets.DEPLOY_KEY }}\n'), lines: [6] },
      { path: '.gitlab-ci.yml', code: 'build:\n  script:\n  - make\n  - echo "token $CI_JOB_TOKEN"\n', lines: [4] },
      {
        path: PATH,
        code: workflow(
          '      - run: echo "${{ secrets.PASSWORD }}" | docker login -u bot --password-stdin\n      - run: echo "${{ secrets.KEY }}" > key.pem\n      - run: echo "the secret is set"\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'ci-download-to-shell',
    language: 'CI definition',
    severity: 'P2',
    blocking: false,
    title: 'Download over an unprotected connection is run',
    explanation:
      'Anyone on the network path can run code in this job and read its secrets. Download with HTTPS and check the certificate.',
    scan: inScript((text) => DOWNLOAD_TO_SHELL.test(text) && UNPROTECTED.test(text)),
    examples: [
      {
        path: PATH,
        code: workflow('      - run: |\n          curl -fsSL http://example.org/install | sudo bash\n'),
        lines: [7],
      },
      {
        path: PATH,
        code: workflow(
          '      - run: curl -fsSL http://example.org/list | sort\n      - run: curl https://sh.rustup.rs -sSf | sh -s -- -y\n      - run: curl http://localhost:8000/a | sh\n',
        ),
        lines: [],
      },
    ],
  },
];
