import type { StructuralRule } from '../model/rule.ts';
import { protectsSecret } from './weak-hash.ts';

const PYTHON = ['Python'] as const;

const SECRET_NAME = '(?i)(token|secret|password|nonce|otp|api_?key|session_?id|salt)$';

const PROTECTS_SECRET = protectsSecret(['expression_statement', 'return_statement'], ['function_definition']);

export const PYTHON_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'py-tls-not-verified',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Pass the path of a private certificate authority as `verify`, or load it into the context.',
    rule: {
      any: [
        {
          kind: 'keyword_argument',
          regex: '^verify\\s*=\\s*False$',
          inside: {
            kind: 'argument_list',
            inside: {
              kind: 'call',
              has: {
                field: 'function',
                regex: '(?i)^(requests|httpx|aiohttp|\\w*session|\\w*client|self\\.\\w*(session|client))\\.',
              },
            },
          },
        },
        { pattern: 'ssl._create_unverified_context($$$ARGS)' },
        // Inside an `if`, it probably depends on a setting.
        { pattern: '$CONTEXT.verify_mode = ssl.CERT_NONE', not: { inside: { kind: 'if_statement', stopBy: 'end' } } },
        { pattern: 'ssl._create_default_https_context = ssl._create_unverified_context' },
      ],
    },
    where: 'production',
    examples: [
      { code: 'requests.get(\n    url,\n    verify=False,\n)\n', lines: [3] },
      {
        code: 'context.verify_mode = ssl.CERT_NONE\nif insecure:\n    context.verify_mode = ssl.CERT_NONE\n',
        lines: [1],
      },
      {
        code: 'def get(url):\n    # The device has a self-signed certificate.\n    return requests.get(url, verify=False)\n',
        lines: [],
      },
      { code: 'requests.get("https://127.0.0.1:8443/health", verify=False)\n', lines: [] },
      { code: 'requests.get(url, verify="/etc/ca.pem")\nform.check(verify=False)\n', lines: [] },
    ],
  },
  {
    id: 'py-weak-hash',
    languages: PYTHON,
    severity: 'P2',
    blocking: false,
    title: 'MD5 or SHA-1 protects a secret',
    explanation:
      'Collisions are practical for MD5 and SHA-1, so neither protects passwords, tokens or signatures. Use SHA-256, HMAC or a password hash.',
    rule: {
      any: [{ pattern: 'hashlib.md5($$$ARGS)' }, { pattern: 'hashlib.sha1($$$ARGS)' }],
      all: [PROTECTS_SECRET],
      not: { regex: 'usedforsecurity' },
    },
    where: 'production',
    examples: [
      { code: 'digest = hashlib.md5(password.encode()).hexdigest()\n', lines: [1] },
      { code: 'def sign(text):\n    return hashlib.sha1(text).hexdigest()\n', lines: [2] },
      {
        code: 'token = hashlib.sha256(body)\nkey = hashlib.md5(url)\nsalt = hashlib.md5(url, usedforsecurity=False)\n',
        lines: [],
      },
    ],
  },
  {
    id: 'py-mktemp',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'Another process can create the temporary file first',
    explanation:
      'Another user can create a file or link with this name before it is opened. Use `tempfile.NamedTemporaryFile` or `mkstemp`.',
    rule: { pattern: 'tempfile.mktemp($$$ARGS)' },
    examples: [
      { code: 'path = tempfile.mktemp(suffix=".json")\n', lines: [1] },
      { code: 'fd, path = tempfile.mkstemp()\n', lines: [] },
    ],
  },
  {
    id: 'py-world-writable',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'File is writable by everyone',
    explanation:
      'Every account on the machine can change the file. Grant only the permissions that are needed, such as `0o755` or `0o600`.',
    rule: { any: [{ pattern: 'os.chmod($PATH, $MODE)' }, { pattern: '$PATH.chmod($MODE)' }] },
    constraints: { MODE: { regex: '^0o[0-7]?[0-7][0-7][2367]$' } },
    where: 'production',
    examples: [
      { code: 'os.chmod(path, 0o777)\n', lines: [1] },
      { code: 'os.chmod(path, 0o755)\npath.chmod(0o600)\n', lines: [] },
    ],
  },
  {
    id: 'py-debug-server',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Debug server allows remote code execution',
    explanation:
      'The interactive debugger runs code that any visitor enters. Read the debug setting from the environment and default to off.',
    rule: {
      kind: 'keyword_argument',
      regex: '^debug\\s*=\\s*True$',
      inside: {
        kind: 'argument_list',
        // Without a host, only this machine reaches the server.
        any: [{ regex: '\\bhost\\s*=' }, { has: { nthChild: 1, kind: 'string' } }],
        not: { regex: '(^\\(\\s*|\\bhost\\s*=\\s*)["\'](127\\.0\\.0\\.1|localhost|::1)["\']' },
        inside: { kind: 'call', has: { field: 'function', regex: '^(app|application|server)\\.run$' } },
      },
      // Chosen by a setting.
      not: {
        inside: {
          kind: 'if_statement',
          stopBy: 'end',
          any: [
            { has: { field: 'condition', regex: '(?i)debug|dev' } },
            // A start by hand.
            {
              all: [
                { has: { field: 'condition', regex: '__main__' } },
                { not: { regex: '(\\.run\\(\\s*|\\bhost\\s*=\\s*)["\'](0\\.0\\.0\\.0|::)' } },
              ],
            },
          ],
        },
      },
    },
    where: 'production',
    examples: [
      { code: 'app.run(host="::", debug=True)\n', lines: [1] },
      { code: 'app.run(debug=True, port=8080)\napp.run(host="127.0.0.1", debug=True)\n', lines: [] },
      { code: 'if __name__ == "__main__":\n    app.run(debug=True)\n', lines: [] },
      { code: 'if __name__ == "__main__":\n    app.run(host="0.0.0.0", debug=True)\n', lines: [2] },
      { code: 'app.run("0.0.0.0", 5000, debug=True)\napp.run("127.0.0.1", 5000, debug=True)\n', lines: [1] },
      { code: 'if __name__ == "__main__":\n    app.run("0.0.0.0", debug=True)\n', lines: [2] },
      { code: 'app.run("localhost", debug=True)\napp.run(main, debug=True)\n', lines: [] },
      { code: 'app.run(debug=settings.debug)\njob.run(debug=True)\n', lines: [] },
    ],
  },
  {
    id: 'py-predictable-token',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Secret value comes from random',
    explanation: 'An attacker can predict the output of `random` from earlier values. Use the `secrets` module.',
    rule: {
      kind: 'assignment',
      all: [
        { has: { field: 'left', regex: SECRET_NAME, not: { regex: '(?i)(request|cache|lock|page)_?token$' } } },
        {
          has: {
            field: 'right',
            has: {
              kind: 'call',
              stopBy: 'end',
              regex: '^random\\.(choice|choices|randint|random|randrange|getrandbits|sample)\\(',
            },
          },
        },
      ],
    },
    where: 'production',
    examples: [
      { code: 'token = "".join(random.choice(LETTERS) for _ in range(20))\n', lines: [1] },
      { code: 'delay = random.random()\ntoken = secrets.token_hex(16)\n', lines: [] },
    ],
  },
];
