/** Requests of `curl` and `wget` for which the certificate of the server does not matter. */
import type { GrepNode } from '../../model/rule.ts';

/** The name of a host may go on, as in `localhost.example.org`, and text before `@` is the name of a user. */
export const END_OF_HOST = '(:[\\w${}]+)?([^\\w.@:$-]|$)';

/** A host on this machine or in a private network. */
export const OWN_NETWORK =
  `--(?:abstract-)?unix-socket\\b|https?://localhost${END_OF_HOST}|` +
  'https?://(?:127\\.|10\\.|192\\.168\\.|\\[::1\\]|[a-z0-9_-]+(?:[:/"\\s]|$)|[\\w.-]+\\.(?:local|internal|lan|svc)\\b|\\$\\{?\\w*(?i:localhost|hostname|_?ip)\\b)';

/** What a request sends of its own is a secret, or the request changes something. */
const SENDS_SECRET =
  '(?i:authorization|\\bcookie|token|api-?key|passw|secret)|\\s(-u|--user|-b|-d|--data\\S*|-F|--form|-T|--upload-file|--post-(data|file)\\S*)\\b|\\s(-X|--request)[ =]?["\']?(POST|PUT|PATCH|DELETE)\\b';

/** A request whose answer is not used, such as one that waits until a service has started. */
export const ONLY_ASKED: GrepNode = {
  all: [
    {
      regex:
        '\\s(-[a-zA-Z]*o\\s*/dev/null|-O\\s*/dev/null|-I|--head|--spider|-w)\\b|http_code|\\s-[a-zA-Z]*I[a-zA-Z]*\\s',
    },
    { not: { regex: SENDS_SECRET } },
  ],
};

const INTO_NOTHING: GrepNode = {
  kind: 'redirected_statement',
  has: { kind: 'file_redirect', regex: '^[1&]?>[>&|]?\\s*/dev/null' },
};
const UNDER_CONDITION: GrepNode = {
  inside: { any: [{ kind: 'if_statement' }, { kind: 'while_statement' }], field: 'condition' },
};

/** Only whether a server answers is of interest: the program goes on with its exit status, and keeps nothing that it sent. */
export const PROBE: GrepNode = {
  all: [
    { not: { regex: SENDS_SECRET } },
    { not: { regex: '\\s(-[a-zA-Z]*[oO]|--output\\S*|--remote-name\\S*)\\s+[^-\\s]' } },
    {
      any: [
        { inside: INTO_NOTHING },
        UNDER_CONDITION,
        { inside: { kind: 'negated_command', ...UNDER_CONDITION } },
        { inside: { kind: 'list', regex: '\\|\\|\\s*(true|:)$' } },
      ],
    },
  ],
};

/** What the server answers is only searched for a word. */
export const ONLY_SEARCHED: GrepNode = {
  all: [
    { not: { regex: SENDS_SECRET } },
    { inside: { kind: 'pipeline', regex: '\\|\\s*e?grep\\s+(-\\S+\\s+)*(-[a-zA-Z]*q|--quiet)[^|]*$' } },
  ],
};

/** Without TLS there is no certificate to verify. */
export const PLAIN_ADDRESS: GrepNode = {
  all: [{ has: { regex: '^["\']?http://' } }, { not: { regex: '(?i)https:|\\s(--\\w*proxy|-x|-e|--referer)\\b' } }],
};
