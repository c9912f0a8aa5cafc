import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { protectsSecret } from './weak-hash.ts';

const PYTHON = ['Python'] as const;

/** A string composed of parts that are not all literals. */
const COMPOSED: GrepNode = {
  any: [
    { kind: 'string', has: { kind: 'interpolation' } },
    {
      kind: 'binary_operator',
      all: [
        { has: { field: 'operator', regex: '^[+%]$' } },
        { has: { kind: 'string', stopBy: 'end' } },
        {
          has: {
            any: ['identifier', 'attribute', 'call', 'subscript', 'tuple'].map((kind) => ({ kind })),
            stopBy: { kind: 'string' },
          },
        },
      ],
    },
    { pattern: '$TEXT.format($$$VALUES)' },
  ],
};
const NAME: GrepNode = { kind: 'identifier' };
const NOT_LITERAL: GrepNode = { not: { kind: 'string', not: { has: { kind: 'interpolation' } } } };
const SQL =
  '^\\(?\\s*[a-zA-Z]{0,2}("""|\'\'\'|"|\')\\s*(?i:select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)';
const SECRET_NAME = '(?i)(token|secret|password|nonce|otp|api_?key|session_?id|salt)$';

const PROTECTS_SECRET = protectsSecret(['expression_statement', 'return_statement'], ['function_definition']);

export const PYTHON_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'py-eval',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Computed string is run as code',
    explanation:
      'Anyone who controls the string can run code in this process. Use `ast.literal_eval`, `json.loads` or a table of functions.',
    rule: {
      any: [
        { pattern: 'eval($CODE)' },
        { pattern: 'exec($CODE)' },
        { pattern: 'eval($CODE, $$$REST)' },
        { pattern: 'exec($CODE, $$$REST)' },
      ],
    },
    constraints: { CODE: NOT_LITERAL },
    builds: { for: 'code', from: 'CODE', unknown: 'counts' },
    where: 'production',
    examples: [
      { code: 'def f(x):\n    return eval(x)\n', lines: [2] },
      { code: 'exec(f"run_{name}()")\n', lines: [1] },
      { code: 'import ast\nast.literal_eval(x)\nmodel.eval()\ncursor.exec(x)\n', lines: [] },
    ],
  },
  {
    id: 'py-shell-by-string',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Pass a list of arguments and do not set `shell`.',
    rule: {
      any: [
        { pattern: 'os.system($CMD)' },
        { pattern: 'os.popen($CMD)' },
        {
          pattern: 'subprocess.$RUN($CMD, $$$REST)',
          has: { kind: 'argument_list', has: { kind: 'keyword_argument', regex: '^shell\\s*=\\s*True$' } },
        },
      ],
    },
    constraints: { CMD: { any: [COMPOSED, NAME] } },
    builds: { for: 'shell', from: 'CMD' },
    where: 'production',
    examples: [
      { code: 'command = "rm -rf " + path\nos.system(command)\n', lines: [2] },
      { code: 'folder = "/srv/a"\nos.system(f"ls {folder}")\nos.system("kill %d" % pid)\n', lines: [] },
      { code: 'os.system("rm -rf " + path)\n', lines: [1] },
      { code: 'subprocess.run(f"git clone {url}", shell=True, check=True)\n', lines: [1] },
      { code: 'subprocess.check_output("ls %s" % path, shell=True)\n', lines: [1] },
      { code: 'subprocess.run(["git", "clone", url], check=True)\nos.system("clear")\n', lines: [] },
      { code: 'os.system(f"ls {shlex.quote(path)}")\n', lines: [] },
    ],
  },
  {
    id: 'py-unsafe-deserialise',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Deserialiser can run code from its input',
    explanation:
      'A crafted document can run any code while it is loaded. Use JSON or another data-only format, or verify a signature before loading.',
    rule: {
      any: [
        { pattern: '$MODULE.loads($DATA, $$$REST)' },
        { pattern: '$MODULE.loads($DATA)' },
        { pattern: 'jsonpickle.decode($DATA)' },
        { pattern: 'shelve.open($DATA)' },
      ],
    },
    constraints: {
      MODULE: { regex: '^(pickle|cPickle|_pickle|cloudpickle|dill|marshal)$' },
      DATA: { not: { pattern: 'pickle.dumps($$$ANY)' } },
    },
    where: 'production',
    examples: [
      { code: 'user = pickle.loads(request.data)\n', lines: [1] },
      { code: 'user = json.loads(request.data)\ncopy = pickle.loads(pickle.dumps(user))\n', lines: [] },
    ],
  },
  {
    id: 'py-yaml-load',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'yaml.load can build arbitrary objects',
    explanation: 'Without a safe loader, a document can name any class and run code. Use `yaml.safe_load`.',
    rule: {
      any: [
        { pattern: 'yaml.load($DATA)' },
        { pattern: 'yaml.unsafe_load($DATA)' },
        { pattern: 'yaml.load($DATA, Loader=yaml.Loader)' },
        { pattern: 'yaml.load($DATA, Loader=yaml.UnsafeLoader)' },
      ],
    },
    fix: 'yaml.safe_load($DATA)',
    examples: [
      { code: 'def f(s):\n    return yaml.load(s)\n', lines: [2], suggestion: '    return yaml.safe_load(s)' },
      { code: 'yaml.safe_load(s)\nyaml.load(s, Loader=yaml.SafeLoader)\n', lines: [] },
    ],
  },
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
        // In an `if`, a setting chooses it.
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
      { code: 'requests.get(url, verify="/etc/ca.pem")\nform.check(verify=False)\n', lines: [] },
    ],
  },
  {
    id: 'py-sql-concat',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Pass the value as a parameter of `execute`.',
    rule: {
      any: [
        { pattern: '$CURSOR.$METHOD($SQL)' },
        { pattern: '$CURSOR.$METHOD($SQL, $$$REST)' },
        { pattern: 'text($SQL)' },
      ],
    },
    constraints: {
      METHOD: {
        regex: '^(execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval)$',
      },
      SQL: {
        any: [
          { all: [COMPOSED, { regex: SQL }, { not: { regex: '(?i)placeholder|sql\\.Identifier|sql\\.SQL' } }] },
          NAME,
        ],
      },
    },
    builds: { for: 'sql', from: 'SQL' },
    where: 'production',
    examples: [
      {
        code: 'def f(name):\n    sql = f"SELECT * FROM users WHERE name = \'{name}\'"\n    cursor.execute(sql)\n',
        lines: [3],
      },
      { code: 'cursor.execute("SELECT * FROM %s LIMIT %d" % (table_name, limit))\n', lines: [] },
      { code: 'cursor.execute(f"SELECT * FROM users WHERE id = {user_id}")\n', lines: [1] },
      { code: 'cursor.execute("DELETE FROM users WHERE name = \'%s\'" % name)\n', lines: [1] },
      { code: 'cursor.execute("SELECT * FROM users WHERE id = {}".format(user_id))\n', lines: [1] },
      {
        code: 'cursor.execute("SELECT * FROM users WHERE id = %s", (user_id,))\npool.execute(f"task {name}")\n',
        lines: [],
      },
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
        inside: { kind: 'call', has: { field: 'function', regex: '^(app|application|server)\\.run$' } },
      },
    },
    where: 'production',
    examples: [
      { code: 'app.run(host="::", debug=True)\n', lines: [1] },
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
        { has: { field: 'left', regex: SECRET_NAME } },
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
